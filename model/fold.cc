// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fold.h"

#include <cmath>
#include <utility>

#include "env/error.h"

namespace khanzero {
namespace {

// Arrays by their names in training.
class TrainedArrays {
 public:
  TrainedArrays(const TensorFile& file, const std::string& source) : file_(file), source_(source) {}

  std::vector<float> Read(const std::string& name, const std::vector<int64_t>& shape) const {
    const auto found = file_.tensors.find(name);
    if (found == file_.tensors.end()) {
      throw InputError(source_ + " lacks the array '" + name + "'");
    }
    if (found->second.type != TensorType::kF32 || found->second.shape != shape) {
      throw InputError(source_ + " has an array '" + name +
                       "' of another shape or type than the network's");
    }
    return FloatsOf(found->second);
  }

  void ReadConv(const std::string& name, ConvLayer& conv) const {
    conv.weight =
        Read(name + ".weight", {conv.out_channels, conv.in_channels, conv.kernel, conv.kernel});
  }
  void ReadConvNorm(const std::string& name, ConvLayer& conv) const {
    ReadConv(name + ".conv", conv);
    const auto of_norm = [&](const char* part) {
      return Read(name + ".norm." + part, {conv.out_channels});
    };
    conv.bias.assign(static_cast<size_t>(conv.out_channels), 0.0F);
    FoldNorm({.gamma = of_norm("weight"),
              .beta = of_norm("bias"),
              .mean = of_norm("running_mean"),
              .variance = of_norm("running_var")},
             conv);
  }
  void ReadLinear(const std::string& name, LinearLayer& linear) const {
    linear.weight = Read(name + ".weight", {linear.out_features, linear.in_features});
    linear.bias = Read(name + ".bias", {linear.out_features});
  }

 private:
  const TensorFile& file_;
  const std::string& source_;
};

}  // namespace

// With s = gamma / sqrt(variance + eps), weights times s and bias beta + (bias - mean) * s. In
// double: the quotient can be far from 1.
void FoldNorm(const NormLayer& norm, ConvLayer& conv) {
  const auto channels = static_cast<size_t>(conv.out_channels);
  Check(norm.gamma.size() == channels && conv.bias.size() == channels, "channels of a batch norm");
  const size_t filter = conv.weight.size() / channels;
  for (size_t c = 0; c < channels; ++c) {
    const double scale =
        norm.gamma[c] / std::sqrt(static_cast<double>(norm.variance[c]) + kBatchNormEpsilon);
    for (size_t i = c * filter; i < (c + 1) * filter; ++i) {
      conv.weight[i] = static_cast<float>(conv.weight[i] * scale);
    }
    conv.bias[c] = static_cast<float>(norm.beta[c] + (conv.bias[c] - norm.mean[c]) * scale);
  }
}

std::shared_ptr<FoldedNetwork> FoldWeights(const TensorFile& file, const CheckpointInfo& info,
                                           const std::string& source) {
  auto network = std::make_shared<FoldedNetwork>(EmptyNetwork(info.game.shape, info.network));
  const TrainedArrays arrays(file, source);
  const int planes = info.game.shape.input_planes;
  network->stem.in_channels = info.network.SeenPlanes(planes);
  arrays.ReadConvNorm("stem", network->stem);
  network->stem = WithInputs(network->stem, planes);
  for (size_t i = 0; i < network->blocks.size(); ++i) {
    const std::string name = "blocks." + std::to_string(i);
    arrays.ReadConvNorm(name + ".first", network->blocks[i].first);
    arrays.ReadConvNorm(name + ".second", network->blocks[i].second);
    if (auto& pooling = network->blocks[i].pooling) arrays.ReadLinear(name + ".pooling", *pooling);
  }
  arrays.ReadConvNorm("policy.conv", network->policy_conv);
  arrays.ReadConv("policy.out", network->policy_out);
  network->policy_out.bias = arrays.Read("policy.out.bias", {network->policy_out.out_channels});
  arrays.ReadConvNorm("value.conv", network->value_conv);
  arrays.ReadLinear("value.hidden", network->value_hidden);
  arrays.ReadLinear("value.out", network->value_out);
  return network;
}

}  // namespace khanzero
