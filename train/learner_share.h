// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the first of several learners shares its steps: it draws each batch, keeps one share and
// sends the others theirs, and tells them what it does. Followers do as they are told
// (FollowTraining, in train/learner_place.h), so that all come to the same weights.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "train/learner_batch.h"
#include "train/learner_core.h"
#include "train/learner_group.h"

namespace khanzero {

// The positions of `batch` that the learner of `rank` takes; a view. Together the shares are the
// batch, and each has the totals of the whole. REQUIRES: as many positions as learners.
LearnerBatch ShareOf(const LearnerBatch& batch, int rank, int learners);

// A batch as bytes (zstd), and back, to the last bit. UnpackBatch throws RuntimeFailure for bytes
// that are not a batch.
std::string PackBatch(const LearnerBatch& batch);
LearnerBatch UnpackBatch(std::string_view bytes);

// The side of the first learner. Every function throws RuntimeFailure when a follower is lost. One
// thread at a time may call them.
class LearnerLead {
 public:
  explicit LearnerLead(LearnerGroup& group);

  // Steps begin from this state, which is also the first to go back to.
  void Begin(const Config& config, const LearnerCore::Note& state);
  // Each learner but the first makes a step on its share, packed, in the order of ranks.
  void Step(const std::vector<std::string>& shares, double rate);
  // The present state is the one to go back to.
  void Note();
  void GoBack();
  // No steps for a while: the others are told every place().beat that this one is still there.
  void Rest();
  // The run is over: the followers end. Does not throw.
  void End() noexcept;

 private:
  void Tell(const std::string& message);
  void Beat(const std::stop_token& stop);

  LearnerGroup& group_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool resting_ = true;      // guarded by mutex_
  std::exception_ptr lost_;  // guarded by mutex_: what a beat met
  std::jthread beats_;
};

}  // namespace khanzero
