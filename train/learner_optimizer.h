// SPDX-License-Identifier: GPL-3.0-or-later
//
// Making optimisers and their learning rates; for the learner alone.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "model/network.h"
#include "train/config.h"

namespace khanzero {

// Weights of convolutions and linear layers decay; norms and biases do not.
std::unique_ptr<torch::optim::Optimizer> MakeOptimizer(const LearnerSettings& settings,
                                                       NetworkImpl& network);

void SetLearningRate(torch::optim::Optimizer& optimizer, double rate);

// Rises over the warm-up, then falls with the run's progress 0..1 as the schedule says.
double LearningRate(const LearnerSettings& settings, int64_t step, double progress);

}  // namespace khanzero
