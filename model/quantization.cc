// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/quantization.h"

#include <algorithm>
#include <cmath>

#include "env/error.h"

namespace khanzero {
namespace {

constexpr float kWeightSteps = 127.0F;
// A scale for each channel makes activations finer and the weights that follow coarser, so channels
// of small range keep a part of the width that one scale for all would give them: r becomes
// w (r / w)^0.75 with w the widest (Xiao et al. 2023 share the difficulty out in the same way). On
// trained networks of both games it gives the best move of fp32 more often than 0.5 and 1.
constexpr float kOwnRangePower = 0.75F;
// A channel that hardly spoke on the calibration's positions may speak up on others.
constexpr float kLeastShareOfLayer = 0.03F;

// Ranges of a layer's channels as they are rounded: none smaller than it was, none tiny.
std::vector<float> Widened(std::vector<float> ranges) {
  const float widest = std::ranges::max(ranges);
  if (widest <= 0.0F) return std::vector<float>(ranges.size(), 1.0F);
  for (float& range : ranges) {
    range = widest * std::pow(std::max(range / widest, kLeastShareOfLayer), kOwnRangePower);
  }
  return ranges;
}

ChannelScales ScalesOf(std::span<const float> ranges, float factor) {
  ChannelScales scales(ranges.begin(), ranges.end());
  for (float& scale : scales) scale *= factor / kActivationSteps;
  return scales;
}

}  // namespace

QuantizationPlan PlanQuantization(const FoldedNetwork& network) {
  Check(network.calibrated(), "a network is calibrated before it is rounded");
  const auto& ranges = network.activation_ranges;
  const size_t channels = ranges[0].size();
  const size_t blocks = network.blocks.size();
  // The stream that blocks add to: oneDNN adds the integers of before times one number, so its
  // channels keep their proportions all the way and only their common scale grows.
  std::vector<float> profile(channels, 0.0F);
  for (size_t layer = 0; layer < ranges.size(); layer += 2) {
    for (size_t c = 0; c < channels; ++c) profile[c] = std::max(profile[c], ranges[layer][c]);
  }
  profile = Widened(std::move(profile));
  const auto factor_at = [&](size_t layer) {
    float factor = kLeastShareOfLayer;
    for (size_t c = 0; c < channels; ++c) {
      factor = std::max(factor, ranges[layer][c] / profile[c]);
    }
    return factor;
  };
  QuantizationPlan plan;
  plan.input.assign(static_cast<size_t>(network.shape.input_planes), 1.0F / kActivationSteps);
  float before = factor_at(0);
  plan.layer.push_back(ScalesOf(profile, before));
  for (size_t b = 0; b < blocks; ++b) {
    plan.layer.push_back(ScalesOf(Widened(ranges[2 * b + 1]), 1.0F));
    const float after = factor_at(2 * b + 2);
    plan.layer.push_back(ScalesOf(profile, after));
    plan.residual.push_back(before / after);
    before = after;
  }
  return plan;
}

QuantizedConv Quantize(const ConvLayer& layer, std::span<const float> in,
                       std::span<const float> out) {
  const auto outputs = static_cast<size_t>(layer.out_channels);
  const auto inputs = static_cast<size_t>(layer.in_channels);
  const auto taps = static_cast<size_t>(layer.kernel) * static_cast<size_t>(layer.kernel);
  Check(in.size() == inputs && (out.empty() || out.size() == outputs), "scales of a layer");
  QuantizedConv quantized;
  quantized.weight.resize(layer.weight.size());
  for (size_t o = 0; o < outputs; ++o) {
    const size_t begin = o * inputs * taps;
    float largest = 0.0F;
    for (size_t i = 0; i < inputs * taps; ++i) {
      largest = std::max(largest, std::abs(layer.weight[begin + i] * in[i / taps]));
    }
    const float step = largest > 0.0F ? largest / kWeightSteps : 1.0F;
    for (size_t i = 0; i < inputs * taps; ++i) {
      quantized.weight[begin + i] =
          static_cast<int8_t>(std::lround(layer.weight[begin + i] * in[i / taps] / step));
    }
    quantized.bias.push_back(layer.bias[o] / step);
    quantized.output_scale.push_back(out.empty() ? step : step / out[o]);
  }
  return quantized;
}

}  // namespace khanzero
