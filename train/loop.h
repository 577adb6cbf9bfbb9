// SPDX-License-Identifier: GPL-3.0-or-later
//
// The loop: self-play, learning, a checkpoint, a short match, and again.
//
//   until the budget is spent or someone stops it:
//     play    games with the newest network go into the replay store as they end
//     learn   as many steps as the new positions are worth
//     save    a checkpoint with everything that training needs to go on
//     measure a short match against the baselines; a line of metrics
//
// Started again on the same folder it goes on from the newest checkpoint and the stored games: what
// a killed process loses are the games in play and the steps since the last checkpoint.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "play/match.h"
#include "train/actor_hub.h"
#include "train/config.h"
#include "train/learner_place.h"

namespace khanzero {

struct TrainOptions {
  Config config;
  std::filesystem::path run;
  std::FILE* out = stdout;               // progress
  std::stop_source stop;                 // ends the run cleanly, with a checkpoint
  std::optional<LearnerPlace> learners;  // where several share each step
  ListenOptions listen;                  // to actors on other machines
};

struct TrainSummary {
  bool stopped = false;  // by the stop token, before the budget was spent
  int64_t games = 0;
  int64_t positions = 0;
  int64_t step = 0;
  double hours = 0.0;
  std::filesystem::path checkpoint;
  std::optional<MatchResult> final_match;  // against random
};

// Runs the loop in a run's folder, which is made when it is not there. Throws InputError when
// another process trains there, when the folder is of another game, network or seed than the
// configuration, or is damaged; RuntimeFailure when something outside fails (a full disk, another
// learner).
TrainSummary RunTraining(const TrainOptions& options);

}  // namespace khanzero
