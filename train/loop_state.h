// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the loop keeps with a checkpoint besides what the learner does, so that it goes on from
// there, and the configuration that it runs with.
#pragma once

#include <cstdint>
#include <string>

#include "train/config.h"

namespace khanzero {

struct LoopState {
  int64_t cycle = 0;
  double hours = 0.0;           // of work
  int64_t trained_samples = 0;  // since the run began
  std::string last_match = {};  // for people
};

// As JSON, and back. Throws InputError that names the `checkpoint`.
std::string ToText(const LoopState& state);
LoopState ParseLoopState(const std::string& text, const std::string& checkpoint);

// A deterministic run has one worker and one thread, and nothing in it may depend on the clock.
// Throws InputError for a configuration that asks for both.
Config LoopConfig(Config config);

}  // namespace khanzero
