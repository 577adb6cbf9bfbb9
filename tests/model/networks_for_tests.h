// SPDX-License-Identifier: GPL-3.0-or-later
//
// Small networks with statistics as training leaves them, and batches to run them on.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "env/games.h"
#include "env/random.h"
#include "mcts/evaluator.h"
#include "model/inference.h"
#include "model/network.h"
#include "model/torch_switches.h"

namespace khanzero {

inline constexpr NetworkSettings kSmallNetwork = {.blocks = 2, .channels = 24, .value_hidden = 16};
// Blocks with and without global pooling, in the middle and before the heads.
inline constexpr NetworkSettings kPoolingNetwork = {
    .blocks = 4, .channels = 24, .value_hidden = 16, .pooling_every = 2};

// In evaluation mode, with every array random: scales of both signs, means and variances far from
// 0 and 1, last layers that matter.
inline Network MakeTrainedLikeNetwork(const EncodingShape& shape, uint64_t seed = 7,
                                      const NetworkSettings& settings = kSmallNetwork) {
  SeedTorch(seed);
  Network network(shape, settings);
  const torch::NoGradGuard no_grad;
  for (auto& item : network->named_parameters()) {
    if (item.key().find("norm.weight") != std::string::npos) item.value().normal_(0.0, 1.0);
    if (item.key().find("pooling.weight") != std::string::npos) item.value().normal_(0.0, 0.1);
    if (item.key().find("bias") != std::string::npos) item.value().normal_(0.0, 0.3);
  }
  for (auto& item : network->named_buffers()) {
    if (item.key().find("running_mean") != std::string::npos) item.value().normal_(0.0, 0.5);
    if (item.key().find("running_var") != std::string::npos) item.value().uniform_(0.1, 3.0);
  }
  network->policy->out->weight.normal_(0.0, 0.3);
  network->value->out->weight.normal_(0.0, 0.3);
  network->eval();
  return network;
}

inline std::vector<float> RandomPlanes(const EncodingShape& shape, int positions, uint64_t seed) {
  Random random(seed);
  std::vector<float> planes(static_cast<size_t>(positions * shape.input_size()));
  for (float& x : planes) x = random.Uniform() < 0.2 ? static_cast<float>(random.Uniform()) : 0.0F;
  return planes;
}

// The positions `first` to `first + count - 1` of `planes`, each asking for `indices`.
inline EvaluationBatch MakeBatch(const EncodingShape& shape, std::span<const float> planes,
                                 std::span<const uint16_t> indices, int first, int count) {
  EvaluationBatch batch(shape);
  const auto size = static_cast<size_t>(shape.input_size());
  for (int i = first; i < first + count; ++i) {
    std::ranges::copy(planes.subspan(static_cast<size_t>(i) * size, size),
                      batch.Add(indices).begin());
  }
  return batch;
}

}  // namespace khanzero
