// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero selfplay: more hands for a run that is being trained.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/signals.h"
#include "train/actor.h"
#include "train/run_folder.h"

namespace khanzero {

namespace {

struct SelfPlayCommand {
  std::string run;
  std::vector<std::string> settings;
  int64_t games = 0;
  bool json = false;
};

void Run(const SelfPlayCommand& command) {
  const StopOnSignals signals;
  const ActorSummary summary =
      RunActor({.config = ReadRunConfig(command.run, command.settings),
                .run = command.run,
                .games = command.games,
                .stop = signals.token(),
                .say = [](const std::string& text) { fmt::print(stderr, "{}\n", text); }});
  if (command.json) {
    std::cout << nlohmann::ordered_json{{"games", summary.games}, {"positions", summary.positions}}
              << "\n";
  } else {
    fmt::print("Played {} games, {} positions\n", summary.games, summary.positions);
  }
}

}  // namespace

void AddSelfPlay(CLI::App& app) {
  const auto command = std::make_shared<SelfPlayCommand>();
  CLI::App* const sub =
      app.add_subcommand("selfplay", "Play games for a run that another process trains");
  sub->add_option("--run", command->run, "The run's folder; it has a checkpoint already")
      ->required()
      ->type_name("DIR");
  sub->add_option("--games", command->games, "End after this many games; 0: until it is stopped")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40));
  sub->add_option("--set", command->settings,
                  "Change one key of the run's configuration for this process, for example "
                  "selfplay.workers=1; may be given several times")
      ->type_name("KEY=VALUE");
  sub->add_flag("--json", command->json, "Print the result as one JSON object on stdout");
  sub->footer(
      "Any number of these may run beside one `train`, on the same folder. Games that ended are "
      "in\n"
      "the store whatever happens next; each new checkpoint is taken within seconds. `train` "
      "counts\n"
      "their games as its own. Ctrl-C ends it.\n"
      "Exit codes: 0 done or stopped, 1 failed, 2 bad usage or input.");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
