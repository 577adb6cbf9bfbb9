// SPDX-License-Identifier: GPL-3.0-or-later
//
// The layers by name, for exporters and other backends.
#include "model/folded_network.h"

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

ConvLayer EmptyConv(int in_channels, int out_channels, int kernel) {
  return {in_channels, out_channels, kernel, {}, {}};
}

}  // namespace

std::vector<std::pair<std::string, const ConvLayer*>> FoldedNetwork::convolutions() const {
  return ConvolutionsOf<const ConvLayer>(*this);
}

std::vector<std::pair<std::string, ConvLayer*>> FoldedNetwork::convolutions() {
  return ConvolutionsOf<ConvLayer>(*this);
}

std::vector<std::pair<std::string, const LinearLayer*>> FoldedNetwork::linears() const {
  return {{"value_hidden", &value_hidden}, {"value_out", &value_out}};
}

std::vector<std::pair<std::string, LinearLayer*>> FoldedNetwork::linears() {
  return {{"value_hidden", &value_hidden}, {"value_out", &value_out}};
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
  const FoldedBlock block = {EmptyConv(channels, channels, 3), EmptyConv(channels, channels, 3)};
  network.blocks.assign(static_cast<size_t>(settings.blocks), block);
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
