// SPDX-License-Identifier: GPL-3.0-or-later
//
// Batch norm of a batch that several learners share: each has its part, and the statistics are
// those of the whole (Ioffe & Szegedy 2015, over all parts). To rounding it is what one learner
// computes that has the whole batch.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <utility>

namespace khanzero {

// Sums a tensor over all learners, in place. All of them call it equally often, in the same order.
struct SumOverLearners : torch::CustomClassHolder {
  explicit SumOverLearners(std::function<void(torch::Tensor&)> function)
      : sum(std::move(function)) {}

  std::function<void(torch::Tensor&)> sum;
};

// `norm` of `x` [B, channels, ranks, files] in training: running statistics move as norm->forward()
// moves them. The gradients of its scale and shift are those of this learner's part alone, to be
// summed like all others. `learners` must outlive the backward pass. Throws what its sum throws.
torch::Tensor SharedBatchNorm(torch::nn::BatchNorm2dImpl& norm, const torch::Tensor& x,
                              const c10::intrusive_ptr<SumOverLearners>& learners);

}  // namespace khanzero
