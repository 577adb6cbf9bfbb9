// SPDX-License-Identifier: GPL-3.0-or-later
//
// Making evaluators, for code that must not know LibTorch. Networks come from load_network.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mcts/evaluator.h"
#include "model/load_network.h"
#include "model/settings.h"

namespace khanzero {

struct FoldedNetwork;

// An evaluator of `network` on the device and in the precision that `settings` ask for; "auto" is
// resolved by what the machine has. Evaluators share `network` and nothing else: make one for each
// thread. On the CPU, Evaluate() leaves its calling thread with one intra-op thread (see
// SetTorchThreads). Throws InputError for a device or precision this machine has not.
std::unique_ptr<Evaluator> MakeEvaluator(std::shared_ptr<const FoldedNetwork> network,
                                         const InferenceSettings& settings);

// A network with random weights from `seed`: what training begins from.
std::shared_ptr<const FoldedNetwork> MakeRandomNetwork(const EncodingShape& shape,
                                                       const NetworkSettings& settings,
                                                       uint64_t seed);

// What MakeEvaluator(..., settings) runs on.
struct InferenceFacts {
  std::string device;       // "cpu", "cuda:0 (NVIDIA ...)"
  std::string precision;    // "fp32", "bf16", "fp16"
  std::string convolution;  // "oneDNN", "native", "cuDNN"
  std::string blas;         // "OpenBLAS 0.3.21 ...", "MKL", "unknown (perhaps the reference BLAS)"
  std::string cpu_isa;      // "AVX-512, VNNI, bf16"
  std::string libtorch;     // "1.13.1"
};
// Throws InputError as MakeEvaluator does.
InferenceFacts DescribeInference(const InferenceSettings& settings);
// "cpu, bf16, oneDNN, OpenBLAS 0.3.21 (SkylakeX), AVX-512 VNNI bf16, LibTorch 1.13.1"
std::string Text(const InferenceFacts& facts);

// Intra-op threads of LibTorch's CPU operators for the calling thread, and for threads that have
// not used LibTorch yet. OpenMP keeps the number for each thread, so a learner with several threads
// and self-play workers with one live together; as Evaluate() sets its caller's number to 1, a
// thread that evaluates and trains calls this again before it trains. Calls UseOneBlasThread().
// REQUIRES: threads >= 1.
void SetTorchThreads(int threads);

// OpenBLAS keeps one number of threads for the process, by default all cores, and its idle threads
// spin: a second thread for the value head's small products takes 10 to 20 % from the evaluators of
// the other cores. No large product here passes through a BLAS. MakeEvaluator() calls this; another
// BLAS is left as it is.
void UseOneBlasThread();

// Seeds LibTorch's generators (weights of new networks).
void SeedTorch(uint64_t seed);

}  // namespace khanzero
