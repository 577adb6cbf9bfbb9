// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/report_games.h"

#include <cmath>
#include <set>
#include <utility>

#include "env/error.h"
#include "env/games.h"
#include "train/replayed_game.h"

namespace khanzero {

namespace {

using nlohmann::ordered_json;

constexpr int64_t kAmong = 1000;
constexpr int64_t kNewest = 3;
constexpr size_t kMostPlies = 1000;  // shown; a page must stay small

// Placement, hands and side to move: the first two fields.
std::string ShortFen(const std::string& fen) { return fen.substr(0, fen.find(' ') + 2); }

// The search's value for White in each of the first `plies` positions.
ordered_json ValuesForWhite(const GameRecord& record, Color first, size_t plies) {
  ordered_json values(std::vector<std::nullptr_t>(plies, nullptr));
  for (const SampleRecord& sample : record.samples) {
    const auto ply = static_cast<size_t>(sample.ply);
    if (ply >= plies) break;
    const double for_mover = 100.0 * (sample.root_win - sample.root_loss) / 255.0;
    const bool white_moves = (first == Color::kWhite) == (ply % 2 == 0);
    values[ply] = static_cast<int>(std::lround(white_moves ? for_mover : -for_mover));
  }
  return values;
}

template <Game G>
ordered_json Describe(const StoredGame& stored, const Replayer& replayer) {
  const GameRecord record = ParseRecord(stored.bytes);
  const ReplayedGame game = replayer.Replay(record);
  auto position = game.start_fen.empty() ? G::Position::Start(game.settings)
                                         : G::Position::FromFen(game.start_fen, game.settings);
  const Color first = position.side_to_move();
  const size_t shown = std::min(game.moves.size(), kMostPlies);
  ordered_json positions = {ShortFen(position.Fen())};
  ordered_json moves = ordered_json::array();
  for (size_t ply = 0; ply < shown; ++ply) {
    moves.push_back(G::MoveToText(game.moves[ply]));
    position.Play(game.moves[ply]);
    positions.push_back(ShortFen(position.Fen()));
  }
  return {{"number", record.number},
          {"network_step", record.last_network_step},
          {"result", Text(record.outcome.result)},
          {"reason", Text(record.outcome.reason)},
          {"plies", game.moves.size()},
          {"positions", std::move(positions)},
          {"moves", std::move(moves)},
          {"values", ValuesForWhite(record, first, shown)}};
}

}  // namespace

ordered_json SampleGames(const ReplayStore& store, const std::string& game,
                         std::vector<std::string>& notes) {
  using Order = ReplayStore::Order;
  const std::unique_ptr<Replayer> replayer = MakeReplayer(game);
  ordered_json games = ordered_json::array();
  std::set<int64_t> taken;
  const auto take = [&](const char* why, Order order, int64_t count) {
    for (const StoredGame& stored : store.First(order, count, kAmong)) {
      if (!taken.insert(stored.sequence).second) continue;
      try {
        ordered_json described =
            WithGame(game, [&]<class G>() { return Describe<G>(stored, *replayer); });
        ordered_json chosen = {{"why", why}};
        chosen.update(described);
        games.push_back(std::move(chosen));
      } catch (const InputError& e) {
        notes.push_back("A stored game is left out: " + std::string(e.what()));
      }
    }
  };
  take("newest", Order::kNewest, kNewest);
  take("longest", Order::kLongest, 1);
  take("shortest", Order::kShortest, 1);
  return games;
}

}  // namespace khanzero
