// SPDX-License-Identifier: GPL-3.0-or-later
//
// The safetensors export: the folded layers of a network by name ("stem.weight", "stem.bias",
// "blocks.0.first.weight", ...) and its description. No LibTorch: this is how a network is read
// quickly, and by programs of other languages.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "model/folded_network.h"
#include "model/model_description.h"

namespace khanzero {

// The bytes of the file. Numbers too large for fp16 become infinite: whoever writes such a file
// compares its outputs. REQUIRES: network.shape and settings are those of description.info.
std::string SerializeNetwork(const FoldedNetwork& network, const ModelDescription& description);

struct StoredNetwork {
  ModelDescription description;
  std::shared_ptr<const FoldedNetwork> network;  // fp32 always
};

// Reads it back. Throws InputError, naming `source`, for bytes that are not such a file, or whose
// arrays are not those of the network that its description states.
StoredNetwork ParseNetwork(std::string_view bytes, const std::string& source);

// The description alone, from the file's first bytes.
ModelDescription ReadNetworkDescription(const std::filesystem::path& path);

}  // namespace khanzero
