// SPDX-License-Identifier: GPL-3.0-or-later
//
// Global pooling in play, on the output of a block as the tower has it in memory: channels last, in
// fp32, bf16 or int8. The mean and the largest value of each channel over the board go through one
// linear layer, whose output is added to each channel on every square, then ReLU:
//   x = ReLU(x + W [mean(x), max(x)] + b)
// It is done in place, in one reading and one writing of the map; the sums in between are fp32,
// whatever the map is in, and do not depend on how many positions are computed together. No oneDNN
// here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/folded_network.h"

namespace khanzero {

// One thread at a time may run it.
class GlobalPooling {
 public:
  // `scales` are the real values of one step of each channel where the map is in int8; empty for
  // real values. REQUIRES: at most kMostSquares squares.
  GlobalPooling(const LinearLayer& layer, int squares, std::span<const float> scales);

  // `map` is [position][square][channel].
  void Run(float* map, int positions);
  void Run(uint16_t* map, int positions);  // bf16
  void Run(uint8_t* map, int positions);   // int8: steps, 0..255

  // So that the steps of a channel are summed in 16 bits.
  static constexpr int kMostSquares = 65535 / 255;

 private:
  template <class T>
  void RunAny(T* map, int positions);

  size_t channels_;
  size_t squares_;
  bool wide_;  // whether the processor has AVX2
  // Outputs in groups, each as [feature][output of the group]; features are all sums, then all
  // largest values. The scales and the number of squares are multiplied in.
  std::vector<float> weight_;
  std::vector<float> bias_;  // filled up to whole groups
  // Of a run: features [position][2 * channels], what is added [position][outputs, filled up].
  std::vector<float> features_;
  std::vector<float> added_;
  std::vector<uint16_t> sums_;
};

}  // namespace khanzero
