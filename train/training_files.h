// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files of a checkpoint that training needs to go on, beside its weights (see docs/formats.md).
#pragma once

namespace khanzero {

inline constexpr const char* kOptimizerFile = "optimizer.pt";
inline constexpr const char* kTrainedFile = "trained.safetensors";
inline constexpr const char* kLearnerFile = "learner.json";
inline constexpr const char* kLoopFile = "loop.json";

}  // namespace khanzero
