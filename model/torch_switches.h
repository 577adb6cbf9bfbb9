// SPDX-License-Identifier: GPL-3.0-or-later
//
// The process-wide switches of LibTorch, and new networks.
#pragma once

#include <cstdint>
#include <memory>

#include "env/game_info.h"
#include "model/settings.h"

namespace khanzero {

struct FoldedNetwork;

// A network with random weights from `seed`: what training begins from.
std::shared_ptr<const FoldedNetwork> MakeRandomNetwork(const EncodingShape& shape,
                                                       const NetworkSettings& settings,
                                                       uint64_t seed);

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
