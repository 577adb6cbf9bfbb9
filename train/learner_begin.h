// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run that goes on from another: with its weights, grown where the configuration asks for a
// larger network, and its games. Everything is counted on (steps, games, hours, metrics), so that
// curves and budgets say what the agent has cost in all; where it came from is kept in every
// checkpoint (CheckpointInfo::origin) and said in the log.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/config.h"

namespace khanzero {

// The checkpoint that `text` means: a checkpoint's folder, latest:RUN, best:RUN, or a run's folder
// for its newest. Throws InputError when there is none.
std::filesystem::path FindTrainedCheckpoint(const std::string& text);

// The configuration that a checkpoint was made with, under `overrides`. Throws InputError.
Config ConfigOfCheckpoint(const std::filesystem::path& checkpoint,
                          const std::vector<std::string>& overrides);

// Makes the folder `run` for a run with `config` that goes on from `checkpoint`: a first
// checkpoint, and the games and metrics of the checkpoint's run where it lies in one. Does nothing
// where that was done before. Throws InputError when `run` is there and was not begun from that
// run; when the checkpoint is of another game, rules, encoding or King's Landing, has no training
// state, or has a network that cannot grow into that of `config`. RuntimeFailure when something
// outside fails.
void BeginRunFrom(const std::filesystem::path& checkpoint, const std::filesystem::path& run,
                  const Config& config);

}  // namespace khanzero
