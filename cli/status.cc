// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero status: how a run with actors on other machines is doing.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "train/cluster_status.h"

namespace khanzero {

namespace {

struct StatusCommand {
  std::string connect;
  bool json = false;
};

void Run(const StatusCommand& command) {
  RunDatabase database(RedisAddressOf(command.connect));
  const ClusterStatus status = ReadClusterStatus(database);
  if (command.json) {
    std::cout << ToJson(status).dump(-1, ' ', false,
                                     nlohmann::ordered_json::error_handler_t::replace)
              << "\n";
  } else {
    std::cout << ToText(status);
  }
}

}  // namespace

void AddStatus(CLI::App& app) {
  const auto command = std::make_shared<StatusCommand>();
  CLI::App* const sub =
      app.add_subcommand("status", "How a run with actors on other machines is doing");
  sub->add_option("--connect", command->connect,
                  "The Redis server where its learner listens: redis://[USER@]HOST[:PORT]"
                  "[/DATABASE] or unix:///PATH[?db=DATABASE]. The password is read from "
                  "KHANZERO_REDIS_PASSWORD")
      ->required()
      ->type_name("URL");
  sub->add_flag("--json", command->json, "Print all of it as one JSON object");
  sub->footer(
      "Learner, network, actors that were heard of within a minute, and what waits in the stream.\n"
      "Exit codes: 0 done, 1 no server answers, 2 bad usage, or there is no run.");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
