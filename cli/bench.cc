// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero bench: what this machine makes of a configuration. The keys of --json are those of the
// text: raw (list of batch, positions_per_second), best_batch, raw_ceiling, raw_one_thread,
// raw_fp32, top_move_agreement, largest_chance_error, efficiency (median, least, greatest),
// self_play, bytes_per_game, bytes_per_position, learner_samples_per_second, recommended,
// games_per_day, signature.
#include "train/bench.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/config_options.h"
#include "cli/weights.h"
#include "env/games.h"
#include "mcts/signature.h"
#include "model/folded_network.h"

namespace khanzero {

namespace {

struct BenchCommand {
  ConfigOptions config;
  std::string weights;
  double seconds = 20.0;
  bool json = false;
};

using Signatures = std::vector<std::pair<std::string, std::string>>;

Signatures SignaturesOf(const std::string& game) {
  return WithGame(game, []<class G>() {
    Signatures signatures;
    for (const RootAlgorithm algorithm : {RootAlgorithm::kGumbel, RootAlgorithm::kPuct}) {
      signatures.emplace_back(kRootAlgorithmNames[static_cast<size_t>(algorithm)],
                              ComputeSearchSignature<G>(algorithm).Text());
    }
    return signatures;
  });
}

void PrintJson(const BenchReport& r, const Config& config, const Signatures& signatures) {
  nlohmann::ordered_json raw = nlohmann::ordered_json::array();
  for (const RawRate& rate : r.raw) {
    raw.push_back({{"batch", rate.batch}, {"positions_per_second", rate.positions_per_second}});
  }
  const SelfPlayRates& s = r.self_play;
  nlohmann::ordered_json json = {
      {"game", r.game},
      {"network", {{"blocks", config.network.blocks}, {"channels", config.network.channels}}},
      {"inference", Text(r.facts)},
      {"workers", r.workers},
      {"games_per_worker", r.games_per_worker},
      {"raw", raw},
      {"best_batch", r.best_batch},
      {"raw_ceiling", r.raw_ceiling},
      {"raw_one_thread", r.raw_one_thread},
      {"raw_fp32", r.raw_fp32},
      {"top_move_agreement", r.top_move_agreement},
      {"largest_chance_error", r.largest_chance_error},
      {"efficiency",
       {{"median", r.efficiency},
        {"least", r.least_efficiency},
        {"greatest", r.greatest_efficiency}}},
      {"self_play",
       {{"evaluations_per_second", s.evaluations_per_second},
        {"simulations_per_second", s.simulations_per_second},
        {"moves_per_second", s.moves_per_second},
        {"games_per_hour", s.games_per_hour},
        {"cache_hit_share", s.cache_hit_share},
        {"terminal_share", s.terminal_share},
        {"inference_share", s.inference_share},
        {"encode_share", s.encode_share},
        {"tree_share", s.tree_share},
        {"waiting_share", s.waiting_share}}},
      {"bytes_per_game", r.bytes_per_game},
      {"bytes_per_position", r.bytes_per_position},
      {"learner_samples_per_second", r.learner_samples_per_second},
      {"recommended",
       {{"workers", r.recommended_workers}, {"games_per_worker", r.recommended_games_per_worker}}},
      {"games_per_day", r.games_per_day}};
  for (const auto& [algorithm, text] : signatures) json["signature"][algorithm] = text;
  fmt::print("{}\n", json.dump());
}

void PrintText(const BenchReport& r, const Config& config, const Signatures& signatures) {
  fmt::print("{}, {} blocks x {} channels, on {}\n\n", r.game, config.network.blocks,
             config.network.channels, Text(r.facts));
  fmt::print("The network alone, {} threads\n  batch  positions/s\n", r.workers);
  for (const RawRate& rate : r.raw) {
    fmt::print("  {:5}  {:11.0f}{}\n", rate.batch, rate.positions_per_second,
               rate.batch == r.best_batch ? "  best" : "");
  }
  if (r.raw_ceiling > 0.0) {
    fmt::print("  at batch {}: {:.0f}/s with {} threads, {:.0f}/s with one ({:.2f} times)\n",
               r.best_batch, r.raw_ceiling, r.workers, r.raw_one_thread,
               r.raw_ceiling / r.raw_one_thread);
  }
  if (r.raw_fp32 > 0.0) {
    fmt::print(
        "  {} against fp32: {:.2f} times the rate; the same best move in {:.1f} % of positions, "
        "chances differ by at most {:.4f}\n",
        r.facts.precision, r.raw_ceiling / r.raw_fp32, 100.0 * r.top_move_agreement,
        r.largest_chance_error);
  }
  const SelfPlayRates& s = r.self_play;
  fmt::print("\nSelf-play, {} workers with {} games each, {} simulations a move\n", r.workers,
             r.games_per_worker, config.search.simulations);
  fmt::print("  evaluations/s   {:10.0f}  {:.1f} % of the network alone ({:.1f}-{:.1f})\n",
             s.evaluations_per_second, 100.0 * r.efficiency, 100.0 * r.least_efficiency,
             100.0 * r.greatest_efficiency);
  fmt::print("  simulations/s   {:10.0f}  {:.1f} % from the cache, {:.1f} % ended the game\n",
             s.simulations_per_second, 100.0 * s.cache_hit_share, 100.0 * s.terminal_share);
  fmt::print("  moves/s         {:10.0f}\n  games/h         {:10.0f}  {:.0f} a day\n",
             s.moves_per_second, s.games_per_hour, r.games_per_day);
  fmt::print("  bytes a game    {:10.0f}  {:.1f} a position\n", r.bytes_per_game,
             r.bytes_per_position);
  fmt::print(
      "  time            inference {:.1f} %, encoding {:.1f} %, trees and games {:.1f} %, waiting "
      "{:.1f} %\n",
      100.0 * s.inference_share, 100.0 * s.encode_share, 100.0 * s.tree_share,
      100.0 * s.waiting_share);
  fmt::print("\nLearner\n  samples/s       {:10.0f}  batch {}\n", r.learner_samples_per_second,
             config.learner.batch_size);
  fmt::print("\nFor this machine\n  selfplay.workers: {}\n  selfplay.games_per_worker: {}\n",
             r.recommended_workers, r.recommended_games_per_worker);
  fmt::print("\nSignature of the search\n");
  for (const auto& [algorithm, text] : signatures) fmt::print("  {:6}  {}\n", algorithm, text);
}

void RunCommand(const BenchCommand& command) {
  BenchOptions options{
      .config = ReadConfig(command.config),
      .network = nullptr,
      .seconds = command.seconds,
      .progress = [](const std::string& stage) { fmt::print(stderr, "measuring {}\n", stage); }};
  Config& config = options.config;
  const GameInfo info = InfoOfGame(config.game);
  if (command.weights.empty()) {
    options.network = MakeRandomNetwork(info.shape, config.network, config.seed);
  } else {
    options.network = LoadFoldedNetwork(FindCheckpoint(command.weights).string(), &info);
    config.network = options.network->settings;
  }
  const BenchReport report = RunBench(options);
  const Signatures signatures = SignaturesOf(config.game);
  if (command.json) {
    PrintJson(report, config, signatures);
  } else {
    PrintText(report, config, signatures);
  }
}

}  // namespace

void AddBench(CLI::App& app) {
  const auto command = std::make_shared<BenchCommand>();
  CLI::App* const sub =
      app.add_subcommand("bench", "Measure inference, self-play and learning on this machine");
  AddConfigOptions(*sub, command->config);
  sub->add_option("--weights", command->weights,
                  std::string(kWeightsHelp) + "; otherwise random weights")
      ->type_name("CHECKPOINT");
  sub->add_option("--seconds", command->seconds, "Time for each of about five measurements")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 36000.0))
      ->type_name("N");
  sub->add_flag("--json", command->json, "Print one JSON object");
  sub->footer(
      "Without weights the network is random, and games are those of a beginner: rates of the\n"
      "network are right, shares of cache and ends are not those of a trained one.\n"
      "Leave the machine alone meanwhile. The rate of self-play is compared with that of the\n"
      "network in the same minutes.");
  sub->callback([command] { RunCommand(*command); });
}

}  // namespace khanzero
