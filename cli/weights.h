// SPDX-License-Identifier: GPL-3.0-or-later
//
// How commands name a network: a checkpoint's folder, or the newest checkpoint of a run.
#pragma once

#include <filesystem>
#include <string>

#include "play/player_spec.h"

namespace khanzero {

inline constexpr const char* kWeightsHelp =
    "A checkpoint's folder, or latest:RUN for the newest checkpoint of a run's folder";

// Throws InputError for a run without a checkpoint. Whether the folder is a checkpoint is seen when
// it is read.
inline std::filesystem::path FindCheckpoint(const std::string& text) {
  constexpr std::string_view kLatest = "latest:";
  if (text.starts_with(kLatest)) return LatestCheckpoint(text.substr(kLatest.size()));
  return text;
}

}  // namespace khanzero
