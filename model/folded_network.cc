// SPDX-License-Identifier: GPL-3.0-or-later
//
// The layers by name, for exporters and other backends.
#include "model/folded_network.h"

#include <algorithm>

#include "env/error.h"

namespace khanzero {
namespace {

// The layers of a network that may or may not be constant.
template <class Conv, class Network>
std::vector<std::pair<std::string, Conv*>> ConvolutionsOf(Network& network) {
  std::vector<std::pair<std::string, Conv*>> layers = {{"stem", &network.stem}};
  for (size_t i = 0; i < network.blocks.size(); ++i) {
    const std::string name = "blocks." + std::to_string(i);
    layers.emplace_back(name + ".first", &network.blocks[i].first);
    layers.emplace_back(name + ".second", &network.blocks[i].second);
  }
  layers.emplace_back("policy_conv", &network.policy_conv);
  layers.emplace_back("policy_out", &network.policy_out);
  layers.emplace_back("value_conv", &network.value_conv);
  return layers;
}

// Likewise.
template <class Linear, class Network>
std::vector<std::pair<std::string, Linear*>> LinearsOf(Network& network) {
  std::vector<std::pair<std::string, Linear*>> layers;
  for (size_t i = 0; i < network.blocks.size(); ++i) {
    if (auto& pooling = network.blocks[i].pooling) {
      layers.emplace_back("blocks." + std::to_string(i) + ".pooling", &*pooling);
    }
  }
  layers.emplace_back("value_hidden", &network.value_hidden);
  layers.emplace_back("value_out", &network.value_out);
  return layers;
}

ConvLayer EmptyConv(int in_channels, int out_channels, int kernel) {
  return {in_channels, out_channels, kernel, {}, {}};
}

}  // namespace

ConvLayer WithInputs(const ConvLayer& conv, int in_channels) {
  Check(in_channels >= conv.in_channels, "inputs of a wider layer");
  ConvLayer wider = conv;
  wider.in_channels = in_channels;
  const size_t taps = static_cast<size_t>(conv.kernel) * static_cast<size_t>(conv.kernel);
  const size_t before = static_cast<size_t>(conv.in_channels) * taps;
  const size_t after = static_cast<size_t>(in_channels) * taps;
  wider.weight.assign(static_cast<size_t>(conv.out_channels) * after, 0.0F);
  for (size_t o = 0; o < static_cast<size_t>(conv.out_channels); ++o) {
    std::copy_n(conv.weight.begin() + static_cast<int64_t>(o * before), before,
                wider.weight.begin() + static_cast<int64_t>(o * after));
  }
  return wider;
}

std::vector<std::pair<std::string, const ConvLayer*>> FoldedNetwork::convolutions() const {
  return ConvolutionsOf<const ConvLayer>(*this);
}

std::vector<std::pair<std::string, ConvLayer*>> FoldedNetwork::convolutions() {
  return ConvolutionsOf<ConvLayer>(*this);
}

std::vector<std::pair<std::string, const LinearLayer*>> FoldedNetwork::linears() const {
  return LinearsOf<const LinearLayer>(*this);
}

std::vector<std::pair<std::string, LinearLayer*>> FoldedNetwork::linears() {
  return LinearsOf<LinearLayer>(*this);
}

int64_t FoldedNetwork::parameter_count() const {
  int64_t count = 0;
  for (const auto& [name, conv] : convolutions()) {
    const int64_t inputs = int64_t{conv->in_channels} * conv->kernel * conv->kernel;
    count += (inputs + 1) * conv->out_channels;
  }
  for (const auto& [name, linear] : linears()) {
    count += (int64_t{linear->in_features} + 1) * linear->out_features;
  }
  return count;
}

FoldedNetwork EmptyNetwork(const EncodingShape& shape, const NetworkSettings& settings) {
  const int channels = settings.channels;
  FoldedNetwork network;
  network.shape = shape;
  network.settings = settings;
  network.stem = EmptyConv(shape.input_planes, channels, 3);
  for (int i = 0; i < settings.blocks; ++i) {
    FoldedBlock& block = network.blocks.emplace_back();
    block.first = block.second = EmptyConv(channels, channels, 3);
    if (settings.PoolsAfter(i)) {
      block.pooling = {2 * channels, channels, {}, {}};
    }
  }
  network.policy_conv = EmptyConv(channels, channels, 1);
  network.policy_out = EmptyConv(channels, shape.policy_planes, 1);
  network.value_conv = EmptyConv(channels, kValueChannels, 1);
  network.value_hidden.in_features = kValueChannels * shape.squares();
  network.value_hidden.out_features = settings.value_hidden;
  network.value_out.in_features = settings.value_hidden;
  network.value_out.out_features = 3;
  return network;
}

}  // namespace khanzero
