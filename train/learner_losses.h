// SPDX-License-Identifier: GPL-3.0-or-later
//
// The losses of the network's heads; for the learner alone.
#pragma once

#include <torch/torch.h>

#include "model/network.h"
#include "train/learner.h"
#include "train/learner_batch.h"

namespace khanzero {

struct Losses {
  torch::Tensor total;  // of the heads, each with its weight
  // Scalars. Those of the auxiliary heads are not defined when the output has none.
  torch::Tensor policy;      // cross-entropy over the legal moves; illegal ones get no gradient
  torch::Tensor value;       // cross-entropy of win, draw and loss
  torch::Tensor reply;       // as policy, of the opponent's next move (Wu 2019)
  torch::Tensor survival;    // binary cross-entropy over the squares with a piece
  torch::Tensor moves_left;  // Huber
  torch::Tensor entropy;     // of the network's policy
  torch::Tensor log_policy;  // [B, most moves], over the legal moves
};

// Means over the whole batch (batch.totals): where learners share it, the sums over all of them are
// the losses.
Losses ComputeLosses(const NetworkOutput& output, const LearnerBatch& batch,
                     const LearnerSettings& settings);

// The same as numbers.
HeadLosses ToNumbers(const Losses& losses);

// Whether a head that only helps training is asked for.
Heads HeadsFor(const LearnerSettings& settings);

}  // namespace khanzero
