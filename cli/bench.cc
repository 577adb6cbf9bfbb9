// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero bench: what this machine makes of a configuration. --json prints one object; its keys,
// which stay as they are (rates are per second, shares and ratios 0..1):
//
//   game, seconds                 what was measured, and --seconds
//   network                       blocks, channels, weights ("random" or the checkpoint)
//   inference                     device, precision, computed_by, cpu_isa
//   workers, games_per_worker, batch_size,
//   simulations                   as configured
//   raw                           list of {batch, positions_per_second}: inference alone
//   raw_threads                   list of {threads, positions_per_second} at the best batch
//   arithmetics                   [{name, in_use, positions_per_second, top_move_agreement,
//                                 mean_score_error, largest_chance_error}], the differences from
//                                 the first, LibTorch in fp32
//   ceiling, configured           {batch, positions_per_second}: inference alone in the same
//                                 minutes as self-play, at the best and the configured batch
//   efficiency, batch_efficiency  {median, least, greatest} of self-play's evaluations over both
//   self_play                     evaluations_per_second, simulations_per_second,
//                                 moves_per_second, games_per_hour, games_per_day, games_ended,
//                                 positions_per_game, bytes_per_game, bytes_per_position,
//                                 cache_hit_share, terminal_share (both of simulations),
//                                 inference_share, encode_share, tree_share, waiting_share (of the
//                                 workers' time)
//   learner                       batch_size, samples_per_second, bare_samples_per_second,
//                                 tower_samples_per_second,
//                                 efficiency {median, least, greatest} of the first over the second
//   recommended                   workers, games_per_worker, batch_size, games_per_day
//   signature                     {gumbel, puct}: nodes, and visits as 16 hexadecimal digits
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
#include "model/load_network.h"
#include "model/torch_switches.h"
#include "play/self_calibration.h"

namespace khanzero {

namespace {

using Json = nlohmann::ordered_json;

struct BenchCommand {
  ConfigOptions config;
  std::string weights;
  double seconds = 15.0;
  bool json = false;
};

// Everything there is to print.
struct Printed {
  const BenchCommand& command;
  const Config& config;
  const BenchReport& report;
  std::vector<std::pair<std::string, std::string>> signatures;  // of each algorithm

  std::string weights() const { return command.weights.empty() ? "random" : command.weights; }
};

Json RatioJson(const Ratio& ratio) {
  return {{"median", ratio.median}, {"least", ratio.least}, {"greatest", ratio.greatest}};
}

Json BatchJson(const RawRate& rate) {
  return {{"batch", rate.batch}, {"positions_per_second", rate.positions_per_second}};
}

Json SelfPlayJson(const BenchReport& report) {
  const SelfPlayRates& s = report.self_play;
  return {{"evaluations_per_second", s.evaluations_per_second},
          {"simulations_per_second", s.simulations_per_second},
          {"moves_per_second", s.moves_per_second},
          {"games_per_hour", s.games_per_hour},
          {"games_per_day", report.games_per_day},
          {"games_ended", s.games_ended},
          {"positions_per_game", s.positions_per_game},
          {"bytes_per_game", s.bytes_per_game},
          {"bytes_per_position", s.bytes_per_position},
          {"cache_hit_share", s.cache_hit_share},
          {"terminal_share", s.terminal_share},
          {"inference_share", s.inference_share},
          {"encode_share", s.encode_share},
          {"tree_share", s.tree_share},
          {"waiting_share", s.waiting_share}};
}

void PrintJson(const Printed& printed) {
  const BenchReport& r = printed.report;
  const Config& config = printed.config;
  Json json = {{"game", r.game}, {"seconds", printed.command.seconds}};
  json["network"] = {{"blocks", config.network.blocks},
                     {"channels", config.network.channels},
                     {"settings", Text(config.network)},
                     {"weights", printed.weights()}};
  json["inference"] = {{"device", r.facts.device},
                       {"precision", r.facts.precision},
                       {"computed_by", r.facts.computed_by},
                       {"cpu_isa", r.facts.cpu_isa}};
  json["workers"] = r.workers;
  json["games_per_worker"] = r.games_per_worker;
  json["batch_size"] = r.batch;
  json["simulations"] = config.search.simulations;
  for (const RawRate& rate : r.raw) json["raw"].push_back(BatchJson(rate));
  for (const RawRate& rate : r.raw_threads) {
    json["raw_threads"].push_back(
        {{"threads", rate.threads}, {"positions_per_second", rate.positions_per_second}});
  }
  for (const ArithmeticRate& rate : r.arithmetics) {
    json["arithmetics"].push_back({{"name", rate.name},
                                   {"in_use", rate.in_use},
                                   {"positions_per_second", rate.positions_per_second},
                                   {"top_move_agreement", rate.difference.top_move_agreement},
                                   {"mean_score_error", rate.difference.mean_score_error},
                                   {"largest_chance_error", rate.difference.largest_chance_error}});
  }
  json["ceiling"] = BatchJson(r.ceiling);
  json["configured"] = BatchJson(r.configured);
  json["efficiency"] = RatioJson(r.efficiency);
  json["batch_efficiency"] = RatioJson(r.batch_efficiency);
  json["self_play"] = SelfPlayJson(r);
  json["learner"] = {{"batch_size", config.learner.batch_size},
                     {"samples_per_second", r.learner.samples_per_second},
                     {"bare_samples_per_second", r.learner.bare_samples_per_second},
                     {"tower_samples_per_second", r.learner.tower_samples_per_second},
                     {"efficiency", RatioJson(r.learner.efficiency)}};
  json["recommended"] = {{"workers", r.recommended_workers},
                         {"games_per_worker", r.recommended_games},
                         {"batch_size", r.recommended_batch},
                         {"games_per_day", r.recommended_games_per_day}};
  for (const auto& [algorithm, text] : printed.signatures) json["signature"][algorithm] = text;
  fmt::print("{}\n", json.dump());
}

// "  name      12345  what it means"
void Line(const char* name, const std::string& figure, const std::string& meaning) {
  fmt::print("  {:16}{:>10}  {}\n", name, figure, meaning);
}
std::string Whole(double figure) { return fmt::format("{:.0f}", figure); }
std::string Percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }
std::string RoundsText(const Ratio& ratio) {
  return fmt::format("{:.1f} to {:.1f} % in the rounds", 100.0 * ratio.least,
                     100.0 * ratio.greatest);
}
std::string Threads(int count) { return fmt::format("{} thread{}", count, count == 1 ? "" : "s"); }

void PrintNetwork(const BenchReport& r) {
  fmt::print("\nThe network alone ({}), positions/s by batch size: nothing can be faster\n",
             Threads(r.workers));
  const RawRate* best = &r.raw.front();
  for (const RawRate& rate : r.raw) {
    if (rate.positions_per_second > best->positions_per_second) best = &rate;
  }
  for (const RawRate& rate : r.raw) {
    const bool configured = rate.batch == r.batch;
    fmt::print("  {:5}  {:9.0f}{}{}\n", rate.batch, rate.positions_per_second,
               &rate == best ? "  best" : "", configured ? "  configured" : "");
  }
  fmt::print("and by threads, batch {}\n", best->batch);
  for (const RawRate& rate : r.raw_threads) {
    fmt::print("  {:5}  {:9.0f}  {:.2f} times one thread\n", rate.threads,
               rate.positions_per_second,
               rate.positions_per_second / r.raw_threads.front().positions_per_second);
  }
  fmt::print(
      "and by arithmetic, batch {}; differences are from the first, on {} positions of the "
      "network's games:\nsame best move, mean difference of the expected score (0 to 1), greatest "
      "of any chance\n",
      best->batch, kComparedPositions);
  const double first = r.arithmetics.front().positions_per_second;
  for (const ArithmeticRate& rate : r.arithmetics) {
    fmt::print("  {:14}{:9.0f}  {:5.2f} times  {:>7}  {:.4f}  {:.4f}{}\n", rate.name,
               rate.positions_per_second, rate.positions_per_second / first,
               Percent(rate.difference.top_move_agreement), rate.difference.mean_score_error,
               rate.difference.largest_chance_error, rate.in_use ? "  in use" : "");
  }
}

void PrintSelfPlay(const BenchReport& r, const Config& config) {
  const SelfPlayRates& s = r.self_play;
  fmt::print("\nSelf-play, {} with {} games each, {} simulations a move\n",
             r.workers == 1 ? "1 worker" : fmt::format("{} workers", r.workers), r.games_per_worker,
             config.search.simulations);
  Line("evaluations/s", Whole(s.evaluations_per_second), "positions given to the network");
  Line("of the ceiling", Percent(r.efficiency.median),
       fmt::format("of the network alone at batch {}, {:.0f}/s in the same minutes; {}",
                   r.ceiling.batch, r.ceiling.positions_per_second, RoundsText(r.efficiency)));
  Line("of its batch", Percent(r.batch_efficiency.median),
       fmt::format("of the network alone at batch {}, {:.0f}/s; {}", r.configured.batch,
                   r.configured.positions_per_second, RoundsText(r.batch_efficiency)));
  Line("simulations/s", Whole(s.simulations_per_second), "steps of the searches");
  Line("from cache", Percent(s.cache_hit_share), "of them at a position that was evaluated before");
  Line("at game's end", Percent(s.terminal_share), "of them where the rules know the result");
  Line("moves/s", fmt::format("{:.1f}", s.moves_per_second), "");
  Line("games/h", Whole(s.games_per_hour),
       s.games_ended == 0 ? "unknown: no game ended in this time; use more --seconds"
                          : fmt::format("{:.0f} searched moves a game, from {} games that ended",
                                        s.positions_per_game, s.games_ended));
  Line("bytes a game", Whole(s.bytes_per_game),
       fmt::format("as stored, {:.1f} a move", s.bytes_per_position));
  fmt::print(
      "  The workers' time: inference {}, encoding positions {}, trees and games {}, "
      "waiting {}\n",
      Percent(s.inference_share), Percent(s.encode_share), Percent(s.tree_share),
      Percent(s.waiting_share));
}

void PrintText(const Printed& printed) {
  const BenchReport& r = printed.report;
  const Config& config = printed.config;
  fmt::print("{}, {}, weights: {}\non {}\n", r.game, Text(config.network), printed.weights(),
             Text(r.facts));
  PrintNetwork(r);
  PrintSelfPlay(r, config);
  fmt::print("\nLearner, {} samples a step\n", config.learner.batch_size);
  Line("samples/s", Whole(r.learner.samples_per_second), "");
  Line("of its network", Percent(r.learner.efficiency.median),
       fmt::format("of the same steps on one ready batch, {:.0f}/s; {}",
                   r.learner.bare_samples_per_second, RoundsText(r.learner.efficiency)));
  Line("heads of play", Whole(r.learner.tower_samples_per_second),
       "such steps without the heads that only training uses");
  fmt::print(
      "\nFor this machine\n  selfplay:\n    workers: {}\n    games_per_worker: {}\n    batch_size: "
      "{}\n"
      "  About {:.0f} games a day of self-play alone; {:.0f} as configured.\n",
      r.recommended_workers, r.recommended_games, r.recommended_batch, r.recommended_games_per_day,
      r.games_per_day);
  fmt::print("\nSignature of the search: the same on every machine, until the search changes\n");
  for (const auto& [algorithm, text] : printed.signatures) {
    fmt::print("  {:6}  {}\n", algorithm, text);
  }
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
  // Every arithmetic is measured, int8 too.
  options.network = Calibrated(options.network, info.name);
  const BenchReport report = RunBench(options);
  Printed printed{.command = command, .config = config, .report = report, .signatures = {}};
  WithGame(config.game, [&]<class G>() {
    for (const RootAlgorithm algorithm : {RootAlgorithm::kGumbel, RootAlgorithm::kPuct}) {
      printed.signatures.emplace_back(kRootAlgorithmNames[static_cast<size_t>(algorithm)],
                                      ComputeSearchSignature<G>(algorithm).Text());
    }
  });
  command.json ? PrintJson(printed) : PrintText(printed);
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
  sub->add_option("--seconds", command->seconds,
                  "Time for each thing measured; the whole takes about seven times as long")
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
