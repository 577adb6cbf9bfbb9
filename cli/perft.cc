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

// Each thread takes the next move that none has taken yet. REQUIRES: depth >= 1.
template <class G>
Division Divide(const typename G::Position& position, int depth, int threads) {
  typename G::Moves moves;
  position.LegalMoves(moves);
  Division division(static_cast<size_t>(moves.size()));
  std::atomic<int> next_move{0};
  const auto work = [&] {
    for (int i = next_move++; i < moves.size(); i = next_move++) {
      typename G::Position child = position;
      child.Play(moves[i]);
      division[static_cast<size_t>(i)] = {G::MoveToText(moves[i]), Perft(child, depth - 1)};
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
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
