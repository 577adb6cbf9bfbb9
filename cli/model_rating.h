// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a run's ladder says of one of its checkpoints.
#pragma once

#include <filesystem>
#include <optional>

#include "model/model_description.h"

namespace khanzero {

// The rating of RUN/checkpoints/NAME in RUN/ladder.json; nothing where the checkpoint is in no run,
// was never rated, or the file cannot be read.
std::optional<ModelRating> RatingOfCheckpoint(const std::filesystem::path& checkpoint);

}  // namespace khanzero
