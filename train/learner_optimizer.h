// SPDX-License-Identifier: GPL-3.0-or-later
//
// Making optimisers and their learning rates; for the learner alone.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>

#include "model/network.h"
#include "train/config.h"

namespace khanzero {

// Weights of convolutions and linear layers decay; norms and biases do not.
std::unique_ptr<torch::optim::Optimizer> MakeOptimizer(const LearnerSettings& settings,
                                                       NetworkImpl& network);

// Its state as bytes, and back. RestoreOptimizer throws c10::Error for the state of another kind.
std::string SerializeOptimizer(const torch::optim::Optimizer& optimizer);
void RestoreOptimizer(torch::optim::Optimizer& optimizer, const std::string& bytes);

// The state for the parameters of `grown`, from the state `bytes` for those of `network`: what is
// known of parameters of the same name and size is kept, the others begin anew. All do when the
// state is of another kind of optimiser than the settings ask for.
std::string GrownOptimizer(const LearnerSettings& settings, NetworkImpl& network,
                           const std::string& bytes, NetworkImpl& grown);

void SetLearningRate(torch::optim::Optimizer& optimizer, double rate);

// Rises over the warm-up, then falls with the run's progress 0..1 as the schedule says.
double LearningRate(const LearnerSettings& settings, int64_t step, double progress);

}  // namespace khanzero
