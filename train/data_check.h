// SPDX-License-Identifier: GPL-3.0-or-later
//
// Looks through a replay store for damage and for signs of faults in what made it: every record is
// read, replayed against the rules, and turned into the samples that the learner would see.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/config.h"
#include "train/data_tally.h"
#include "train/replay_store.h"

namespace khanzero {

struct DataProblem {
  int64_t sequence = 0;
  std::string what;
};

struct DataCheckReport {
  static constexpr size_t kListed = 20;

  int64_t rows = 0;
  int64_t damaged = 0;                     // rows with something wrong
  std::vector<DataProblem> problems;       // the first kListed of them
  std::vector<std::string> file_problems;  // of the file, or of the games taken together

  GameTally good;  // rows without fault

  // Games with the moves of an earlier one. Short ones come again by chance, and so may long ones
  // of a network that has settled; a copy, targets and all, is damage.
  int64_t repeated_short = 0;
  int64_t repeated_long = 0;

  // Root value x result for the mover, on average over the searched positions of decided games:
  // above 0 when searches see what comes, below 0 when a viewpoint is turned around.
  double root_agreement = 0.0;
  int64_t decided_positions = 0;

  // What the learner samples from: the newest games, by network step.
  int64_t window_positions = 0;
  std::vector<StepRange> window;

  bool sound() const { return damaged == 0 && file_problems.empty(); }
};

// Plies up to which a game that comes again is no surprise.
inline constexpr int kShortGamePlies = 16;

// Checks every game that was in the store when it began. A writer may go on meanwhile.
DataCheckReport CheckData(const ReplayStore& store, const Config& config,
                          const DataProgress& progress);

}  // namespace khanzero
