// SPDX-License-Identifier: GPL-3.0-or-later
//
// The Evaluator on LibTorch's operators. Convolutions run in the chosen precision on channels-last
// memory. On the CPU the policy's last layer is not run as one: a position asks for the logits of
// its few legal moves, so only those rows of its weights are multiplied, in fp32, straight from the
// channels-last features. The value's linear layers are fp32 too.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "mcts/evaluator.h"
#include "model/folded_network.h"
#include "model/settings.h"

namespace khanzero {

// Where and in what arithmetic an evaluator runs.
struct TorchBackend {
  torch::Device device = torch::kCPU;
  torch::ScalarType type = torch::kFloat;  // of convolutions: kFloat, kBFloat16, kHalf
};

// The device of this name; "auto" is a GPU where there is one. Throws InputError for a name that is
// none and for a device that is not there.
torch::Device ResolveDevice(const std::string& name);

// Resolves "auto" among what LibTorch can. Throws InputError for what it cannot, here or at all.
TorchBackend ResolveTorch(const InferenceSettings& settings);

class TorchEvaluator : public Evaluator {
 public:
  TorchEvaluator(std::shared_ptr<const FoldedNetwork> network, const TorchBackend& backend);

  const EncodingShape& shape() const override { return network_->shape; }
  void Evaluate(EvaluationBatch& batch) override;

 private:
  struct Conv {
    torch::Tensor weight;
    torch::Tensor bias;
    int padding = 0;

    torch::Tensor operator()(const torch::Tensor& x) const;
  };
  struct Block {
    Conv first;
    Conv second;
    torch::Tensor pooling_weight;  // fp32; undefined without pooling
    torch::Tensor pooling_bias;
  };

  Conv Place(const ConvLayer& layer) const;
  torch::Tensor Place(const std::vector<float>& values, at::IntArrayRef shape) const;
  torch::Tensor Tower(const torch::Tensor& planes) const;
  // Win/draw/loss probabilities [B, 3], fp32.
  torch::Tensor Value(const torch::Tensor& tower) const;
  void FillLogitsOnCpu(const torch::Tensor& tower, EvaluationBatch& batch) const;
  void FillLogitsOnDevice(const torch::Tensor& tower, EvaluationBatch& batch);
  // A pinned buffer of at least `count` elements, kept for the next call.
  static torch::Tensor Pinned(torch::Tensor& buffer, int64_t count, torch::ScalarType type);

  std::shared_ptr<const FoldedNetwork> network_;
  TorchBackend backend_;
  Conv stem_;
  std::vector<Block> blocks_;
  Conv policy_conv_;
  Conv policy_out_;  // used on a device only
  Conv value_conv_;
  torch::Tensor value_hidden_weight_;
  torch::Tensor value_hidden_bias_;
  torch::Tensor value_out_weight_;
  torch::Tensor value_out_bias_;
  torch::Tensor pinned_planes_;
  torch::Tensor pinned_offsets_;
  torch::Tensor pinned_logits_;
};

}  // namespace khanzero
