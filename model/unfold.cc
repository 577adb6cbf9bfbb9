// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/unfold.h"

#include <cmath>
#include <vector>

#include "env/error.h"
#include "model/fold.h"
#include "model/torch_switches.h"

namespace khanzero {
namespace {

// A copy in the shape of `like`.
torch::Tensor ToTensor(const std::vector<float>& values, const torch::Tensor& like) {
  Check(static_cast<int64_t>(values.size()) == like.numel(), "size of a folded layer");
  // from_blob wants a pointer it could write through; nothing does.
  return torch::from_blob(const_cast<float*>(values.data()), like.sizes(), torch::kFloat).clone();
}

// Of InitWeight() in network.cc: sqrt(inputs * 2 / inputs).
const double kFreshFilterNorm = std::sqrt(2.0);

// Sets `layer` to `folded`, of which it sees the first inputs, and returns what it makes of `x`.
torch::Tensor TakeConv(ConvNormImpl& layer, const ConvLayer& folded, const torch::Tensor& x) {
  torch::Tensor weight = layer.conv->weight;
  const torch::Tensor all = ToTensor(
      folded.weight,
      torch::empty({folded.out_channels, folded.in_channels, folded.kernel, folded.kernel}));
  const torch::Tensor seen = all.narrow(1, 0, weight.size(1));
  // A filter of zeros stays one.
  const torch::Tensor norm = seen.flatten(1).norm(2, 1);
  const torch::Tensor scale =
      torch::where(norm > 0, kFreshFilterNorm / norm, torch::ones_like(norm));
  weight.copy_(seen * scale.view({-1, 1, 1, 1}));

  torch::nn::BatchNorm2dImpl& to = *layer.norm;
  const torch::Tensor y = layer.conv->forward(x);
  to.running_mean.copy_(y.mean({0, 2, 3}));
  to.running_var.copy_(y.var({0, 2, 3}, /*unbiased=*/false));
  const torch::Tensor deviation = (to.running_var + kBatchNormEpsilon).sqrt();
  to.weight.copy_(deviation / scale);
  to.bias.copy_(ToTensor(folded.bias, to.bias) + to.running_mean / scale);
  return layer.forward(x);
}

// Layers without a norm.
template <class Layer, class Folded>
void TakeLayer(Layer& layer, const Folded& folded) {
  layer->weight.copy_(ToTensor(folded.weight, layer->weight));
  layer->bias.copy_(ToTensor(folded.bias, layer->bias));
}

torch::Tensor TakeBlock(ResidualBlockImpl& block, const FoldedBlock& folded,
                        const torch::Tensor& x) {
  const torch::Tensor y = TakeConv(*block.first, folded.first, x).relu();
  const torch::Tensor sum = (TakeConv(*block.second, folded.second, y) + x).relu();
  if (!folded.pooling) return sum;
  TakeLayer(block.pooling, *folded.pooling);
  return block.AddPooled(sum);
}

}  // namespace

Network Unfold(const FoldedNetwork& folded, std::span<const float> planes, uint64_t seed) {
  const auto input_size = static_cast<size_t>(folded.shape.input_size());
  const auto positions = static_cast<int64_t>(planes.size() / input_size);
  Check(positions > 0 && planes.size() % input_size == 0, "positions to unfold a network on");
  SeedTorch(seed);
  Network network(folded.shape, folded.settings);
  const torch::NoGradGuard no_grad;
  network->eval();
  const torch::Tensor x = InputView(planes.data(), positions, folded.shape)
                              .narrow(1, 0, network->stem->conv->weight.size(1));
  torch::Tensor tower = TakeConv(*network->stem, folded.stem, x).relu();
  for (size_t i = 0; i < folded.blocks.size(); ++i) {
    auto& block = *network->blocks[i]->as<ResidualBlockImpl>();
    tower = TakeBlock(block, folded.blocks[i], tower);
  }
  TakeConv(*network->policy->conv, folded.policy_conv, tower);
  TakeLayer(network->policy->out, folded.policy_out);
  TakeConv(*network->value->conv, folded.value_conv, tower);
  TakeLayer(network->value->hidden, folded.value_hidden);
  TakeLayer(network->value->out, folded.value_out);
  network->train();
  return network;
}

}  // namespace khanzero
