// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a network is rounded to int8 (Jacob et al. 2018): a scale for each channel of each layer's
// output, from what the layer gave on real positions, and weights with a scale for each output
// channel. No oneDNN here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/folded_network.h"

namespace khanzero {

// One convolution in int8. With q the inputs' and outputs' integers:
//   output = saturate(round(output_scale * (sum of weight * q + bias) + residual_scale * q_before))
// and ReLU before the rounding. `output_scale` gives real values instead where the output is not
// rounded.
struct QuantizedConv {
  std::vector<int8_t> weight;       // as ConvLayer::weight
  std::vector<float> bias;          // [out], in units of the sums
  std::vector<float> output_scale;  // [out]
  float residual_scale = 0.0F;
};

// Real value of one step of each channel's output.
using ChannelScales = std::vector<float>;

// Scales for the whole tower.
struct QuantizationPlan {
  ChannelScales input;               // of the encoded planes, which lie in 0..1
  std::vector<ChannelScales> layer;  // of the outputs of the stem and the blocks, in order
  std::vector<float> residual;       // of each block: the stream's step before it by that after it
};

// Largest integer of an activation.
inline constexpr float kActivationSteps = 255.0F;

// REQUIRES: network.calibrated().
QuantizationPlan PlanQuantization(const FoldedNetwork& network);

// `in` and `out` are the scales of the layer's inputs and outputs; an empty `out` leaves the output
// in real values.
QuantizedConv Quantize(const ConvLayer& layer, std::span<const float> in,
                       std::span<const float> out);

}  // namespace khanzero
