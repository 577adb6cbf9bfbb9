// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the games that the learner samples from: the newest ones, in memory in compact form.
// A share of the games, chosen by a hash of their id, is for validation and never trained on.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "env/random.h"
#include "train/config.h"
#include "train/replayed_game.h"

namespace khanzero {

// The window's size in positions after `total` positions were ever made: it grows as KataGo's does
// (Wu 2019): w (N^e - M^e) / (e M^(e-1)) + M, and is everything while that is fewer than M.
int64_t WindowPositions(const LearnerSettings& settings, int64_t total);

// How often each sample of a game is drawn relative to an average one, by how much the search
// surprised the network there (policy surprise weighting, Wu 2019): 1 - share for each, and `share`
// of the game shared out in proportion to the surprise. They sum to the number of samples.
std::vector<double> SampleWeights(const ReplayedGame& game, double share);

// Whether a game is for validation only. Depends on the id alone, so it never changes.
bool IsValidationGame(uint64_t id, double share);

struct SampleRef {
  const ReplayedGame* game = nullptr;
  uint32_t sample = 0;
};

class ReplayWindow {
 public:
  explicit ReplayWindow(const LearnerSettings& settings) : settings_(settings) {}

  // Games come in the order they were made.
  void Add(ReplayedGame game);
  // Lets the oldest games go until at most `positions` samples are left, validation games included.
  void Shrink(int64_t positions);

  int64_t positions() const { return training_positions_ + validation_positions_; }
  int64_t training_positions() const { return training_positions_; }
  int64_t validation_positions() const { return validation_positions_; }
  size_t games() const { return games_.size(); }
  size_t bytes() const { return bytes_; }

  // A game for the game of `id` to start from: any one alike, but of those for training only when
  // that one will be for training, too, so that the two parts share nothing. Null when none is
  // found.
  const ReplayedGame* DrawStart(uint64_t id, Random& random) const;

  enum class Part { kTraining, kValidation };

  // `count` different positions, few of one game as long as there are games enough: uniformly for
  // validation, for training by SampleWeights. Fewer than `count` when the part is smaller. What is
  // returned lives until the next change.
  std::vector<SampleRef> Draw(Part part, int count, Random& random);

 private:
  void Index();

  LearnerSettings settings_;
  std::deque<std::unique_ptr<ReplayedGame>> games_;
  int64_t training_positions_ = 0;
  int64_t validation_positions_ = 0;
  size_t bytes_ = 0;
  bool indexed_ = false;
  // Made by Index(). A sample of weight w is there w times, rounded up or down by a hash, so that
  // a draw from these is a draw by weight.
  std::vector<SampleRef> training_;
  size_t different_training_ = 0;
  std::vector<SampleRef> validation_;
};

}  // namespace khanzero
