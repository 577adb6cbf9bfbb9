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

// What a policy head should say, over the legal moves alone.
struct MoveTargets {
  torch::Tensor indices;  // [B, most moves], policy indices of the legal moves, then padding
  torch::Tensor padding;  // [B, most moves], true where there is no move
  torch::Tensor policy;   // [B, most moves], the target; 0 on padding
  torch::Tensor weight;   // [B], 0 where there is no target
};

// What the losses are means over: sums of the weights, of the whole batch also where a learner has
// only its share of it.
struct BatchTotals {
  double samples = 0.0;
  double moves = 0.0;
  double value = 0.0;
  double replies = 0.0;
  double survival = 0.0;
  double moves_left = 0.0;
};

struct LearnerBatch {
  torch::Tensor planes;  // [B, planes, ranks, files], channels last
  MoveTargets moves;
  torch::Tensor wdl;           // [B, 3], the target
  torch::Tensor value_weight;  // [B], 0 where the value is not trained on

  // With Targets::kAll only.
  MoveTargets replies;
  torch::Tensor survival;           // [B, squares], 1 where the piece lasts
  torch::Tensor survival_weight;    // [B, squares], 0 where there is no piece or no end is known
  torch::Tensor moves_left;         // [B], in units of kMovesLeftUnit
  torch::Tensor moves_left_weight;  // [B], 0 where the game was cut off

  BatchTotals totals;

  int64_t size() const { return planes.size(0); }
};

// The value target mixes the game's result with the search's root value. A game that was cut off
// counts as a draw or not at all, as the run is configured; which pieces last and how long it
// takes is not known of it.
LearnerBatch MakeLearnerBatch(const Replayer& replayer, const std::vector<SampleRef>& samples,
                              const LearnerSettings& settings, Targets targets, Random& random);

}  // namespace khanzero
