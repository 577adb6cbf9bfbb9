// SPDX-License-Identifier: GPL-3.0-or-later
//
// The ways this machine can compute a network, side by side: how fast each is, and how far from
// LibTorch in fp32.
#pragma once

#include <string>
#include <vector>

#include "train/raw_inference.h"

namespace khanzero {

struct ArithmeticRate {
  std::string name;  // "oneDNN int8"
  bool in_use = false;
  double positions_per_second = 0.0;  // the middle of the rounds
  OutputDifference difference;        // from LibTorch in fp32, on the network's own games
};

// Every backend and precision that the device of `raw.settings` has, LibTorch in fp32 first,
// measured by turns for `seconds` in all with `threads` threads. Throws as MakeEvaluator and
// Evaluate do.
std::vector<ArithmeticRate> CompareArithmetics(const RawInference& raw, int threads, int batch,
                                               double seconds);

}  // namespace khanzero
