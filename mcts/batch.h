// SPDX-License-Identifier: GPL-3.0-or-later
//
// Searches in lockstep: each step takes leaves from every unfinished search and evaluates them in
// one call. Self-play and players both work through here.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "mcts/evaluator.h"
#include "mcts/search.h"

namespace khanzero {

// Walks down `search` until a leaf needs an evaluation, which is added to `batch` (true), or until
// the search is finished or has nothing more to start (false).
template <Game G>
bool GatherLeaf(Search<G>& search, Leaf<G>& leaf, EvaluationBatch& batch) {
  while (!search.finished() && search.can_start()) {
    switch (search.Descend(leaf)) {
      case Descent::kNeedsEvaluation:
        G::Encode(leaf.position, batch.Add(leaf.policy_indices));
        return true;
      case Descent::kFinished:
        break;
      case Descent::kCollision:
        return false;
    }
  }
  return false;
}

template <Game G>
class BatchSearcher {
 public:
  // `leaves_per_search` above 1 is for few searches at once: the leaves of one tree then differ by
  // counting those in flight as losses.
  BatchSearcher(Evaluator& evaluator, int leaves_per_search)
      : evaluator_(evaluator), batch_(evaluator.shape()), leaves_per_search_(leaves_per_search) {}

  // Takes leaves of every search, evaluates them in one call and completes them. Returns the number
  // of leaves; 0 when every search is finished.
  int Step(std::span<Search<G>* const> searches) {
    batch_.Clear();
    owners_.clear();
    for (Search<G>* const search : searches) {
      for (int i = 0; i < leaves_per_search_; ++i) {
        if (leaves_.size() <= owners_.size()) leaves_.emplace_back();
        if (!GatherLeaf(*search, leaves_[owners_.size()], batch_)) break;
        owners_.push_back(search);
      }
    }
    if (owners_.empty()) return 0;
    evaluator_.Evaluate(batch_);
    for (size_t i = 0; i < owners_.size(); ++i) {
      const int row = static_cast<int>(i);
      owners_[i]->Complete(leaves_[i], batch_.logits(row), batch_.wdl(row));
    }
    return static_cast<int>(owners_.size());
  }

  // Steps until every search is finished.
  void Run(std::span<Search<G>* const> searches) {
    while (Step(searches) > 0) {
    }
  }

 private:
  Evaluator& evaluator_;
  EvaluationBatch batch_;
  int leaves_per_search_;
  std::deque<Leaf<G>> leaves_;  // a deque: leaves stay where they are
  std::vector<Search<G>*> owners_;
};

}  // namespace khanzero
