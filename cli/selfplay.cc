// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero selfplay: more hands for a run that is being trained, on the same machine or on others.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/signals.h"
#include "env/error.h"
#include "train/actor.h"
#include "train/folder_link.h"
#include "train/redis_link.h"
#include "train/run_folder.h"

namespace khanzero {

namespace {

constexpr int64_t kMib = int64_t{1} << 20;

struct SelfPlayCommand {
  std::string run;
  std::string connect;
  std::vector<std::string> settings;
  std::string spool;
  int64_t spool_mib = 256;
  std::string sent_log;
  int64_t games = 0;
  bool json = false;
};

void Say(const std::string& text) { fmt::print(stderr, "{}\n", text); }

// None when it was stopped before there was a run.
std::unique_ptr<ActorLink> OpenLink(const SelfPlayCommand& command, const std::stop_token& stop) {
  if (command.connect.empty()) {
    return OpenFolderLink(command.run, ReadRunConfig(command.run, command.settings));
  }
  return OpenRedisLink({.url = command.connect,
                        .settings = command.settings,
                        .spool = command.spool,
                        .spool_bytes = command.spool_mib * kMib,
                        .sent_log = command.sent_log,
                        .stop = stop,
                        .say = Say});
}

void Run(const SelfPlayCommand& command) {
  if (command.run.empty() == command.connect.empty()) {
    throw InputError(
        "selfplay needs --run DIR of a run on this machine, or --connect URL of a "
        "Redis server that a learner listens at (train --listen)");
  }
  const StopOnSignals signals;
  const std::unique_ptr<ActorLink> link = OpenLink(command, signals.token());
  ActorSummary summary;
  if (link) {
    summary = RunActor(*link, {.games = command.games, .stop = signals.token(), .say = Say});
  }
  if (command.json) {
    std::cout << nlohmann::ordered_json{{"games", summary.games}, {"positions", summary.positions}}
              << "\n";
  } else {
    fmt::print("Played {} games, {} positions\n", summary.games, summary.positions);
  }
}

void AddConnectOptions(CLI::App& sub, SelfPlayCommand& command) {
  CLI::Option* const connect =
      sub.add_option("--connect", command.connect,
                     "A Redis server where a learner listens (train --listen): "
                     "redis://[USER@]HOST[:PORT][/DATABASE] or unix:///PATH[?db=DATABASE]. The "
                     "password is read from KHANZERO_REDIS_PASSWORD")
          ->type_name("URL")
          ->excludes("--run");
  sub.add_option("--spool", command.spool,
                 "With --connect: a folder that keeps finished games until they are delivered, "
                 "whatever happens to this process; without it they are in memory")
      ->type_name("DIR")
      ->needs(connect);
  sub.add_option("--spool-limit", command.spool_mib,
                 "With --connect: with so many MiB of games undelivered no more are played")
      ->type_name("MIB")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str()
      ->needs(connect);
  sub.add_option("--log-sent", command.sent_log,
                 "With --connect: append the id of each delivered game to a file")
      ->type_name("FILE")
      ->needs(connect);
}

}  // namespace

void AddSelfPlay(CLI::App& app) {
  const auto command = std::make_shared<SelfPlayCommand>();
  CLI::App* const sub =
      app.add_subcommand("selfplay", "Play games for a run that another process trains");
  sub->add_option("--run", command->run, "The run's folder; it has a checkpoint already")
      ->type_name("DIR");
  AddConnectOptions(*sub, *command);
  sub->add_option("--games", command->games, "End after this many games; 0: until it is stopped")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40));
  sub->add_option("--set", command->settings,
                  "Change one key of the run's configuration for this process, for example "
                  "selfplay.workers=1; may be given several times")
      ->type_name("KEY=VALUE");
  sub->add_flag("--json", command->json, "Print the result as one JSON object on stdout");
  sub->footer(
      "Any number of these may run beside one `train`: on the same folder (--run), or on other\n"
      "machines through Redis (--connect; docs/cluster.md). Each new network is taken within\n"
      "seconds. `train` counts their games as its own. Ctrl-C ends it.\n"
      "Exit codes: 0 done or stopped, 1 failed, 2 bad usage or input.");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
