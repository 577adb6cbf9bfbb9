// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run that goes on from another: with its weights, grown where the configuration asks for a
// larger network, and its games. Everything is counted on (steps, games, hours, metrics), so that
// curves and budgets say what the agent has cost in all; where it came from is kept in every
// checkpoint (CheckpointInfo::origin) and said in the log.
//
// An exported network has weights alone, so a run that goes on from one counts from nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/config.h"

namespace khanzero {

// What `text` means: a checkpoint's folder, latest:RUN, best:RUN, a run's folder for its newest, or
// a file. Throws InputError when a run has no checkpoint.
std::filesystem::path FindTrainedCheckpoint(const std::string& text);

// The configuration that a checkpoint was made with, under `overrides`. Throws InputError.
Config ConfigOfCheckpoint(const std::filesystem::path& checkpoint,
                          const std::vector<std::string>& overrides);

// Whether `path` is a file, so no checkpoint.
bool IsExport(const std::filesystem::path& path);

// Makes the folder `run` for a run with `config` that goes on from `checkpoint`: a first
// checkpoint, and the games and metrics of the checkpoint's run where it lies in one. A file of
// 'khanzero export --format safetensors' does as well. Does nothing where that was done before.
// Throws InputError when `run` is there and was not begun from that run; when the checkpoint is of
// another game, rules, encoding or King's Landing, has no training state, or has a network that
// cannot grow into that of `config`. RuntimeFailure when something outside fails.
void BeginRunFrom(const std::filesystem::path& checkpoint, const std::filesystem::path& run,
                  const Config& config);

}  // namespace khanzero
