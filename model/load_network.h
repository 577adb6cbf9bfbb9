// SPDX-License-Identifier: GPL-3.0-or-later
//
// Networks for play, from a checkpoint's folder or from a safetensors export. No LibTorch here, and
// none is used for an export.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "model/checkpoint_info.h"

namespace khanzero {

struct FoldedNetwork;

// The network of a checkpoint's folder or of a file of 'khanzero export --format safetensors'.
// Throws InputError for anything else, for what is damaged (numbers that are not finite are), and,
// when `expected` is given, for a network of another game, rules version, encoding version or
// shape, naming both sides.
std::shared_ptr<const FoldedNetwork> LoadFoldedNetwork(const std::string& path,
                                                       const GameInfo* expected);

// What it says of itself; reads the description only. Of an export the configuration is empty.
// Throws InputError likewise.
CheckpointInfo ReadNetworkInfo(const std::filesystem::path& path);

}  // namespace khanzero
