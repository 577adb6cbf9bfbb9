// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where a learner stands among several that share each step of one run, as torchrun tells it in the
// environment. No LibTorch here.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace khanzero {

struct LearnerPlace {
  int rank = 0;      // 0 leads: it has the run's folder, and the others follow it
  int learners = 1;  // in all
  std::string address = {};
  uint16_t port = 29500;
  // Where the launcher itself keeps the store in which learners meet, as torchrun does, and how
  // often it has started them before.
  bool has_store = false;
  std::string attempt = "0";
  // A learner that is not heard of for so long is lost; the first tells the others that it is there
  // whenever so much time has passed without steps.
  std::chrono::milliseconds patience = std::chrono::minutes(5);
  std::chrono::milliseconds beat = std::chrono::seconds(30);
};

// From RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT (29500 when it is not set) of the environment,
// and what torchrun sets besides (TORCHELASTIC_USE_AGENT_STORE, TORCHELASTIC_RESTART_COUNT).
// Throws InputError when one is missing or wrong, or when WORLD_SIZE is not `learners`.
LearnerPlace ReadLearnerPlace(int learners);

// "learner 1 of 2", 1 being the rank.
std::string NameOfLearner(const LearnerPlace& place, int rank);

struct FollowOptions {
  LearnerPlace place;
  std::vector<std::string> settings = {};  // "section.key=value", for this learner alone
  std::stop_token stop = {};               // ends the run, cleanly, at its next step
  std::function<void(const std::string&)> say;
};

struct FollowSummary {
  bool stopped = false;      // before the others were there
  int64_t steps = 0;         // made with the others
  std::string weights = {};  // checksum of the trained weights, which all learners have
};

// A learner of rank 1 or more: takes the run's configuration and weights from the first and makes
// its share of every step, until the first says that the run ends. Throws InputError when programs
// or places do not fit, RuntimeFailure when another learner is lost.
FollowSummary FollowTraining(const FollowOptions& options);

}  // namespace khanzero
