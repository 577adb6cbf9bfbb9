// SPDX-License-Identifier: GPL-3.0-or-later
//
// A checkpoint: a folder with
//   checkpoint.json         what it is, and size and checksum of every other file
//   weights.safetensors     parameters and buffers of the network, as trained
//   activation_ranges.json  what int8 is planned from, once there were positions to see it on
//   further files           bytes the learner hands in (optimiser, random streams, counters)
// It is written aside and renamed into place, and every file is verified before it is used. No
// LibTorch here.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "model/checkpoint_info.h"

namespace khanzero {

struct FoldedNetwork;

using ExtraFiles = std::map<std::string, std::string>;  // file name -> bytes

inline constexpr const char* kWeightsFile = "weights.safetensors";

// Writes the folder `path`, durably, replacing a checkpoint that is there; its parent folders are
// made. `files` are all but checkpoint.json, under plain names. Throws InputError when `path` is
// something other than a checkpoint or an empty folder, RuntimeFailure when writing fails (then
// what was at `path` is as before).
void WriteCheckpointFiles(const std::filesystem::path& path, const CheckpointInfo& info,
                          const ExtraFiles& files);

// What the checkpoint says of itself; reads checkpoint.json only. Throws InputError when there is
// no checkpoint at `path`, or its description is damaged or of a newer format.
CheckpointInfo ReadCheckpointInfo(const std::filesystem::path& path);

struct CheckpointFiles {
  CheckpointInfo info;
  ExtraFiles files;
};

// Every file, verified. Throws InputError as ReadCheckpointInfo does, and for a missing, truncated
// or altered file; and, when `expected` is given, for a checkpoint of another game, rules version,
// encoding version or shape, naming both sides.
CheckpointFiles ReadCheckpointFiles(const std::filesystem::path& path, const GameInfo* expected);

// The network alone, folded for inference. Throws InputError likewise.
std::shared_ptr<const FoldedNetwork> LoadCheckpointNetwork(const std::filesystem::path& path,
                                                           const GameInfo* expected);

}  // namespace khanzero
