// SPDX-License-Identifier: GPL-3.0-or-later
//
// The modules, their first weights, and folding.
#include "model/network.h"

#include <cmath>

#include "env/error.h"
#include "model/fold.h"

namespace khanzero {
namespace {

// Last layers begin this much smaller than He's rule says, so that a fresh network is near uniform
// and yet no gradient is zero.
constexpr double kLastLayerScale = 0.05;

// Normal with the variance 2 / inputs (He et al. 2015), scaled.
void InitWeight(torch::Tensor& weight, double scale) {
  const torch::NoGradGuard no_grad;
  const int64_t inputs = weight.numel() / weight.size(0);
  weight.normal_(0.0, scale * std::sqrt(2.0 / static_cast<double>(inputs)));
}

template <class Layer>
void InitLayer(Layer& layer, double scale) {
  InitWeight(layer->weight, scale);
  const torch::NoGradGuard no_grad;
  if (layer->bias.defined()) layer->bias.zero_();
}

// In place: what precedes a ReLU here is needed by nothing else.
torch::Tensor Relu(torch::Tensor x) { return x.relu_(); }

std::vector<float> ToVector(const torch::Tensor& tensor) {
  const torch::Tensor plain =
      tensor.detach().to(torch::kCPU, torch::kFloat).contiguous(torch::MemoryFormat::Contiguous);
  const float* begin = plain.data_ptr<float>();
  return {begin, begin + plain.numel()};
}

ConvLayer FromConv(const torch::nn::Conv2d& conv) {
  return {.in_channels = static_cast<int>(conv->weight.size(1)),
          .out_channels = static_cast<int>(conv->weight.size(0)),
          .kernel = static_cast<int>(conv->weight.size(2)),
          .weight = ToVector(conv->weight),
          .bias = conv->bias.defined()
                      ? ToVector(conv->bias)
                      : std::vector<float>(static_cast<size_t>(conv->weight.size(0)))};
}

ConvLayer FoldConv(const ConvNormImpl& layer) {
  ConvLayer folded = FromConv(layer.conv);
  Check(layer.norm->options.eps() == kBatchNormEpsilon, "epsilon of a batch norm");
  FoldNorm({.gamma = ToVector(layer.norm->weight),
            .beta = ToVector(layer.norm->bias),
            .mean = ToVector(layer.norm->running_mean),
            .variance = ToVector(layer.norm->running_var)},
           folded);
  return folded;
}

LinearLayer FromLinear(const torch::nn::Linear& linear) {
  return {.in_features = static_cast<int>(linear->weight.size(1)),
          .out_features = static_cast<int>(linear->weight.size(0)),
          .weight = ToVector(linear->weight),
          .bias = ToVector(linear->bias)};
}

}  // namespace

ConvNormImpl::ConvNormImpl(int in_channels, int out_channels, int kernel) {
  conv = register_module(
      "conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(in_channels, out_channels, kernel)
                                    .padding(kernel / 2)
                                    .bias(false)));
  norm = register_module("norm", torch::nn::BatchNorm2d(out_channels));
  InitLayer(conv, 1.0);
}

torch::Tensor ConvNormImpl::forward(const torch::Tensor& x) {
  const torch::Tensor y = conv->forward(x);
  return learners && is_training() ? SharedBatchNorm(*norm, y, learners) : norm->forward(y);
}

ResidualBlockImpl::ResidualBlockImpl(int channels, Pooling pools) {
  first = register_module("first", ConvNorm(channels, channels, 3));
  second = register_module("second", ConvNorm(channels, channels, 3));
  const torch::NoGradGuard no_grad;
  second->norm->weight.zero_();
  if (pools == Pooling::kGlobal) {
    pooling = register_module("pooling", torch::nn::Linear(2 * channels, channels));
    pooling->weight.zero_();
    pooling->bias.zero_();
  }
}

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& x) {
  const torch::Tensor y = Relu(second(Relu(first(x))).add_(x));
  return pooling.is_empty() ? y : AddPooled(y);
}

torch::Tensor ResidualBlockImpl::AddPooled(const torch::Tensor& x) {
  const torch::Tensor features = torch::cat({x.mean({2, 3}), x.amax({2, 3})}, 1);
  return Relu(x + pooling(features).unsqueeze(2).unsqueeze(3));
}

PolicyHeadImpl::PolicyHeadImpl(const EncodingShape& shape, int channels) {
  conv = register_module("conv", ConvNorm(channels, channels, 1));
  out = register_module(
      "out", torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, shape.policy_planes, 1)));
  InitLayer(out, kLastLayerScale);
}

torch::Tensor PolicyHeadImpl::Features(const torch::Tensor& tower) { return Relu(conv(tower)); }

ValueHeadImpl::ValueHeadImpl(const EncodingShape& shape, int channels, int hidden_units) {
  conv = register_module("conv", ConvNorm(channels, kValueChannels, 1));
  hidden =
      register_module("hidden", torch::nn::Linear(kValueChannels * shape.squares(), hidden_units));
  out = register_module("out", torch::nn::Linear(hidden_units, 3));
  InitLayer(hidden, 1.0);
  InitLayer(out, kLastLayerScale);
}

torch::Tensor ValueHeadImpl::Features(const torch::Tensor& tower) {
  // Channels last in memory, so that flattening in this order copies nothing.
  const torch::Tensor features = Relu(conv(tower)).permute({0, 2, 3, 1}).flatten(1);
  return Relu(hidden(features));
}

AuxiliaryHeadsImpl::AuxiliaryHeadsImpl(const EncodingShape& shape, int channels, int hidden_units) {
  reply = register_module(
      "reply", torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, shape.policy_planes, 1)));
  survival =
      register_module("survival", torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, 1, 1)));
  moves_left = register_module("moves_left", torch::nn::Linear(hidden_units, 1));
  InitLayer(reply, kLastLayerScale);
  InitLayer(survival, kLastLayerScale);
  InitLayer(moves_left, kLastLayerScale);
}

NetworkImpl::NetworkImpl(const EncodingShape& shape, const NetworkSettings& settings)
    : shape_(shape), settings_(settings) {
  stem = register_module("stem",
                         ConvNorm(settings.SeenPlanes(shape.input_planes), settings.channels, 3));
  blocks = register_module("blocks", torch::nn::ModuleList());
  for (int i = 0; i < settings.blocks; ++i) {
    blocks->push_back(ResidualBlock(settings.channels,
                                    settings.PoolsAfter(i) ? Pooling::kGlobal : Pooling::kNone));
  }
  policy = register_module("policy", PolicyHead(shape, settings.channels));
  value = register_module("value", ValueHead(shape, settings.channels, settings.value_hidden));
  auxiliary =
      register_module("auxiliary", AuxiliaryHeads(shape, settings.channels, settings.value_hidden));
  for (torch::Tensor& parameter : parameters()) {
    if (parameter.dim() == 4) {
      parameter.set_data(parameter.data().contiguous(torch::MemoryFormat::ChannelsLast));
    }
  }
}

NetworkOutput NetworkImpl::forward(const torch::Tensor& x, Heads heads) {
  const int seen = settings_.SeenPlanes(shape_.input_planes);
  torch::Tensor tower = Relu(stem(seen == shape_.input_planes ? x : x.narrow(1, 0, seen)));
  for (const auto& block : *blocks) tower = block->as<ResidualBlockImpl>()->forward(tower);
  const torch::Tensor for_policy = policy->Features(tower);
  const torch::Tensor for_value = value->Features(tower);
  NetworkOutput output;
  output.policy = policy->out(for_policy).flatten(1);
  output.wdl = value->out(for_value);
  if (heads == Heads::kAll) {
    // The opponent sees the ranks the other way round.
    output.reply = auxiliary->reply(for_policy).flip({2}).flatten(1);
    output.survival = auxiliary->survival(tower).flatten(1);
    output.moves_left = torch::softplus(auxiliary->moves_left(for_value)).squeeze(1);
  }
  return output;
}

void NetworkImpl::ShareBatches(const c10::intrusive_ptr<SumOverLearners>& learners) {
  for (const auto& module : modules()) {
    if (auto* const layer = module->as<ConvNormImpl>()) layer->learners = learners;
  }
}

torch::Tensor InputView(const float* planes, int64_t positions, const EncodingShape& shape) {
  // from_blob wants a pointer it could write through; nothing does.
  return torch::from_blob(const_cast<float*>(planes),
                          {positions, shape.ranks, shape.files, shape.input_planes}, torch::kFloat)
      .permute({0, 3, 1, 2});
}

std::shared_ptr<FoldedNetwork> Fold(const NetworkImpl& network) {
  auto folded = std::make_shared<FoldedNetwork>();
  folded->shape = network.shape();
  folded->settings = network.settings();
  folded->stem = WithInputs(FoldConv(*network.stem), network.shape().input_planes);
  for (const auto& module : *network.blocks) {
    const auto* block = module->as<ResidualBlockImpl>();
    Check(block != nullptr, "kind of a block");
    folded->blocks.push_back({FoldConv(*block->first), FoldConv(*block->second)});
    if (!block->pooling.is_empty()) folded->blocks.back().pooling = FromLinear(block->pooling);
  }
  folded->policy_conv = FoldConv(*network.policy->conv);
  folded->policy_out = FromConv(network.policy->out);
  folded->value_conv = FoldConv(*network.value->conv);
  folded->value_hidden = FromLinear(network.value->hidden);
  folded->value_out = FromLinear(network.value->out);
  return folded;
}

}  // namespace khanzero
