// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero ladder: ratings of a run's checkpoints.
#include "train/ladder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include "cli/choices.h"
#include "cli/commands.h"
#include "cli/inference_options.h"
#include "cli/signals.h"
#include "play/player_spec.h"

namespace khanzero {

namespace {

struct LadderCommand {
  std::string run;
  int nodes = 0;  // 0: the run's own
  std::string algorithm = "puct";
  bool no_baselines = false;
  std::string reference = "auto";
  bool json = false;
  LadderOptions options;
};

// How far it is, on stderr: a line that is rewritten on a terminal, else a line now and then.
class LadderDisplay {
 public:
  void Show(const LadderProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    const auto between = terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10);
    if (shown_ && now - *shown_ < between) return;
    shown_ = now;
    fmt::print(stderr, "{}{} games (at most {}), {} of {} ratings as precise as asked for{}: {}{}",
               terminal_ ? "\r\033[K" : "", progress.new_games, progress.max_games, progress.rated,
               progress.wanted,
               progress.widest > 0.0 ? fmt::format(", the widest +/- {:.0f}", progress.widest) : "",
               progress.pairing, terminal_ ? "" : "\n");
    std::fflush(stderr);
  }
  void Say(const std::string& text) const {
    Clear();
    fmt::print(stderr, "{}\n", text);
  }
  void Clear() const {
    if (terminal_) fmt::print(stderr, "\r\033[K");
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::optional<std::chrono::steady_clock::time_point> shown_;
};

// scripts/reference-engine.sh of the sources that this program was built from, where its packages
// are installed; empty when they are not.
std::string InstalledReference() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error);
  while (!error && folder.has_relative_path()) {
    folder = folder.parent_path();
    const std::filesystem::path script = folder / "scripts" / "reference-engine.sh";
    if (!std::filesystem::exists(script, error)) continue;
    const std::filesystem::path package =
        folder / "tests" / "oracle" / "node_modules" / "fairy-stockfish-nnue.wasm";
    return std::filesystem::exists(package, error) ? "'" + script.string() + "'" : "";
  }
  return "";
}

std::string ReferenceOf(const LadderCommand& command, const std::string& game) {
  if (command.reference == "none") return "";
  if (command.reference != "auto") return command.reference;
  return command.no_baselines || game != "khans" ? "" : InstalledReference();
}

void Run(LadderCommand command) {
  LadderOptions& options = command.options;
  const RunFolder run{command.run};
  const Config config = ReadRunConfig(run.path(), {});
  options.conditions.nodes = command.nodes > 0 ? command.nodes : config.evaluation.simulations;
  options.conditions.algorithm = ChoiceOf<RootAlgorithm>(command.algorithm, kRootAlgorithmNames);
  options.baselines = !command.no_baselines;
  options.reference = ReferenceOf(command, config.game);
  if (options.threads == 0) {
    options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }
  const StopOnSignals signals;
  options.stop = signals.token();
  LadderDisplay display;
  options.on_progress = [&](const LadderProgress& progress) { display.Show(progress); };
  options.on_note = [&](const std::string& note) { display.Say(note); };
  const LadderResult result = RunLadder(run, config, options);
  display.Clear();
  std::cout << (command.json ? LadderJson(result) + "\n" : LadderText(result));
}

void AddLadderOptions(CLI::App& sub, LadderCommand& command) {
  LadderOptions& options = command.options;
  const auto number = [&](const char* name, auto& value, const char* meaning, auto least,
                          auto most) {
    return sub.add_option(name, value, meaning)->check(CLI::Range(least, most))->type_name("N");
  };
  sub.add_option("--error", options.error_elo,
                 "Play until the 95 % interval of each checkpoint is within +/- this")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 10000.0))
      ->type_name("ELO");
  number("--max-games", options.max_games,
         "Play at most so many games now; 0 rates the games that are there", 0, 10'000'000)
      ->capture_default_str();
  number("--every", options.every, "Rate every Nth checkpoint only, from the newest back", 1,
         1'000'000)
      ->capture_default_str();
  number("--last", options.last, "Rate the newest N checkpoints only; 0: all", 0, 1'000'000)
      ->capture_default_str();
  CLI::Option* const nodes = number("--nodes,--simulations", command.nodes,
                                    "Simulations for each move of a checkpoint. Without it: the "
                                    "run's own evaluation.simulations",
                                    1, 10'000'000);
  number("--movetime", options.conditions.movetime_ms,
         "Milliseconds for each move of a checkpoint, instead of simulations", 1, 100'000'000)
      ->excludes(nodes);
  sub.add_option("--entrant", options.entrants,
                 "A checkpoint from elsewhere that is rated as those of the run are, such as "
                 "wide=latest:runs/wide; may be given several times. With any, the run needs no "
                 "more than a config.yaml")
      ->type_name("NAME=PLAYER")
      ->allow_extra_args(false);
  sub.add_option("--anchor", options.anchors,
                 "A further fixed opponent: " + std::string(kPlayerForms) +
                     "; where it searches, @NODES after it says how far. May be given several "
                     "times, the weakest first")
      ->type_name("PLAYER[@NODES]")
      ->allow_extra_args(false);
  sub.add_flag("--no-baselines", command.no_baselines,
               "Leave out greedy, alphabeta:1 to alphabeta:3 and the reference engine; random "
               "stays");
  sub.add_option("--reference", command.reference,
                 "A UCI engine that plays at 1, 10, 100, 1,000 and 10,000 nodes as further "
                 "anchors; auto: for khans scripts/reference-engine.sh, when its packages are "
                 "installed; or none")
      ->capture_default_str()
      ->type_name("COMMAND");
  sub.add_option("--algorithm", command.algorithm, "Search of the checkpoints")
      ->capture_default_str()
      ->check(OneOf(kRootAlgorithmNames));
  number("--threads", options.threads, "Threads; 0 takes one for each core", 0, 1024)
      ->capture_default_str();
  AddInferenceOptions(sub, options.inference);
  sub.add_flag("--json", command.json, "Print one JSON object on stdout");
}

}  // namespace

void AddLadder(CLI::App& app) {
  const auto command = std::make_shared<LadderCommand>();
  command->options.threads = 0;
  CLI::App* const sub =
      app.add_subcommand("ladder", "Rate a run's checkpoints in Elo above a random player");
  sub->add_option("--run", command->run, "The run's folder; it may be training meanwhile")
      ->required()
      ->type_name("DIR");
  AddLadderOptions(*sub, *command);
  sub->footer(
      "Checkpoints play each other and the anchors; what is played next is what tells most. Games\n"
      "are kept in the run (ladder.db) as they end; the same command goes on with them, also "
      "after\n"
      "Ctrl-C or a crash, and rates new checkpoints. Writes ladder.json, which the report draws,\n"
      "and points 'best' at the checkpoint whose interval has the highest lower end: best:RUN.\n"
      "Exit codes: 0 done or stopped, 1 failed, 2 bad usage or input.");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
