// SPDX-License-Identifier: GPL-3.0-or-later
//
// The ladder inside the loop: the newest checkpoint is rated against those before it.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "train/cycle_metrics.h"
#include "train/run_folder.h"

namespace khanzero {

struct CycleLadder {
  const RunFolder& run;
  const Config& config;
  std::string checkpoint;  // the newest one's name
  std::stop_token stop;
  std::function<void()> on_game;
  std::function<void(const std::string&)> say;
};

// Plays until evaluation.ladder_error or ladder_games is reached. It reads checkpoints and nothing
// else of the training, so that a run is the same with it and without. Nothing when the checkpoint
// got no rating, or when the ladder could not begin (another process rates the run): that is said,
// and is no reason to stop training. Throws RuntimeFailure when something outside fails.
std::optional<LadderStanding> RateNewest(const CycleLadder& cycle);

}  // namespace khanzero
