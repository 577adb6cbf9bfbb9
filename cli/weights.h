// SPDX-License-Identifier: GPL-3.0-or-later
//
// How commands name a network: a checkpoint's folder, an exported file, or the newest or the best
// checkpoint of a run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "play/player_spec.h"

namespace khanzero {

inline constexpr const char* kWeightsHelp =
    "A checkpoint's folder, an export in safetensors format, or latest:RUN or best:RUN for the "
    "newest "
    "or best checkpoint of a run's folder";

// Throws InputError for a run without a checkpoint. Whether the path is a checkpoint or an export
// is seen when it is read.
inline std::filesystem::path FindCheckpoint(const std::string& text) {
  constexpr std::string_view kLatest = "latest:";
  constexpr std::string_view kBest = "best:";
  if (text.starts_with(kLatest)) return LatestCheckpoint(text.substr(kLatest.size()));
  if (text.starts_with(kBest)) return BestCheckpoint(text.substr(kBest.size()));
  return text;
}

}  // namespace khanzero
