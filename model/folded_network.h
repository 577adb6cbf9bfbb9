// SPDX-License-Identifier: GPL-3.0-or-later
//
// A network for inference: batch norm folded into the convolutions, plain fp32 arrays, no LibTorch.
// Every evaluator and every export is made from one. It is a copy: training goes on without
// touching it, and threads share it without locks.
//
//   x [B, planes, ranks, files]
//   stem (3x3, ReLU); weights of planes that the network does not see are 0
//   blocks: y = ReLU(x + second(ReLU(first(x))))        (3x3 each)
//           those with pooling: y = ReLU(y + pooling([mean(y), max(y)])), mean and max of each
//           channel over the board, the result added on every square
//   policy: policy_conv (1x1, ReLU), policy_out (1x1): logits [B, policy planes, ranks, files]
//   value:  value_conv (1x1, ReLU), its output flattened in [square][channel] order,
//           value_hidden (ReLU), value_out: logits of win, draw, loss for the side to move
//
// A 3x3 convolution has stride 1 and zero padding 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "env/game_info.h"
#include "model/settings.h"

namespace khanzero {

// Channels of the value head's convolution.
inline constexpr int kValueChannels = 32;

struct ConvLayer {
  int in_channels = 0;
  int out_channels = 0;
  int kernel = 1;             // 1 or 3
  std::vector<float> weight;  // [out][in][kernel rank][kernel file]
  std::vector<float> bias;    // [out]
};

// The same layer with further inputs, which it does not look at. REQUIRES: not fewer.
ConvLayer WithInputs(const ConvLayer& conv, int in_channels);

struct LinearLayer {
  int in_features = 0;
  int out_features = 0;
  std::vector<float> weight;  // [out][in]
  std::vector<float> bias;    // [out]
};

struct FoldedBlock {
  ConvLayer first;
  ConvLayer second;
  std::optional<LinearLayer> pooling = {};
};

struct FoldedNetwork {
  EncodingShape shape;
  NetworkSettings settings;

  ConvLayer stem;
  std::vector<FoldedBlock> blocks;
  ConvLayer policy_conv;
  ConvLayer policy_out;
  ConvLayer value_conv;
  LinearLayer value_hidden;
  LinearLayer value_out;

  // The largest output of each channel of the stem and of each block's two convolutions (after the
  // sum and ReLU, before and after pooling), in that order, seen on real positions: what int8 is
  // planned from. Empty until Calibrate() filled it.
  std::vector<std::vector<float>> activation_ranges;
  bool calibrated() const { return !activation_ranges.empty(); }

  // Every convolution / linear layer with its name ("stem", "blocks.0.first", ...), in order of
  // use.
  std::vector<std::pair<std::string, const ConvLayer*>> convolutions() const;
  std::vector<std::pair<std::string, const LinearLayer*>> linears() const;
  // Numbers that a network of these layers has.
  int64_t parameter_count() const;
  // The same layers, to fill them.
  std::vector<std::pair<std::string, ConvLayer*>> convolutions();
  std::vector<std::pair<std::string, LinearLayer*>> linears();
};

// A network whose layers have their sizes, but no numbers yet: `weight` and `bias` are empty.
FoldedNetwork EmptyNetwork(const EncodingShape& shape, const NetworkSettings& settings);

}  // namespace khanzero
