// SPDX-License-Identifier: GPL-3.0-or-later
//
// The CPU's path is measured and tested. The CUDA path is the same network with pinned copies in
// and out; it has been compiled, but not yet run on a GPU.
#include "model/torch_evaluator.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "env/error.h"
#include "model/cpu_features.h"
#include "model/inference.h"
#include "model/network.h"
#include "model/policy_rows.h"
#include "model/torch_switches.h"

namespace khanzero {

torch::Device ResolveDevice(const std::string& name) {
  const bool has_cuda = torch::cuda::is_available();
  if (name == "auto") return has_cuda ? torch::Device(torch::kCUDA, 0) : torch::kCPU;
  if (name == "cpu") return torch::kCPU;
  const bool numbered =
      name.starts_with("cuda:") && name.size() > 5 && name.size() <= 8 &&
      std::all_of(name.begin() + 5, name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (name != "cuda" && !numbered) {
    throw InputError("unknown device '" + name + "'; devices are auto, cpu, cuda and cuda:N");
  }
  if (!has_cuda) {
    throw InputError("device '" + name +
                     "' was asked for, but this LibTorch finds no CUDA device; use device cpu or "
                     "auto, or build with a LibTorch for CUDA");
  }
  const int index = numbered ? std::stoi(name.substr(5)) : 0;
  const auto count = static_cast<int>(torch::cuda::device_count());
  if (index >= count) {
    throw InputError("device '" + name + "' was asked for, but there are " + std::to_string(count) +
                     " CUDA devices, counted from 0");
  }
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

TorchBackend ResolveTorch(const InferenceSettings& settings) {
  TorchBackend backend{.device = ResolveDevice(settings.device), .type = torch::kFloat};
  const bool on_cpu = backend.device.is_cpu();
  switch (settings.precision) {
    case Precision::kAuto:
      backend.type = !on_cpu ? torch::kHalf : ThisCpu().bf16 ? torch::kBFloat16 : torch::kFloat;
      break;
    case Precision::kFp32:
      break;
    case Precision::kBf16:
      if (on_cpu) CheckCpuCan(Precision::kBf16);
      backend.type = torch::kBFloat16;
      break;
    case Precision::kInt8:
      throw InputError(
          "precision int8 is computed by oneDNN on the processor alone; with backend torch or on a "
          "GPU use precision auto, fp32 or bf16");
  }
  return backend;
}

torch::Tensor TorchEvaluator::Conv::operator()(const torch::Tensor& x) const {
  return torch::conv2d(x, weight, bias, /*stride=*/1, padding);
}

TorchEvaluator::TorchEvaluator(std::shared_ptr<const FoldedNetwork> network,
                               const TorchBackend& backend)
    : network_(std::move(network)), backend_(backend) {
  const torch::InferenceMode inference;
  stem_ = Place(network_->stem);
  for (const FoldedBlock& block : network_->blocks) {
    blocks_.push_back({Place(block.first), Place(block.second), {}, {}});
    if (const auto& pooling = block.pooling) {
      blocks_.back().pooling_weight =
          Place(pooling->weight, {pooling->out_features, pooling->in_features});
      blocks_.back().pooling_bias = Place(pooling->bias, {pooling->out_features});
    }
  }
  policy_conv_ = Place(network_->policy_conv);
  if (!backend_.device.is_cpu()) policy_out_ = Place(network_->policy_out);
  value_conv_ = Place(network_->value_conv);
  const LinearLayer& hidden = network_->value_hidden;
  const LinearLayer& out = network_->value_out;
  value_hidden_weight_ = Place(hidden.weight, {hidden.out_features, hidden.in_features});
  value_hidden_bias_ = Place(hidden.bias, {hidden.out_features});
  value_out_weight_ = Place(out.weight, {out.out_features, out.in_features});
  value_out_bias_ = Place(out.bias, {out.out_features});
}

torch::Tensor TorchEvaluator::Place(const std::vector<float>& values, at::IntArrayRef shape) const {
  // clone: from_blob borrows, and the tensor must not depend on how long `values` live.
  return torch::from_blob(const_cast<float*>(values.data()), shape, torch::kFloat)
      .clone()
      .to(backend_.device);
}

TorchEvaluator::Conv TorchEvaluator::Place(const ConvLayer& layer) const {
  return {.weight = Place(layer.weight,
                          {layer.out_channels, layer.in_channels, layer.kernel, layer.kernel})
                        .to(backend_.type)
                        .contiguous(torch::MemoryFormat::ChannelsLast),
          .bias = Place(layer.bias, {layer.out_channels}).to(backend_.type),
          .padding = layer.kernel / 2};
}

torch::Tensor TorchEvaluator::Tower(const torch::Tensor& planes) const {
  torch::Tensor x = stem_(planes).relu_();
  for (const Block& block : blocks_) {
    x = block.second(block.first(x).relu_()).add_(x).relu_();
    if (!block.pooling_weight.defined()) continue;
    const torch::Tensor features =
        torch::cat({x.mean({2, 3}, false, torch::kFloat), x.amax({2, 3}).to(torch::kFloat)}, 1);
    const torch::Tensor added =
        torch::linear(features, block.pooling_weight, block.pooling_bias).to(backend_.type);
    x.add_(added.unsqueeze(2).unsqueeze(3)).relu_();
  }
  return x;
}

torch::Tensor TorchEvaluator::Value(const torch::Tensor& tower) const {
  torch::Tensor x = value_conv_(tower).relu_().permute({0, 2, 3, 1}).flatten(1).to(torch::kFloat);
  x = torch::linear(x, value_hidden_weight_, value_hidden_bias_).relu_();
  return torch::linear(x, value_out_weight_, value_out_bias_).softmax(1);
}

void TorchEvaluator::Evaluate(EvaluationBatch& batch) {
  Check(batch.shape() == shape(), "shape of an evaluation batch");
  batch.PrepareOutputs();
  if (batch.size() == 0) return;
  try {
    const torch::InferenceMode inference;
    torch::Tensor planes = InputView(batch.planes().data(), batch.size(), shape());
    if (backend_.device.is_cpu()) {
      if (at::get_num_threads() != 1) SetTorchThreads(1);
      planes = planes.to(backend_.type);
    } else {
      const auto count = static_cast<int64_t>(batch.planes().size());
      torch::Tensor pinned = Pinned(pinned_planes_, count, torch::kFloat);
      std::memcpy(pinned.data_ptr<float>(), batch.planes().data(), batch.planes().size_bytes());
      planes = InputView(pinned.data_ptr<float>(), batch.size(), shape())
                   .to(backend_.device, /*non_blocking=*/true)
                   .to(backend_.type);
    }
    const torch::Tensor tower = Tower(planes);
    const torch::Tensor wdl = Value(tower);
    if (backend_.device.is_cpu()) {
      FillLogitsOnCpu(tower, batch);
    } else {
      FillLogitsOnDevice(tower, batch);
    }
    const torch::Tensor wdl_here = wdl.to(torch::kCPU).contiguous();
    const float* p = wdl_here.data_ptr<float>();
    for (int i = 0; i < batch.size(); ++i, p += 3) batch.mutable_wdl(i) = {p[0], p[1], p[2]};
  } catch (const c10::Error& e) {
    throw RuntimeFailure(std::string("evaluating the network failed: ") +
                         e.what_without_backtrace());
  }
}

void TorchEvaluator::FillLogitsOnCpu(const torch::Tensor& tower, EvaluationBatch& batch) const {
  const torch::Tensor features =
      policy_conv_(tower).relu_().to(torch::kFloat).contiguous(torch::MemoryFormat::ChannelsLast);
  const auto size = static_cast<size_t>(features.size(1) * shape().squares());
  const std::span<const float> all(features.data_ptr<float>(),
                                   size * static_cast<size_t>(batch.size()));
  for (int i = 0; i < batch.size(); ++i) {
    FillLogits(network_->policy_out, all.subspan(static_cast<size_t>(i) * size, size), i, batch);
  }
}

void TorchEvaluator::FillLogitsOnDevice(const torch::Tensor& tower, EvaluationBatch& batch) {
  const int squares = shape().squares();
  const int planes = shape().policy_planes;
  int64_t count = 0;
  for (int i = 0; i < batch.size(); ++i) {
    count += static_cast<int64_t>(std::as_const(batch).policy_indices(i).size());
  }
  if (count == 0) return;
  // Where each logit lies in the channels-last output.
  torch::Tensor offsets = Pinned(pinned_offsets_, count, torch::kLong);
  int64_t* offset = offsets.data_ptr<int64_t>();
  for (int i = 0; i < batch.size(); ++i) {
    for (const uint16_t index : std::as_const(batch).policy_indices(i)) {
      Check(index < shape().policy_size(), "policy index in range");
      *offset++ = (static_cast<int64_t>(i) * squares + index % squares) * planes + index / squares;
    }
  }
  const torch::Tensor all = policy_out_(policy_conv_(tower).relu_())
                                .contiguous(torch::MemoryFormat::ChannelsLast)
                                .permute({0, 2, 3, 1})
                                .reshape({-1});
  const torch::Tensor wanted =
      all.index_select(0, offsets.to(backend_.device, /*non_blocking=*/true)).to(torch::kFloat);
  torch::Tensor here = Pinned(pinned_logits_, count, torch::kFloat);
  here.copy_(wanted);
  const float* logit = here.data_ptr<float>();
  for (int i = 0; i < batch.size(); ++i) {
    const std::span<float> logits = batch.mutable_logits(i);
    std::copy_n(logit, logits.size(), logits.begin());
    logit += logits.size();
  }
}

torch::Tensor TorchEvaluator::Pinned(torch::Tensor& buffer, int64_t count, torch::ScalarType type) {
  if (!buffer.defined() || buffer.numel() < count) {
    buffer = torch::empty({count}, torch::TensorOptions(type).pinned_memory(true));
  }
  return buffer.narrow(0, 0, count);
}

}  // namespace khanzero
