// SPDX-License-Identifier: GPL-3.0-or-later
//
// A network as a fixed list of oneDNN primitives for one number of positions: convolution, bias,
// ReLU and the residual sum are one primitive each, memory is taken when the list is made, and
// running it takes no memory and plans nothing. oneDNN stays behind this header.
//
// In int8, activations are 8 bits without sign (they follow a ReLU) with a scale for each channel,
// weights 8 bits with sign and a scale for each output channel, sums 32 bits (Jacob et al. 2018).
// Scales come from FoldedNetwork::activation_ranges. What leaves the tower for the heads is fp32 or
// bf16. Global pooling is no primitive but model/global_pooling.h, between two of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/folded_network.h"
#include "model/settings.h"

namespace khanzero {

class OneDnnWeights;

// What a layer gave: its index in FoldedNetwork::convolutions() and its output, [position][square]
// [channel], in fp32 whatever the arithmetic. The last convolution of a block with global pooling
// is told twice: before pooling, and after.
using LayerObserver = std::function<void(size_t layer, std::span<const float> output)>;

class OneDnnTower {
 public:
  // `precision` is kFp32, kBf16 or kInt8. `weights` are shared with towers of other sizes of the
  // same network. Throws RuntimeFailure when oneDNN cannot.
  OneDnnTower(const FoldedNetwork& network, Precision precision, int positions,
              std::shared_ptr<OneDnnWeights> weights);
  ~OneDnnTower();
  OneDnnTower(OneDnnTower&&) noexcept;

  int positions() const;

  // Runs positions() positions, `planes` in [position][square][plane] order. The calling thread
  // must have one OpenMP thread (UseOneThread). `observe` is told each layer's output when given.
  void Run(const float* planes, const LayerObserver& observe = {});

  // Of the last run: [position][square][channel], and [position][hidden unit], after their ReLU.
  std::span<const float> policy_features() const;
  std::span<const float> value_features() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Packed weights of a network, made by the first tower that needs them. Not thread-safe.
std::shared_ptr<OneDnnWeights> MakeOneDnnWeights();

// Sets the calling thread's number of OpenMP threads to one: workers are the parallelism here.
void UseOneThread();

// "oneDNN 2.6.3"
std::string OneDnnVersion();

}  // namespace khanzero
