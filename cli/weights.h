// SPDX-License-Identifier: GPL-3.0-or-later
//
// How commands name a network: a checkpoint's folder, an exported file, or the newest or the best
// checkpoint of a run.
#pragma once

#include <filesystem>
#include <string>

#include "play/default_weights.h"

namespace khanzero {

inline constexpr const char* kWeightsHelp =
    "A checkpoint's folder, an export in safetensors format, or latest:RUN or best:RUN for the "
    "newest or best checkpoint of a run's folder";

// Throws InputError for a run without a checkpoint. Whether the path is a checkpoint or an export
// is seen when it is read.
inline std::filesystem::path FindCheckpoint(const std::string& text) { return FindWeights(text); }

// A network that a command plays with, and its game.
struct ChosenNetwork {
  std::filesystem::path path;
  std::string game;
};

// The network that `weights` names, or, where that is empty, the one for `game` that comes with the
// program. `game` is the network's own where it is empty. Throws InputError when there is none;
// that game and network belong together is seen when it is loaded.
ChosenNetwork ChooseNetwork(const std::string& weights, const std::string& game);

}  // namespace khanzero
