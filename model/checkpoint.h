// SPDX-License-Identifier: GPL-3.0-or-later
//
// A checkpoint: a folder with
//   checkpoint.json      what it is, and size and checksum of every other file
//   weights.safetensors  parameters and buffers of the network, as trained
//   further files        bytes the learner hands in (optimiser, random streams, counters)
// It is written aside and renamed into place, and every file is verified before it is used. No
// LibTorch here: networks pass as NetworkImpl, which model/network.h defines; Network(impl) holds
// one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/checkpoint_info.h"

namespace khanzero {

class NetworkImpl;
struct FoldedNetwork;

using ExtraFiles = std::map<std::string, std::string>;  // file name -> bytes

struct Checkpoint {
  CheckpointInfo info;
  std::shared_ptr<NetworkImpl> network;
  ExtraFiles extra;
};

// Writes the folder `path`, durably, replacing a checkpoint that is there; its parent folders are
// made. `network` must be of info.game.shape and info.network. Names in `extra` are plain file
// names. Throws InputError when `path` is something other than a checkpoint or an empty folder,
// RuntimeFailure when writing fails (then what was at `path` is as before).
void SaveCheckpoint(const std::filesystem::path& path, const CheckpointInfo& info,
                    const NetworkImpl& network, const ExtraFiles& extra = {});

// What the checkpoint says of itself; reads checkpoint.json only. Throws InputError when there is
// no checkpoint at `path`, or its description is damaged or of a newer format.
CheckpointInfo ReadCheckpointInfo(const std::filesystem::path& path);

// The network, with every file verified. Throws InputError as ReadCheckpointInfo does, and for
// a missing, truncated or altered file; and, when `expected` is given, for a checkpoint of another
// game, rules version, encoding version or shape, naming both sides.
Checkpoint LoadCheckpoint(const std::filesystem::path& path, const GameInfo* expected);

// The network alone, folded for inference. Throws InputError likewise.
std::shared_ptr<const FoldedNetwork> LoadCheckpointNetwork(const std::filesystem::path& path,
                                                           const GameInfo* expected);

// Parameters and buffers of a network as a safetensors file, and back. RestoreWeights throws
// InputError naming `source` for a missing, additional or misshapen array; the network is then as
// before. Arrays of the auxiliary heads may be missing: these then stay as they are.
std::string SerializeWeights(const NetworkImpl& network);
void RestoreWeights(NetworkImpl& network, const std::string& bytes, const std::string& source);

}  // namespace khanzero
