// SPDX-License-Identifier: GPL-3.0-or-later
//
// The layers by name, for exporters and other backends.
#include "model/folded_network.h"

namespace khanzero {

std::vector<std::pair<std::string, const ConvLayer*>> FoldedNetwork::convolutions() const {
  std::vector<std::pair<std::string, const ConvLayer*>> layers = {{"stem", &stem}};
  for (size_t i = 0; i < blocks.size(); ++i) {
    const std::string name = "blocks." + std::to_string(i);
    layers.emplace_back(name + ".first", &blocks[i].first);
    layers.emplace_back(name + ".second", &blocks[i].second);
  }
  layers.emplace_back("policy_conv", &policy_conv);
  layers.emplace_back("policy_out", &policy_out);
  layers.emplace_back("value_conv", &value_conv);
  return layers;
}

std::vector<std::pair<std::string, const LinearLayer*>> FoldedNetwork::linears() const {
  return {{"value_hidden", &value_hidden}, {"value_out", &value_out}};
}

}  // namespace khanzero
