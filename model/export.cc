// SPDX-License-Identifier: GPL-3.0-or-later
//
// TorchScript without Python: the module is built from the folded layers, its forward from text.
// It is not frozen, so that whoever loads it may move it to a device or another precision first.
#include "model/export.h"

#include <torch/script.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <system_error>

#include "env/error.h"
#include "env/games.h"
#include "env/random.h"
#include "model/files.h"
#include "model/inference.h"
#include "model/network.h"
#include "model/version.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kMetadataFile = "khanzero.json";
constexpr int kRandomPositions = 8;

Json PlaneNamesOf(const GameInfo& game) {
  if (InfoOfGame(game.name) != game) return Json::array();  // planes of another version
  return WithGame(game.name, []<class G>() { return Encoder<typename G::Spec>::PlaneNames(); });
}

torch::Tensor ToTensor(const std::vector<float>& values, at::IntArrayRef shape) {
  return torch::from_blob(const_cast<float*>(values.data()), shape, torch::kFloat).clone();
}

// Names of parameters may not have dots.
std::string ParameterName(std::string layer, const char* part) {
  std::ranges::replace(layer, '.', '_');
  return layer + "_" + part;
}

std::string ConvText(const std::string& layer, const ConvLayer& conv, const std::string& x) {
  return "torch.conv2d(" + x + ", self." + ParameterName(layer, "weight") + ", self." +
         ParameterName(layer, "bias") + ", [1, 1], [" + std::to_string(conv.kernel / 2) + ", " +
         std::to_string(conv.kernel / 2) + "])";
}

std::string LinearText(const std::string& layer, const std::string& x) {
  return "torch.linear(" + x + ", self." + ParameterName(layer, "weight") + ", self." +
         ParameterName(layer, "bias") + ")";
}

std::string ForwardText(const FoldedNetwork& network) {
  std::string text = "def forward(self, x):\n";
  const auto line = [&](const std::string& statement) { text += "    " + statement + "\n"; };
  line("x = torch.relu(" + ConvText("stem", network.stem, "x") + ")");
  for (size_t i = 0; i < network.blocks.size(); ++i) {
    const std::string name = "blocks." + std::to_string(i);
    line("y = torch.relu(" + ConvText(name + ".first", network.blocks[i].first, "x") + ")");
    line("x = torch.relu(" + ConvText(name + ".second", network.blocks[i].second, "y") + " + x)");
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

torch::jit::Module BuildModule(const FoldedNetwork& network) {
  torch::jit::Module module("KhanZero");
  module.register_attribute("training", c10::BoolType::get(), false);
  const auto add = [&](const std::string& name, const std::vector<float>& values,
                       at::IntArrayRef shape) {
    module.register_parameter(name, ToTensor(values, shape).set_requires_grad(false),
                              /*is_buffer=*/false);
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

// Largest |a - b|, in units of |b| where that exceeds 1; not a number if either holds one.
double LargestDifference(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).abs() / b.abs().clamp_min(1.0)).max().item<double>();
}

// The caller's positions and a few random ones, sparse and dense.
std::vector<float> WithRandomPositions(std::span<const float> positions, int input_size) {
  std::vector<float> all(positions.begin(), positions.end());
  Random random(1);
  for (int i = 0; i < kRandomPositions; ++i) {
    const double density = 0.05 + 0.1 * i;
    for (int k = 0; k < input_size; ++k) {
      const bool set = random.Uniform() < density;
      all.push_back(set ? static_cast<float>(random.Uniform()) : 0.0F);
    }
  }
  return all;
}

// The evaluator's outputs for every policy index: logits [B, policy_size], probabilities [B, 3].
std::pair<torch::Tensor, torch::Tensor> Reference(const FoldedNetwork& network,
                                                  const std::vector<float>& planes, int count) {
  // Borrowed: the evaluator lives no longer than this call.
  const std::shared_ptr<const FoldedNetwork> borrowed(std::shared_ptr<void>(), &network);
  const auto evaluator = MakeEvaluator(borrowed, {.precision = Precision::kFp32, .device = "cpu"});
  std::vector<uint16_t> indices(static_cast<size_t>(network.shape.policy_size()));
  std::iota(indices.begin(), indices.end(), uint16_t{0});
  EvaluationBatch batch(network.shape);
  const auto input_size = static_cast<size_t>(network.shape.input_size());
  for (int i = 0; i < count; ++i) {
    std::ranges::copy(std::span(planes).subspan(static_cast<size_t>(i) * input_size, input_size),
                      batch.Add(indices).begin());
  }
  evaluator->Evaluate(batch);
  torch::Tensor policy = torch::empty({count, network.shape.policy_size()});
  torch::Tensor wdl = torch::empty({count, 3});
  for (int i = 0; i < count; ++i) {
    std::ranges::copy(batch.mutable_logits(i), policy[i].data_ptr<float>());
    const Wdl& value = batch.wdl(i);
    std::ranges::copy(std::array{value.win, value.draw, value.loss}, wdl[i].data_ptr<float>());
  }
  return {policy, wdl};
}

ExportReport Compare(torch::jit::Module module, const FoldedNetwork& network,
                     std::span<const float> positions) {
  const int input_size = network.shape.input_size();
  Check(positions.size() % static_cast<size_t>(input_size) == 0, "size of encoded positions");
  const std::vector<float> planes = WithRandomPositions(positions, input_size);
  const int count = static_cast<int>(planes.size()) / input_size;
  const auto [policy, wdl] = Reference(network, planes, count);
  ExportReport report{.positions = count};
  // All at once, and the first alone: the batch is free in size.
  for (const int size : {count, 1}) {
    const torch::Tensor x = InputView(planes.data(), size, network.shape).contiguous();
    const auto output = module.forward({x}).toTuple();
    const torch::Tensor p = output->elements()[0].toTensor();
    const torch::Tensor v = output->elements()[1].toTensor();
    const double policy_difference = LargestDifference(p, policy.narrow(0, 0, size));
    const double wdl_difference = LargestDifference(v, wdl.narrow(0, 0, size));
    if (!(policy_difference <= kMaxPolicyDifference && wdl_difference <= kMaxWdlDifference)) {
      throw RuntimeFailure("the written model differs from the network: policy logits by " +
                           std::to_string(policy_difference) + ", win/draw/loss by " +
                           std::to_string(wdl_difference) + "; it was deleted");
    }
    report.max_policy_difference = std::max(report.max_policy_difference, policy_difference);
    report.max_wdl_difference = std::max(report.max_wdl_difference, wdl_difference);
  }
  return report;
}

}  // namespace

std::string ExportMetadata(const CheckpointInfo& info) {
  const EncodingShape& shape = info.game.shape;
  const Json json = {
      {"format", "khanzero model"},
      {"format_version", 1},
      {"game", info.game.name},
      {"rules_version", info.game.rules_version},
      {"encoding_version", info.game.encoding_version},
      {"files", shape.files},
      {"ranks", shape.ranks},
      {"input",
       {{"shape", {"batch", shape.input_planes, shape.ranks, shape.files}},
        {"view", "squares as the side to move sees them: ranks are turned for Black"},
        {"planes", PlaneNamesOf(info.game)}}},
      {"outputs",
       {{{"name", "policy"},
         {"shape", {"batch", shape.policy_size()}},
         {"meaning",
          "logits; index = plane * squares + square of origin, square = rank * files "
          "+ file, in the mover's view"}},
        {{"name", "wdl"},
         {"shape", {"batch", 3}},
         {"meaning", "probabilities of win, draw, loss for the side to move"}}}},
      {"policy_planes", shape.policy_planes},
      {"network",
       {{"blocks", info.network.blocks},
        {"channels", info.network.channels},
        {"value_hidden", info.network.value_hidden}}},
      {"step", info.step},
      {"games", info.games},
      {"licence", "GPL-3.0-or-later"},
      {"program_version", ProgramVersion()}};
  return json.dump(2) + "\n";
}

ExportReport ExportTorchScript(const FoldedNetwork& network, const CheckpointInfo& info,
                               const fs::path& path, std::span<const float> positions) {
  Check(network.shape == info.game.shape, "description of an exported network");
  const torch::NoGradGuard no_grad;
  const fs::path aside = NameAside(path);
  try {
    std::ostringstream stream;
    BuildModule(network).save(stream, {{kMetadataFile, ExportMetadata(info)}});
    const std::string bytes = std::move(stream).str();
    WriteNewFile(aside, bytes);
    ExportReport report = Compare(torch::jit::load(aside.string()), network, positions);
    report.bytes = bytes.size();
    PublishFile(aside, path);
    return report;
  } catch (const c10::Error& e) {
    std::error_code ignored;
    fs::remove(aside, ignored);
    throw RuntimeFailure("exporting " + path.string() + " failed: " + e.what_without_backtrace());
  } catch (...) {
    std::error_code ignored;
    fs::remove(aside, ignored);
    throw;
  }
}

std::string ReadTorchScriptMetadata(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) throw InputError("there is no file " + path.string());
  torch::jit::ExtraFilesMap extra = {{kMetadataFile, ""}};
  try {
    torch::jit::load(path.string(), torch::kCPU, extra);
  } catch (const c10::Error&) {
    throw InputError(path.string() + " is damaged, or no TorchScript module");
  }
  if (extra[kMetadataFile].empty()) {
    throw InputError(path.string() + " is a TorchScript module, but not one of this program");
  }
  return extra[kMetadataFile];
}

}  // namespace khanzero
