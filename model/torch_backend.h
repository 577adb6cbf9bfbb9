// SPDX-License-Identifier: GPL-3.0-or-later
//
// What inference has of LibTorch. Two libraries define these functions: khanzero_torch_backend, and
// khanzero_no_torch for programs that must start at once (LibTorch takes 0.3 s to load), where
// there is no GPU and the rest throws InputError.
#pragma once

#include <memory>

#include "mcts/evaluator.h"
#include "model/inference.h"

namespace khanzero {

// Whether LibTorch finds a GPU that it can use.
bool TorchHasGpu();

// As MakeEvaluator and DescribeInference, on LibTorch.
std::unique_ptr<Evaluator> MakeTorchEvaluator(std::shared_ptr<const FoldedNetwork> network,
                                              const InferenceSettings& settings);
InferenceFacts DescribeTorch(const InferenceSettings& settings);

}  // namespace khanzero
