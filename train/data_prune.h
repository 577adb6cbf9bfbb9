// SPDX-License-Identifier: GPL-3.0-or-later
//
// Deletes the oldest games of a run, so that its store does not grow for ever. What was deleted
// stays counted in the store: budgets, game numbers and the window go on as if it were there.
#pragma once

#include <cstdint>
#include <string>

#include "train/config.h"
#include "train/replay_store.h"
#include "train/run_folder.h"

namespace khanzero {

struct PrunePlan {
  int64_t through = 0;  // games up to this sequence go
  StoreTotals before;
  StoreTotals deleted;
  int64_t window_positions = 0;  // what the learner would take when it goes on
};

struct PruneReport {
  PrunePlan plan;
  int64_t file_bytes_before = 0;
  int64_t file_bytes_after = 0;
  std::string not_compacted{};  // why the file was not made smaller; empty when it was
};

// What keeping the newest `positions` means: whole games stay, so that it may be a few more.
PrunePlan PlanPrune(const ReplayStore& store, const Config& config, int64_t positions);

// Does it, in one transaction, and then gives the room back where there is enough to do so. Holds
// the run's lock; throws InputError when another process does.
PruneReport PruneData(const RunFolder& run, const Config& config, int64_t positions);

}  // namespace khanzero
