// SPDX-License-Identifier: GPL-3.0-or-later
//
// Searches in lockstep: each step takes leaves from every unfinished search and evaluates them in
// one call. Self-play and players all work through here.
#pragma once

#include <chrono>
#include <deque>
#include <span>
#include <vector>

#include "mcts/evaluation_cache.h"
#include "mcts/evaluator.h"
#include "mcts/search.h"

namespace khanzero {

// Leaves on their way to an evaluator and back, with a cache beside it.
class LeafBatch {
 public:
  // `cache` may be null. It must outlive the batch, and belong to the network that is asked.
  LeafBatch(const EncodingShape& shape, EvaluationCache* cache) : batch_(shape), cache_(cache) {}

  void Clear() { batch_.Clear(); }
  int size() const { return batch_.size(); }

  // Walks down `search` until a leaf needs the evaluator, which is added (true), or until the
  // search is finished or has nothing more to start (false). The leaf must stay until it is
  // completed.
  template <Game G>
  bool Gather(Search<G>& search, Leaf<G>& leaf) {
    while (!search.finished() && search.can_start()) {
      switch (search.Descend(leaf)) {
        case Descent::kNeedsEvaluation:
          if (CompleteFromCache(search, leaf)) break;
          Encode(leaf);
          return true;
        case Descent::kFinished:
          break;
        case Descent::kCollision:
          return false;
      }
    }
    return false;
  }

  // Throws RuntimeFailure when the device fails.
  void Evaluate(Evaluator& evaluator) {
    const Clock::time_point start = Clock::now();
    evaluator.Evaluate(batch_);
    inference_time_ += Clock::now() - start;
  }

  // Gives the leaf that was added as number `row` its evaluation.
  template <Game G>
  void Complete(Search<G>& search, Leaf<G>& leaf, int row) {
    search.Complete(leaf, batch_.logits(row), batch_.wdl(row));
    if (cache_ != nullptr && search.IsWhole(leaf)) {
      cache_->Insert(leaf.position.EvaluationKey(), batch_.logits(row), batch_.wdl(row));
    }
  }

  // Since the batch was made.
  std::chrono::nanoseconds encode_time() const { return encode_time_; }
  std::chrono::nanoseconds inference_time() const { return inference_time_; }

 private:
  using Clock = std::chrono::steady_clock;

  template <Game G>
  bool CompleteFromCache(Search<G>& search, Leaf<G>& leaf) {
    Wdl wdl;
    if (cache_ == nullptr || !search.IsWhole(leaf) ||
        !cache_->Find(leaf.position.EvaluationKey(), leaf.policy_indices.size(), cached_logits_,
                      wdl)) {
      return false;
    }
    search.Complete(leaf, cached_logits_, wdl, /*from_cache=*/true);
    return true;
  }

  template <Game G>
  void Encode(const Leaf<G>& leaf) {
    const Clock::time_point start = Clock::now();
    G::Encode(leaf.position, batch_.Add(leaf.policy_indices));
    encode_time_ += Clock::now() - start;
  }

  EvaluationBatch batch_;
  EvaluationCache* cache_;
  std::vector<float> cached_logits_;
  std::chrono::nanoseconds encode_time_{0};
  std::chrono::nanoseconds inference_time_{0};
};

template <Game G>
class BatchSearcher {
 public:
  // `leaves_per_search` above 1 is for few searches at once: the leaves of one tree then differ by
  // counting those in flight as losses. `cache` may be null.
  BatchSearcher(Evaluator& evaluator, int leaves_per_search, EvaluationCache* cache = nullptr)
      : evaluator_(evaluator),
        batch_(evaluator.shape(), cache),
        leaves_per_search_(leaves_per_search) {}

  // Takes leaves of every search, evaluates them in one call and completes them. Returns the number
  // of leaves; 0 when every search is finished.
  int Step(std::span<Search<G>* const> searches) {
    batch_.Clear();
    owners_.clear();
    for (Search<G>* const search : searches) {
      for (int i = 0; i < leaves_per_search_; ++i) {
        if (leaves_.size() <= owners_.size()) leaves_.emplace_back();
        if (!batch_.Gather(*search, leaves_[owners_.size()])) break;
        owners_.push_back(search);
      }
    }
    if (owners_.empty()) return 0;
    batch_.Evaluate(evaluator_);
    for (size_t i = 0; i < owners_.size(); ++i) {
      batch_.Complete(*owners_[i], leaves_[i], static_cast<int>(i));
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
  LeafBatch batch_;
  int leaves_per_search_;
  std::deque<Leaf<G>> leaves_;  // a deque: leaves stay where they are
  std::vector<Search<G>*> owners_;
};

}  // namespace khanzero
