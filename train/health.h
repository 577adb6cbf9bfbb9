// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether a run is well: how far the search is from the network on positions that never change, and
// alarms in words for figures that left their range.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mcts/evaluator.h"
#include "train/config.h"
#include "train/cycle_metrics.h"

namespace khanzero {

// Searches the same positions with each network that is given to it.
class SearchProbe {
 public:
  virtual ~SearchProbe() = default;
  // The means over the positions, with the search of self-play but without its noise.
  virtual SearchGap Measure(Evaluator& evaluator) const = 0;
};

// `positions` positions of random games from `seed`, none of them over. Throws InputError for an
// unknown game.
std::unique_ptr<SearchProbe> MakeSearchProbe(const Config& config, int positions, uint64_t seed);

// What is wrong with a cycle, each in a sentence that says what to look at. Empty when all is well.
std::vector<std::string> AlarmsOf(const CycleMetrics& metrics, const Config& config);

}  // namespace khanzero
