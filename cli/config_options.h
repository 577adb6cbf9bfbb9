// SPDX-License-Identifier: GPL-3.0-or-later
//
// --config and --set, the same for every command that takes a configuration.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "train/config.h"

namespace khanzero {

struct ConfigOptions {
  std::string path;  // empty: the defaults
  std::vector<std::string> settings;
};

// Adds both options to `command` and returns --config. `options` must outlive the parsing.
inline CLI::Option* AddConfigOptions(CLI::App& command, ConfigOptions& options) {
  CLI::Option* const config = command.add_option(
      "--config", options.path, "Configuration in YAML; 'khanzero config' lists every key");
  config->type_name("FILE");
  command
      .add_option("--set", options.settings,
                  "Change one key, for example search.simulations=16; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  return config;
}

// The configuration that the options name. Throws InputError as LoadConfig does.
inline Config ReadConfig(const ConfigOptions& options) {
  return options.path.empty() ? ParseConfig("", "the defaults", options.settings)
                              : LoadConfig(options.path, options.settings);
}

}  // namespace khanzero
