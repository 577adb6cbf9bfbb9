// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero perft: counts move sequences, to check the rules and to measure move generation.
#include "env/perft.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "env/error.h"
#include "env/games.h"

namespace khanzero {
namespace {

struct PerftOptions {
  std::string game;
  std::optional<std::string> fen;
  std::optional<int> kings_landing;
  int depth = 3;
  int threads = 1;
  bool divide = false;
  bool json = false;
};

// The nodes below each legal move, in the order of the moves' text.
using Division = std::vector<std::pair<std::string, uint64_t>>;

struct PerftResult {
  std::string fen;
  uint64_t nodes = 0;
  double seconds = 0.0;
  Division division;
};

template <class G>
typename G::Position PositionOf(const PerftOptions& options) {
  GameSettings settings;
  if (options.kings_landing) {
    if (!G::kHasSettings) {
      throw InputError("--kings-landing is not a setting of " + std::string(G::kName));
    }
    settings.kings_landing = *options.kings_landing;
  }
  return options.fen ? G::Position::FromFen(*options.fen, settings) : G::Position::Start(settings);
}

// A position whose count is part of that of one move of the root.
template <class G>
struct Share {
  size_t root_move;
  typename G::Position position;
};

// The positions after each legal move of `position`.
template <class G>
std::vector<Share<G>> SharesBelow(const typename G::Position& position,
                                  const typename G::Moves& moves) {
  std::vector<Share<G>> shares;
  for (const Move& move : moves) {
    shares.push_back({.root_move = shares.size(), .position = position});
    shares.back().position.Play(move);
  }
  return shares;
}

// The same positions one ply deeper: small enough that no thread waits long for the last one.
template <class G>
std::vector<Share<G>> Split(const std::vector<Share<G>>& shares) {
  std::vector<Share<G>> parts;
  typename G::Moves moves;
  for (const Share<G>& share : shares) {
    share.position.LegalMoves(moves);
    for (const Move& move : moves) {
      parts.push_back(share);
      parts.back().position.Play(move);
    }
  }
  return parts;
}

// Each thread takes the next share that none has taken yet. REQUIRES: depth >= 1.
template <class G>
Division Divide(const typename G::Position& position, int depth, int threads) {
  // Below this the counting of a share would not pay for its position.
  constexpr int kLeastDepthToSplit = 4;
  typename G::Moves moves;
  position.LegalMoves(moves);
  std::vector<Share<G>> shares = SharesBelow<G>(position, moves);
  const bool split = threads > 1 && depth >= kLeastDepthToSplit;
  if (split) shares = Split<G>(shares);
  const int depth_left = depth - (split ? 2 : 1);

  std::vector<std::atomic<uint64_t>> counts(static_cast<size_t>(moves.size()));
  std::atomic<size_t> next_share{0};
  const auto work = [&] {
    for (size_t i = next_share++; i < shares.size(); i = next_share++) {
      counts[shares[i].root_move] += Perft(shares[i].position, depth_left);
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  Division division;
  for (int i = 0; i < moves.size(); ++i) {
    division.emplace_back(G::MoveToText(moves[i]), counts[static_cast<size_t>(i)]);
  }
  std::ranges::sort(division);
  return division;
}

template <class G>
PerftResult Count(const PerftOptions& options) {
  const typename G::Position position = PositionOf<G>(options);
  PerftResult result{.fen = position.Fen(), .nodes = 1, .seconds = 0.0, .division = {}};
  const auto start = std::chrono::steady_clock::now();
  if (options.depth > 0) {
    result.division = Divide<G>(position, options.depth, options.threads);
    result.nodes =
        std::accumulate(result.division.begin(), result.division.end(), uint64_t{0},
                        [](uint64_t sum, const auto& entry) { return sum + entry.second; });
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

void Print(const PerftOptions& options, const PerftResult& result) {
  const double nodes_per_second =
      result.seconds > 0.0 ? static_cast<double>(result.nodes) / result.seconds : 0.0;
  if (options.json) {
    nlohmann::ordered_json json = {
        {"game", options.game},      {"fen", result.fen},
        {"depth", options.depth},    {"nodes", result.nodes},
        {"seconds", result.seconds}, {"nodes_per_second", nodes_per_second}};
    if (options.divide) {
      json["divide"] = nlohmann::ordered_json::object();
      for (const auto& [move, nodes] : result.division) json["divide"][move] = nodes;
    }
    std::printf("%s\n", json.dump().c_str());
    return;
  }
  if (options.divide) {
    for (const auto& [move, nodes] : result.division) {
      std::printf("%s: %llu\n", move.c_str(), static_cast<unsigned long long>(nodes));
    }
    std::printf("\n");
  }
  std::printf("nodes    %llu\ntime     %.6f s\nnodes/s  %.0f\n",
              static_cast<unsigned long long>(result.nodes), result.seconds, nodes_per_second);
}

void RunPerft(PerftOptions options) {
  if (options.threads == 0) {
    options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }
  Print(options,
        WithGame(options.game, [&]<class G>() -> PerftResult { return Count<G>(options); }));
}

}  // namespace

void AddPerft(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("perft", "Count the legal move sequences from a position");
  const auto options = std::make_shared<PerftOptions>();
  command->add_option("GAME", options->game, "The game: " + GameNamesText())
      ->type_name("")
      ->required();
  command->add_option("--fen", options->fen, "Position, in quotes; the start position otherwise")
      ->type_name("FEN");
  command->add_option("--depth", options->depth, "Length of the sequences in plies")
      ->capture_default_str()
      ->check(CLI::Range(0, 100))
      ->type_name("N");
  command->add_flag("--divide", options->divide, "Also list the count below each legal move");
  command
      ->add_option("--kings-landing", options->kings_landing,
                   "serbest: the king is placed on own ranks 1 to this, 7 or 8")
      ->check(CLI::IsMember({7, 8}))
      ->type_name("N");
  command->add_option("--threads", options->threads, "Threads; 0 takes one for each core")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options] { RunPerft(*options); });
}

}  // namespace khanzero
