// SPDX-License-Identifier: GPL-3.0-or-later
//
// Making evaluators, for code that must not know LibTorch. Networks come from load_network.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "mcts/evaluator.h"
#include "model/load_network.h"
#include "model/settings.h"

namespace khanzero {

struct FoldedNetwork;

// An evaluator of `network` on the device and in the precision that `settings` ask for; "auto" is
// resolved by what the machine has; int8 is taken by itself only for a calibrated network.
// Evaluators share `network` and nothing else: make one for each thread. On the CPU, Evaluate()
// leaves its calling thread with one OpenMP thread, so also with one of LibTorch's (see
// SetTorchThreads). Throws InputError for a device or precision this machine has not.
std::unique_ptr<Evaluator> MakeEvaluator(std::shared_ptr<const FoldedNetwork> network,
                                         const InferenceSettings& settings);

// Whether MakeEvaluator(..., settings) computes in int8 once the network is calibrated. Throws
// InputError as MakeEvaluator does.
bool NeedsCalibration(const InferenceSettings& settings);

// Evaluates `planes` ([position][square][plane]) in fp32 and returns a copy of `network` that knows
// the ranges of its activations. Leaves the calling thread with one OpenMP thread. REQUIRES: at
// least one position.
std::shared_ptr<const FoldedNetwork> Calibrate(const FoldedNetwork& network,
                                               std::span<const float> planes);

// What MakeEvaluator(..., settings) runs on, for a calibrated network.
struct InferenceFacts {
  std::string device = {};       // "cpu", "cuda:0"
  std::string precision = {};    // "int8", "bf16", "fp16", "fp32"
  std::string computed_by = {};  // "oneDNN 2.6.3", "LibTorch 1.13.1 with oneDNN, BLAS OpenBLAS ..."
  std::string cpu_isa = {};      // "AVX2 AVX-512 VNNI bf16"
  int good_batch = 256;          // positions at once; with more it is not faster
};
// Throws InputError as MakeEvaluator does.
InferenceFacts DescribeInference(const InferenceSettings& settings);
// "cpu, int8, by oneDNN 2.6.3, processor with AVX2 AVX-512 VNNI bf16"
std::string Text(const InferenceFacts& facts);

}  // namespace khanzero
