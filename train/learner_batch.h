// SPDX-License-Identifier: GPL-3.0-or-later
//
// A batch of samples as tensors; for the learner alone.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "env/random.h"
#include "train/config.h"
#include "train/replay_window.h"
#include "train/replayed_game.h"

namespace khanzero {

struct LearnerBatch {
  torch::Tensor planes;        // [B, planes, ranks, files], channels last
  torch::Tensor move_indices;  // [B, most moves], policy indices of the legal moves, then padding
  torch::Tensor move_padding;  // [B, most moves], true where there is no move
  torch::Tensor policy;        // [B, most moves], the target; 0 on padding
  torch::Tensor wdl;           // [B, 3], the target
  torch::Tensor value_weight;  // [B], 0 where the value is not trained on

  int64_t size() const { return planes.size(0); }
};

// The value target mixes the game's result with the search's root value. A game that was cut off
// counts as a draw or not at all, as the run is configured.
LearnerBatch MakeLearnerBatch(const Replayer& replayer, const std::vector<SampleRef>& samples,
                              const LearnerSettings& settings, Random& random);

}  // namespace khanzero
