// SPDX-License-Identifier: GPL-3.0-or-later
//
// The seam between search and network. An Evaluator takes a batch of encoded positions and gives,
// for each, logits of the asked-for policy indices and win/draw/loss for the side to move. It knows
// nothing of games: only shapes and flat arrays pass here, so other backends (int8 on the CPU, GPU
// streams) fit behind it without a change elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "env/game_info.h"
#include "env/types.h"

namespace khanzero {

// A batch, owned and reused by the caller. Inputs are appended position by position; the evaluator
// fills the outputs.
class EvaluationBatch {
 private:
  template <class V>
  auto Part(V& v, int i) const {
    const uint32_t begin = offsets_[static_cast<size_t>(i)];
    return std::span(v).subspan(begin, offsets_[static_cast<size_t>(i) + 1] - begin);
  }

 public:
  explicit EvaluationBatch(const EncodingShape& shape) : shape_(shape) {}

  void Clear() {
    size_ = 0;
    policy_indices_.clear();
    offsets_.assign(1, 0);
  }

  // Adds a position and returns its planes, input_size() floats in [square][plane] order, for the
  // caller to fill before the next call. `indices` are the policy indices wanted, normally those of
  // all legal moves.
  std::span<float> Add(std::span<const uint16_t> indices) {
    const auto input_size = static_cast<size_t>(shape_.input_size());
    const size_t begin = static_cast<size_t>(size_) * input_size;
    if (planes_.size() < begin + input_size) planes_.resize(begin + input_size);
    policy_indices_.insert(policy_indices_.end(), indices.begin(), indices.end());
    offsets_.push_back(static_cast<uint32_t>(policy_indices_.size()));
    ++size_;
    return std::span(planes_).subspan(begin, input_size);
  }

  // Makes room for the outputs of the positions added. Evaluators call it first.
  void PrepareOutputs() {
    logits_.resize(policy_indices_.size());
    wdl_.resize(static_cast<size_t>(size_));
  }

  const EncodingShape& shape() const { return shape_; }
  int size() const { return size_; }
  // size() * input_size() floats.
  std::span<const float> planes() const {
    return std::span(planes_).first(static_cast<size_t>(size_) *
                                    static_cast<size_t>(shape_.input_size()));
  }
  std::span<const uint16_t> policy_indices(int i) const { return Part(policy_indices_, i); }
  // One logit for each policy index asked for; not normalised.
  std::span<const float> logits(int i) const { return Part(logits_, i); }
  std::span<float> mutable_logits(int i) { return Part(logits_, i); }
  const Wdl& wdl(int i) const { return wdl_[static_cast<size_t>(i)]; }
  Wdl& mutable_wdl(int i) { return wdl_[static_cast<size_t>(i)]; }

 private:
  EncodingShape shape_;
  int size_ = 0;
  std::vector<float> planes_;
  std::vector<uint16_t> policy_indices_;
  std::vector<uint32_t> offsets_ = {0};
  std::vector<float> logits_;
  std::vector<Wdl> wdl_;
};

// Not thread-safe: one object a thread. Throws RuntimeFailure when the device fails.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual const EncodingShape& shape() const = 0;
  // Fills the outputs of `batch`. REQUIRES: batch.shape() == shape().
  virtual void Evaluate(EvaluationBatch& batch) = 0;
};

// Knows nothing: all logits 0, the value a draw. The first generation of self-play uses it, and
// tests.
class UniformEvaluator : public Evaluator {
 public:
  explicit UniformEvaluator(const EncodingShape& shape) : shape_(shape) {}
  const EncodingShape& shape() const override { return shape_; }
  void Evaluate(EvaluationBatch& batch) override {
    batch.PrepareOutputs();
    for (int i = 0; i < batch.size(); ++i) {
      std::ranges::fill(batch.mutable_logits(i), 0.0F);
      batch.mutable_wdl(i) = {0.0F, 1.0F, 0.0F};
    }
  }

 private:
  EncodingShape shape_;
};

}  // namespace khanzero
