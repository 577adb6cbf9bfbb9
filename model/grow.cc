// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/grow.h"

#include <map>

#include "env/error.h"
#include "model/torch_switches.h"

namespace khanzero {
namespace {

using Arrays = std::map<std::string, torch::Tensor>;

Arrays ArraysOf(const NetworkImpl& network) {
  Arrays arrays;
  for (const auto& item : network.named_parameters()) arrays[item.key()] = item.value();
  for (const auto& item : network.named_buffers()) arrays[item.key()] = item.value();
  return arrays;
}

// The smaller array into the corner of the larger: outputs first, then inputs. What was there
// before takes nothing from new inputs.
void Place(torch::Tensor to, const torch::Tensor& from) {
  if (from.dim() == 0) {
    to.copy_(from);
    return;
  }
  torch::Tensor outputs = to.narrow(0, 0, from.size(0));
  if (from.dim() == 1) {
    outputs.copy_(from);
    return;
  }
  outputs.zero_();
  outputs.narrow(1, 0, from.size(1)).copy_(from);
}

// Means and largest values are two groups of inputs, each of which grows.
void PlacePooling(torch::Tensor to, const torch::Tensor& from) {
  const int64_t before = from.size(1) / 2;
  const int64_t after = to.size(1) / 2;
  Place(to.narrow(1, 0, after), from.narrow(1, 0, before));
  Place(to.narrow(1, after, after), from.narrow(1, before, before));
}

}  // namespace

void CheckGrows(const NetworkSettings& from, const NetworkSettings& to, const std::string& what) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(what + " has " + Text(from) + "; it cannot become " + Text(to) + ": " + why);
  };
  if (to.blocks < from.blocks || to.channels < from.channels ||
      to.value_hidden < from.value_hidden) {
    refuse("a network can only grow; give blocks, channels and value_hidden of at least its own");
  }
  for (int block = 0; block < from.blocks; ++block) {
    if (from.PoolsAfter(block) && !to.PoolsAfter(block)) {
      refuse("block " + std::to_string(block + 1) +
             " would lose its global pooling; give a pooling_every that divides its own");
    }
  }
  if (from.attack_planes && !to.attack_planes) {
    refuse("it sees attack_planes, and what is made of them would be lost");
  }
}

Network Grow(const NetworkImpl& network, const NetworkSettings& settings, uint64_t seed) {
  CheckGrows(network.settings(), settings, "the network");
  SeedTorch(seed);
  Network grown(network.shape(), settings);
  const torch::NoGradGuard no_grad;
  Arrays to = ArraysOf(*grown);
  for (const auto& [name, from] : ArraysOf(network)) {
    const bool pools = name.ends_with("pooling.weight");
    pools ? PlacePooling(to.at(name), from) : Place(to.at(name), from);
  }
  grown->train(network.is_training());
  return grown;
}

}  // namespace khanzero
