// SPDX-License-Identifier: GPL-3.0-or-later
//
// random_games GAME FIRST COUNT SEED: prints random games as our rules play them, one JSON object a
// line, for compare.mjs to hold against the reference engine:
//
//   {"number": 3, "kings_landing": 7, "start": FEN, "positions": [
//     {"fen": ..., "legal": "a1a2 b1c3 ...", "check": false, "result": "*", "reason": "",
//      "move": "b1c3"}, ...]}
//
// `legal` is sorted bytewise; `move`, what was played there, is missing at the end. A game depends
// on SEED and its number only. Even ones begin at the start, odd ones at a scattered position.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "env/games.h"
#include "tests/env/position_text.h"
#include "tests/env/random_positions.h"

namespace khanzero {
namespace {

constexpr int kMostPlies = 240;

// How a random game is played: plain random moves seldom repeat positions, and place every piece
// before any moves.
struct Style {
  uint64_t back_percent;       // how often a piece goes back where it came from
  uint64_t placement_percent;  // how often a placement that came up is played
};

Style RandomStyle(Random& random) {
  static constexpr uint64_t kBack[] = {0, 20, 95};
  static constexpr uint64_t kPlacement[] = {5, 30, 100};
  return {kBack[random.Below(3)], kPlacement[random.Below(3)]};
}

template <class G>
Move StyledMove(const Style& style, const typename G::Moves& moves, const std::vector<Move>& played,
                Random& random) {
  if (played.size() >= 2 && random.Below(100) < style.back_percent) {
    const Move& last = played[played.size() - 2];
    for (const Move& move : moves) {
      if (move.kind == MoveKind::kNormal && move.from == last.to && move.to == last.from) {
        return move;
      }
    }
  }
  for (int tries = 0;; ++tries) {
    const Move move = moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))];
    const bool keep =
        move.kind != MoveKind::kPlacement || random.Below(100) < style.placement_percent;
    if (keep || tries == 50) return move;
  }
}

template <class G>
typename G::Position StartOf(int number, const GameSettings& settings, Random& random) {
  if (number % 2 == 0) return G::Position::Start(settings);
  for (;;) {
    try {
      return G::Position::FromFen(Scattered<G>(random).Fen(), settings);
    } catch (const InputError&) {
      // Scattered without regard to the rules of FEN: the next one, then.
    }
  }
}

template <class G>
nlohmann::json RandomGameJson(int number, uint64_t seed) {
  Random random(Mix64(seed) + static_cast<uint64_t>(number));
  // Both King's Landings with both kinds of start.
  const GameSettings settings = SettingsOfGame(number / 2);
  GameState<G> game(StartOf<G>(number, settings, random));
  const Style style = RandomStyle(random);
  nlohmann::json json = {{"number", number},
                         {"kings_landing", settings.kings_landing},
                         {"start", game.position().Fen()},
                         {"positions", nlohmann::json::array()}};
  std::vector<Move> played;
  typename G::Moves moves;
  for (int ply = 0;; ++ply) {
    const typename G::Position& position = game.position();
    std::string legal;
    for (const std::string& text : SortedMoves<G>(position))
      legal += (legal.empty() ? "" : " ") + text;
    const Outcome outcome = position.ComputeOutcome();
    nlohmann::json& entry =
        json["positions"].emplace_back(nlohmann::json{{"fen", position.Fen()},
                                                      {"legal", legal},
                                                      {"check", position.InCheck()},
                                                      {"result", Text(outcome.result)},
                                                      {"reason", Text(outcome.reason)}});
    if (outcome.over() || ply == kMostPlies) return json;
    position.LegalMoves(moves);
    played.push_back(StyledMove<G>(style, moves, played, random));
    entry["move"] = G::MoveToText(played.back());
    game.Play(played.back());
  }
}

uint64_t NumberOf(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > 1'000'000'000) {
    throw InputError("'" + std::string(text) + "' is not a number from 0 to 1000000000");
  }
  return value;
}

int Main(const std::vector<std::string_view>& arguments) {
  try {
    if (arguments.size() != 4) throw InputError("usage: random_games GAME FIRST COUNT SEED");
    const auto first = static_cast<int>(NumberOf(arguments[1]));
    const auto count = static_cast<int>(NumberOf(arguments[2]));
    const uint64_t seed = NumberOf(arguments[3]);
    WithGame(arguments[0], [&]<class G>() {
      for (int number = first; number < first + count; ++number) {
        std::puts(RandomGameJson<G>(number, seed).dump().c_str());
      }
    });
    return std::fflush(stdout) == 0 ? 0 : 1;
  } catch (const InputError& error) {
    std::fprintf(stderr, "random_games: %s\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace khanzero

int main(int argc, char** argv) { return khanzero::Main({argv + 1, argv + argc}); }
