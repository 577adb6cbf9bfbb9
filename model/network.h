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
#include "model/shared_norm.h"

namespace khanzero {

// The heads that play needs, or also those that only help the tower to learn.
enum class Heads { kPlay, kAll };

struct NetworkOutput {
  torch::Tensor policy;  // logits [B, policy_size], index = plane * squares + square
  torch::Tensor wdl;     // logits [B, 3]: win, draw, loss for the side to move
  // With Heads::kAll only.
  torch::Tensor reply;       // logits [B, policy_size] of the opponent's next move, in its own view
  torch::Tensor survival;    // logits [B, squares]: the piece on a square is there in the end
  torch::Tensor moves_left;  // [B], plies to the end of the game in units of kMovesLeftUnit
};
inline constexpr double kMovesLeftUnit = 20.0;

// Convolution without bias, then batch norm.
class ConvNormImpl : public torch::nn::Module {
 public:
  ConvNormImpl(int in_channels, int out_channels, int kernel);
  torch::Tensor forward(const torch::Tensor& x);

  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
  // Those that share each batch of training; none where one learner has all of it.
  c10::intrusive_ptr<SumOverLearners> learners;
};
TORCH_MODULE(ConvNorm);

// Whether a block ends with global pooling.
enum class Pooling { kNone, kGlobal };

// A residual block, and at its end perhaps global pooling: the mean and the largest value of each
// channel over the board (Wu 2019) go through a linear layer, and what comes out is added to each
// channel everywhere (as the context of Cao et al. 2019), then ReLU. It begins as nothing.
class ResidualBlockImpl : public torch::nn::Module {
 public:
  explicit ResidualBlockImpl(int channels, Pooling pools = Pooling::kNone);
  torch::Tensor forward(const torch::Tensor& x);
  // The last step of a block with pooling.
  torch::Tensor AddPooled(const torch::Tensor& x);

  ConvNorm first{nullptr};
  ConvNorm second{nullptr};
  torch::nn::Linear pooling{nullptr};  // of [means, largest values]; none without pooling
};
TORCH_MODULE(ResidualBlock);

class PolicyHeadImpl : public torch::nn::Module {
 public:
  PolicyHeadImpl(const EncodingShape& shape, int channels);
  // [B, channels, ranks, files], what `out` takes.
  torch::Tensor Features(const torch::Tensor& tower);

  ConvNorm conv{nullptr};
  torch::nn::Conv2d out{nullptr};
};
TORCH_MODULE(PolicyHead);

class ValueHeadImpl : public torch::nn::Module {
 public:
  ValueHeadImpl(const EncodingShape& shape, int channels, int hidden_units);
  // [B, hidden units], what `out` takes.
  torch::Tensor Features(const torch::Tensor& tower);

  ConvNorm conv{nullptr};
  torch::nn::Linear hidden{nullptr};
  torch::nn::Linear out{nullptr};
};
TORCH_MODULE(ValueHead);

// What only training looks at: the opponent's reply (Wu 2019), which pieces last to the end, and
// how long the game goes on. One layer each on what the other heads have; no export has them.
class AuxiliaryHeadsImpl : public torch::nn::Module {
 public:
  AuxiliaryHeadsImpl(const EncodingShape& shape, int channels, int hidden_units);

  torch::nn::Conv2d reply{nullptr};
  torch::nn::Conv2d survival{nullptr};
  torch::nn::Linear moves_left{nullptr};
};
TORCH_MODULE(AuxiliaryHeads);

class NetworkImpl : public torch::nn::Module {
 public:
  // Random weights from LibTorch's generator (SeedTorch makes them repeatable): He for what
  // precedes a ReLU, residual branches that begin as nothing, small last layers, so that a fresh
  // network is near uniform. Weights are channels-last.
  NetworkImpl(const EncodingShape& shape, const NetworkSettings& settings);

  // `x` [B, planes, ranks, files], best a channels-last view: InputView() makes one.
  NetworkOutput forward(const torch::Tensor& x, Heads heads = Heads::kPlay);

  // From here on training's batches are shared: norms take the statistics of the whole. Null: no
  // more.
  void ShareBatches(const c10::intrusive_ptr<SumOverLearners>& learners);

  const EncodingShape& shape() const { return shape_; }
  const NetworkSettings& settings() const { return settings_; }

  ConvNorm stem{nullptr};
  torch::nn::ModuleList blocks{nullptr};  // of ResidualBlock
  PolicyHead policy{nullptr};
  ValueHead value{nullptr};
  AuxiliaryHeads auxiliary{nullptr};

 private:
  EncodingShape shape_;
  NetworkSettings settings_;
};
TORCH_MODULE(Network);

// Encoded positions, [position][square][plane], as the channels-last tensor [B, planes, ranks,
// files] the network takes, without a copy: `planes` must outlive the tensor and is not written.
torch::Tensor InputView(const float* planes, int64_t positions, const EncodingShape& shape);

// The network's present weights and running statistics, batch norm folded in.
std::shared_ptr<FoldedNetwork> Fold(const NetworkImpl& network);

}  // namespace khanzero
