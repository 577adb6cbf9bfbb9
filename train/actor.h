// SPDX-License-Identifier: GPL-3.0-or-later
//
// Self-play for a run that another process trains: plays with the run's newest checkpoint, puts
// the games into its store, and takes each new checkpoint as it comes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "train/config.h"

namespace khanzero {

struct ActorOptions {
  Config config;  // the run's own, workers and batch perhaps another
  std::filesystem::path run;
  int64_t games = 0;  // to play; 0: no such end
  std::stop_token stop;
  std::function<void(const std::string&)> say;  // a line for each checkpoint, and now and then
};

struct ActorSummary {
  int64_t games = 0;
  int64_t positions = 0;
};

// Throws InputError when the folder is no run or has no checkpoint yet.
ActorSummary RunActor(const ActorOptions& options);

}  // namespace khanzero
