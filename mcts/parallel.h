// SPDX-License-Identifier: GPL-3.0-or-later
//
// One search by several threads. Each gathers a batch of leaves, evaluates it and completes it; the
// tree has one lock, held while leaves are gathered and completed. A simulation holds it for a
// microsecond or two, an evaluation takes a hundred, so the threads hardly ever meet there. Leaves
// in flight count as losses (virtual loss: Chaslot, Winands, van den Herik, Parallel Monte-Carlo
// tree search, 2008).
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "env/error.h"
#include "mcts/batch.h"

namespace khanzero {

template <Game G>
class ParallelSearcher {
 public:
  // One thread for each evaluator, the caller's among them. `leaves_per_thread` is the most that a
  // batch takes, once the tree has grown. `cache` may be null.
  ParallelSearcher(std::span<Evaluator* const> evaluators, int leaves_per_thread,
                   EvaluationCache* cache) {
    Check(!evaluators.empty(), "a search without an evaluator");
    for (Evaluator* const evaluator : evaluators) {
      workers_.emplace_back(*evaluator, leaves_per_thread, cache);
    }
  }

  // Searches until the search is finished or `again`, which the calling thread asks after each of
  // its steps while no other thread touches the search, says no. It is not asked before there is a
  // result. No leaf waits when this returns.
  // What an evaluator throws stops all threads and is thrown here; leaves may then wait for ever,
  // and the search must begin anew.
  template <class Again>
  void Run(Search<G>& search, Again&& again) {
    stopped_ = false;
    in_flight_ = 0;
    failure_ = nullptr;
    {
      std::vector<std::jthread> threads;
      try {
        for (size_t i = 1; i < workers_.size(); ++i) {
          threads.emplace_back([&, i] { Work(search, workers_[i], [] { return true; }); });
        }
      } catch (...) {  // no more threads are to be had: those that run must not go on for ever
        const std::scoped_lock lock(mutex_);
        stopped_ = true;
        changed_.notify_all();
        throw;
      }
      Work(search, workers_[0], again);
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // Simulations that end without an evaluation are quick but not free: after so many, others have
  // their turn.
  static constexpr int kSimulationsPerTurn = 256;

  // Of a tree's simulations, at most about one in so many is in flight.
  static constexpr int kSimulationsPerLeaf = 32;

  struct Worker {
    Worker(Evaluator& e, int leaf_count, EvaluationCache* cache)
        : evaluator(e), batch(e.shape(), cache), leaves(static_cast<size_t>(leaf_count)) {}
    Evaluator& evaluator;
    LeafBatch batch;
    std::vector<Leaf<G>> leaves;
  };

  template <class Again>
  void Work(Search<G>& search, Worker& worker, Again&& again) {
    try {
      std::unique_lock lock(mutex_);
      while (!stopped_) {
        Step(search, worker, lock);
        if (search.has_result() && !again()) stopped_ = true;
      }
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stopped_ = true;
    }
    changed_.notify_all();
  }

  // REQUIRES: `lock` is held. It is released while the evaluator works.
  void Step(Search<G>& search, Worker& worker, std::unique_lock<std::mutex>& lock) {
    const int64_t started = search.simulations_started();
    Gather(search, worker);
    if (worker.batch.size() == 0) {
      if (search.simulations_started() > started && !search.finished()) return;
      if (in_flight_ == 0) {
        Check(search.finished(), "a search that cannot go on is finished");
        stopped_ = true;
      } else {
        changed_.wait(lock);
      }
      return;
    }
    ++in_flight_;
    lock.unlock();
    try {
      worker.batch.Evaluate(worker.evaluator);
    } catch (...) {
      lock.lock();
      --in_flight_;
      // Before the lock is let go: another thread would take the search for one that has come to
      // its end with nothing in flight.
      if (!failure_) failure_ = std::current_exception();
      stopped_ = true;
      throw;
    }
    lock.lock();
    for (int i = 0; i < worker.batch.size(); ++i) {
      worker.batch.Complete(search, worker.leaves[static_cast<size_t>(i)], i);
    }
    --in_flight_;
    changed_.notify_all();
  }

  void Gather(Search<G>& search, Worker& worker) {
    worker.batch.Clear();
    search.AllowStarts(kSimulationsPerTurn);
    // A small tree has few leaves worth a look at once.
    const auto known = search.simulations_started() / kSimulationsPerLeaf;
    const size_t worth = 1 + static_cast<size_t>(known) / workers_.size();
    const size_t count = std::min(worth, worker.leaves.size());
    for (size_t i = 0; i < count; ++i) {
      if (!worker.batch.Gather(search, worker.leaves[i])) break;
    }
  }

  std::deque<Worker> workers_;
  std::mutex mutex_;  // of the search and all below
  std::condition_variable changed_;
  bool stopped_ = false;
  int in_flight_ = 0;  // batches
  std::exception_ptr failure_;
};

}  // namespace khanzero
