// SPDX-License-Identifier: GPL-3.0-or-later
//
// The network that is trained: a residual tower of 3x3 convolutions with batch norm (He et al.
// 2016, Silver et al. 2017), a policy head of one logit for each plane and square, and a
// win/draw/loss head. Heads are modules of their own on the tower's output; a further one is a
// module, a member of NetworkOutput and a line in forward().
#pragma once

#include <torch/torch.h>

#include <memory>

#include "env/game_info.h"
#include "model/folded_network.h"
#include "model/settings.h"

namespace khanzero {

struct NetworkOutput {
  torch::Tensor policy;  // logits [B, policy_size], index = plane * squares + square
  torch::Tensor wdl;     // logits [B, 3]: win, draw, loss for the side to move
};

// Convolution without bias, then batch norm.
class ConvNormImpl : public torch::nn::Module {
 public:
  ConvNormImpl(int in_channels, int out_channels, int kernel);
  torch::Tensor forward(const torch::Tensor& x) { return norm->forward(conv->forward(x)); }

  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
};
TORCH_MODULE(ConvNorm);

class ResidualBlockImpl : public torch::nn::Module {
 public:
  explicit ResidualBlockImpl(int channels);
  torch::Tensor forward(const torch::Tensor& x);

  ConvNorm first{nullptr};
  ConvNorm second{nullptr};
};
TORCH_MODULE(ResidualBlock);

class PolicyHeadImpl : public torch::nn::Module {
 public:
  PolicyHeadImpl(const EncodingShape& shape, int channels);
  torch::Tensor forward(const torch::Tensor& tower);

  ConvNorm conv{nullptr};
  torch::nn::Conv2d out{nullptr};
};
TORCH_MODULE(PolicyHead);

class ValueHeadImpl : public torch::nn::Module {
 public:
  ValueHeadImpl(const EncodingShape& shape, int channels, int hidden_units);
  torch::Tensor forward(const torch::Tensor& tower);

  ConvNorm conv{nullptr};
  torch::nn::Linear hidden{nullptr};
  torch::nn::Linear out{nullptr};
};
TORCH_MODULE(ValueHead);

class NetworkImpl : public torch::nn::Module {
 public:
  // Random weights from LibTorch's generator (SeedTorch makes them repeatable): He for what
  // precedes a ReLU, residual branches that begin as nothing, small last layers, so that a fresh
  // network is near uniform. Weights are channels-last.
  NetworkImpl(const EncodingShape& shape, const NetworkSettings& settings);

  // `x` [B, planes, ranks, files], best a channels-last view: InputView() makes one.
  NetworkOutput forward(const torch::Tensor& x);

  const EncodingShape& shape() const { return shape_; }
  const NetworkSettings& settings() const { return settings_; }

  ConvNorm stem{nullptr};
  torch::nn::ModuleList blocks{nullptr};  // of ResidualBlock
  PolicyHead policy{nullptr};
  ValueHead value{nullptr};

 private:
  EncodingShape shape_;
  NetworkSettings settings_;
};
TORCH_MODULE(Network);

// Encoded positions, [position][square][plane], as the channels-last tensor [B, planes, ranks,
// files] the network takes, without a copy: `planes` must outlive the tensor and is not written.
torch::Tensor InputView(const float* planes, int64_t positions, const EncodingShape& shape);

// The network's present weights and running statistics, batch norm folded in.
std::shared_ptr<const FoldedNetwork> Fold(const NetworkImpl& network);

}  // namespace khanzero
