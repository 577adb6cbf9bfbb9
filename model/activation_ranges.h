// SPDX-License-Identifier: GPL-3.0-or-later
//
// FoldedNetwork::activation_ranges as a file of a checkpoint: JSON, for each layer by name the
// largest output of each channel.
#pragma once

#include <string>

#include "model/folded_network.h"

namespace khanzero {

inline constexpr const char* kActivationRangesFile = "activation_ranges.json";

// REQUIRES: network.calibrated().
std::string SerializeActivationRanges(const FoldedNetwork& network);

// Sets network.activation_ranges. Throws InputError, naming `source`, where the text is damaged or
// of another network.
void ParseActivationRanges(const std::string& text, const std::string& source,
                           FoldedNetwork& network);

}  // namespace khanzero
