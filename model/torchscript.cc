// SPDX-License-Identifier: GPL-3.0-or-later
//
// TorchScript without Python: the module is built from the folded layers, its forward from text.
// It is not frozen, so that whoever loads it may move it to a device or another precision first.
#include "model/torchscript.h"

#include <torch/script.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "env/error.h"

namespace khanzero {
namespace {

torch::Tensor ToTensor(const std::vector<float>& values, at::IntArrayRef shape) {
  return torch::from_blob(const_cast<float*>(values.data()), shape, torch::kFloat).clone();
}

// Names of parameters may not have dots.
std::string ParameterName(std::string layer, const char* part) {
  std::ranges::replace(layer, '.', '_');
  return layer + "_" + part;
}

// The array in the type of the input: no work where it has that type already.
std::string ArrayText(const std::string& layer, const char* part) {
  return "self." + ParameterName(layer, part) + ".to(x.dtype)";
}

std::string ConvText(const std::string& layer, const ConvLayer& conv, const std::string& x) {
  const std::string padding = std::to_string(conv.kernel / 2);
  return "torch.conv2d(" + x + ", " + ArrayText(layer, "weight") + ", " + ArrayText(layer, "bias") +
         ", [1, 1], [" + padding + ", " + padding + "])";
}

std::string LinearText(const std::string& layer, const std::string& x) {
  return "torch.linear(" + x + ", " + ArrayText(layer, "weight") + ", " + ArrayText(layer, "bias") +
         ")";
}

std::string ForwardText(const FoldedNetwork& network) {
  std::string text = "def forward(self, x):\n";
  const auto line = [&](const std::string& statement) { text += "    " + statement + "\n"; };
  line("x = torch.relu(" + ConvText("stem", network.stem, "x") + ")");
  for (size_t i = 0; i < network.blocks.size(); ++i) {
    const std::string name = "blocks." + std::to_string(i);
    line("y = torch.relu(" + ConvText(name + ".first", network.blocks[i].first, "x") + ")");
    line("x = torch.relu(" + ConvText(name + ".second", network.blocks[i].second, "y") + " + x)");
    if (network.blocks[i].pooling) {
      line("y = torch.cat([torch.mean(x, [2, 3]), torch.amax(x, [2, 3])], 1)");
      line("y = " + LinearText(name + ".pooling", "y"));
      line("x = torch.relu(x + torch.unsqueeze(torch.unsqueeze(y, 2), 3))");
    }
  }
  line("p = torch.relu(" + ConvText("policy_conv", network.policy_conv, "x") + ")");
  line("p = torch.flatten(" + ConvText("policy_out", network.policy_out, "p") + ", 1)");
  line("v = torch.relu(" + ConvText("value_conv", network.value_conv, "x") + ")");
  line("v = torch.flatten(torch.permute(v, [0, 2, 3, 1]), 1)");
  line("v = torch.relu(" + LinearText("value_hidden", "v") + ")");
  line("v = torch.softmax(" + LinearText("value_out", "v") + ", 1)");
  line("return (p, v)");
  return text;
}

torch::jit::Module BuildModule(const FoldedNetwork& network, ModelPrecision precision) {
  torch::jit::Module module("KhanZero");
  module.register_attribute("training", c10::BoolType::get(), false);
  const auto type = precision == ModelPrecision::kFp16 ? torch::kHalf : torch::kFloat;
  const auto add = [&](const std::string& name, const std::vector<float>& values,
                       at::IntArrayRef shape) {
    const torch::Tensor array = ToTensor(values, shape).to(type).set_requires_grad(false);
    module.register_parameter(name, array, /*is_buffer=*/false);
  };
  for (const auto& [name, conv] : network.convolutions()) {
    add(ParameterName(name, "weight"), conv->weight,
        {conv->out_channels, conv->in_channels, conv->kernel, conv->kernel});
    add(ParameterName(name, "bias"), conv->bias, {conv->out_channels});
  }
  for (const auto& [name, linear] : network.linears()) {
    add(ParameterName(name, "weight"), linear->weight, {linear->out_features, linear->in_features});
    add(ParameterName(name, "bias"), linear->bias, {linear->out_features});
  }
  module.define(ForwardText(network));
  return module;
}

}  // namespace

std::string SerializeTorchScript(const FoldedNetwork& network,
                                 const ModelDescription& description) {
  const torch::NoGradGuard no_grad;
  try {
    std::ostringstream stream;
    BuildModule(network, description.precision)
        .save(stream, {{kDescriptionName, SerializeModelDescription(description)}});
    return std::move(stream).str();
  } catch (const c10::Error& e) {
    throw RuntimeFailure(std::string("the TorchScript module cannot be made: ") +
                         e.what_without_backtrace());
  }
}

}  // namespace khanzero
