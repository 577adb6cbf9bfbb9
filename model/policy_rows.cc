// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/policy_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "env/error.h"

namespace khanzero {
namespace {

// Sum of products of `n` features and weights. Sixteen partial sums, so that the compiler may use
// vector registers without being allowed to reorder sums at large.
float Dot(const float* a, const float* b, int64_t n) {
  constexpr int kLanes = 16;
  std::array<float, kLanes> sums{};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += a[i + static_cast<int64_t>(lane)] * b[i + static_cast<int64_t>(lane)];
    }
  }
  float sum = 0.0F;
  for (; i < n; ++i) sum += a[i] * b[i];
  for (const float part : sums) sum += part;
  return sum;
}

}  // namespace

void FillLogits(const ConvLayer& policy_out, std::span<const float> features, int i,
                EvaluationBatch& batch) {
  const int squares = batch.shape().squares();
  const int64_t channels = policy_out.in_channels;
  const float* const weight = policy_out.weight.data();
  const std::span<float> logits = batch.mutable_logits(i);
  const std::span<const uint16_t> indices = std::as_const(batch).policy_indices(i);
  for (size_t m = 0; m < indices.size(); ++m) {
    const int plane = indices[m] / squares;
    const int square = indices[m] % squares;
    Check(plane < policy_out.out_channels, "policy index in range");
    logits[m] = policy_out.bias[static_cast<size_t>(plane)] +
                Dot(features.data() + square * channels, weight + plane * channels, channels);
  }
}

Wdl WdlOf(const LinearLayer& value_out, std::span<const float> hidden) {
  std::array<float, 3> logits{};
  for (size_t k = 0; k < logits.size(); ++k) {
    logits[k] = value_out.bias[k] + Dot(hidden.data(), value_out.weight.data() + k * hidden.size(),
                                        static_cast<int64_t>(hidden.size()));
  }
  const float largest = std::ranges::max(logits);
  float sum = 0.0F;
  for (float& logit : logits) sum += logit = std::exp(logit - largest);
  return {logits[0] / sum, logits[1] / sum, logits[2] / sum};
}

}  // namespace khanzero
