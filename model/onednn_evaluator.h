// SPDX-License-Identifier: GPL-3.0-or-later
//
// The Evaluator on oneDNN's primitives, for the CPU. A batch of any size runs as parts of a few
// fixed sizes, each planned once: small enough that a part's activations stay in the processor's
// second cache, and no position is computed in vain. A position asks for the logits of its few
// legal moves, so only those rows of the policy's last layer are multiplied, in fp32.
#pragma once

#include <memory>
#include <vector>

#include "mcts/evaluator.h"
#include "model/folded_network.h"
#include "model/onednn_tower.h"
#include "model/settings.h"

namespace khanzero {

class OneDnnEvaluator : public Evaluator {
 public:
  // Its rate hardly depends on the batch: few positions leave the caches to the trees.
  static constexpr int kGoodBatch = 32;

  // `precision` is kFp32, kBf16 or kInt8; the last wants a calibrated network. Throws
  // RuntimeFailure when oneDNN cannot.
  OneDnnEvaluator(std::shared_ptr<const FoldedNetwork> network, Precision precision);

  const EncodingShape& shape() const override { return network_->shape; }
  void Evaluate(EvaluationBatch& batch) override;

 private:
  void FillOutputs(const OneDnnTower& tower, int first, EvaluationBatch& batch) const;

  std::shared_ptr<const FoldedNetwork> network_;
  std::vector<OneDnnTower> towers_;  // largest first
};

}  // namespace khanzero
