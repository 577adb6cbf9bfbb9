// SPDX-License-Identifier: GPL-3.0-or-later
//
// How far a run is, and what follows from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "train/config.h"

namespace khanzero {

// What a run has spent: games of self-play and hours of work.
struct RunSpent {
  int64_t games = 0;
  double hours = 0.0;
};

// The share of the budget that is spent, 0..1; 0 when the run has no end.
double ProgressOf(const LoopSettings& loop, const RunSpent& spent);

// Hours until the budget is spent, as things go; nothing when the run has no end, or nothing is
// spent yet.
std::optional<double> HoursLeft(const LoopSettings& loop, const RunSpent& spent);

// Simulations of a full search of self-play (progressive simulations): they grow from
// selfplay.simulations_start to search.simulations, by equal factors in equal shares of
// selfplay.simulations_grow_games, or of the run's budget where that is 0.
int SimulationsAt(const Config& config, const RunSpent& spent);

// The hours of training that the loop noted with a checkpoint; nothing when it did not. Throws
// InputError when the note is damaged.
std::optional<double> HoursOf(const std::filesystem::path& checkpoint);

}  // namespace khanzero
