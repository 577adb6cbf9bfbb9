// SPDX-License-Identifier: GPL-3.0-or-later
//
// Figures of a replay store: sizes, lengths, results, targets, openings.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "train/config.h"
#include "train/data_tally.h"
#include "train/replay_store.h"

namespace khanzero {

inline constexpr int kOpeningPlies = 6;

struct DataStats {
  GameTally tally;
  int64_t record_bytes = 0;
  PrunedTotals pruned;
  int64_t unreadable = 0;  // records that are left out of all this
  int64_t validation_games = 0;
  int64_t validation_positions = 0;

  std::map<int, int64_t> lengths;  // games by plies
  double mean_length = 0.0;
  int median_length = 0;
  int longest = 0;

  std::map<int, int64_t> target_entries;  // positions that have one by entries of the target
  double mean_target_entropy = 0.0;       // in nats

  int64_t openings = 0;         // games that have kOpeningPlies plies
  int64_t unique_openings = 0;  // different first kOpeningPlies moves among them

  std::vector<StepRange> steps;  // by network step
};

// Reads every record; damaged ones are counted and left out.
DataStats ComputeDataStats(const ReplayStore& store, const Config& config,
                           const DataProgress& progress);

// The same counts in ranges 1, 2, 3-4, 5-8, ...: the upper end of each range and its count.
std::map<int, int64_t> ByPowersOfTwo(const std::map<int, int64_t>& counts);

}  // namespace khanzero
