// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero config: the effective configuration, each key with its meaning, limits and default.
#include "train/config.h"

#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/config_options.h"

namespace khanzero {

void AddConfig(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "config", "Print the configuration, every key with its meaning, limits and default");
  const auto options = std::make_shared<ConfigOptions>();
  AddConfigOptions(*command, *options);
  command->callback([options] { std::cout << ToYaml(ReadConfig(*options)); });
}

}  // namespace khanzero
