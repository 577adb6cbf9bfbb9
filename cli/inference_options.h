// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options that say what computes a network.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/choices.h"
#include "model/settings.h"

namespace khanzero {

// --device and --backend. `settings` lives as long as the command.
inline void AddDeviceOptions(CLI::App& sub, InferenceSettings& settings) {
  sub.add_option("--device", settings.device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  sub.add_option_function<std::string>(
         "--backend",
         [&settings](const std::string& name) {
           settings.backend = ChoiceOf<InferenceBackend>(name, kInferenceBackendNames);
         },
         "What computes the network: onednn (the processor only), torch, or auto: onednn unless "
         "there is a GPU")
      ->check(OneOf(kInferenceBackendNames))
      ->default_str("auto");
}

// These and --precision.
inline void AddInferenceOptions(CLI::App& sub, InferenceSettings& settings) {
  AddDeviceOptions(sub, settings);
  sub.add_option_function<std::string>(
         "--precision",
         [&settings](const std::string& name) {
           settings.precision = ChoiceOf<Precision>(name, kPrecisionNames);
         },
         "Arithmetic of the network (auto: the fastest that this machine has)")
      ->check(OneOf(kPrecisionNames))
      ->default_str("auto");
}

}  // namespace khanzero
