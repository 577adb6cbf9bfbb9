// SPDX-License-Identifier: GPL-3.0-or-later
//
// The learner: takes samples from the window, makes optimiser steps, writes checkpoints. No
// LibTorch in this header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "env/game_info.h"
#include "model/checkpoint.h"
#include "train/config.h"
#include "train/learner_place.h"
#include "train/replay_window.h"

namespace khanzero {

struct FoldedNetwork;

// By head; see train/learner_losses.h. 0 where a head is not trained.
struct HeadLosses {
  double policy = 0.0;
  double value = 0.0;
  double reply = 0.0;
  double survival = 0.0;
  double moves_left = 0.0;
};

// Averages over the steps of one call.
struct TrainingReport {
  int64_t steps = 0;
  int64_t samples = 0;
  int64_t returns = 0;  // to the last good state, because a loss was not finite or leapt
  HeadLosses loss;
  double policy_entropy = 0.0;  // of the network's policy, nats
  double gradient_norm = 0.0;
  double learning_rate = 0.0;    // of the last step
  double waiting_seconds = 0.0;  // for batches, in all
};

struct ValidationReport {
  int64_t samples = 0;
  HeadLosses loss;
  double policy_entropy = 0.0;      // of the network's policy, nats
  double policy_divergence = 0.0;   // of the search's policy from the network's, nats
  double top_move_agreement = 0.0;  // share where network and search prefer the same move
  double calibration_error = 0.0;   // mean distance of expected from true score, 0..1, in ten bins
};

// The heads that RepeatBatch trains: those of play, or all that are configured.
enum class LearnerHeads { kPlay, kConfigured };

class Learner {
 public:
  // A fresh network from the configuration's seed.
  explicit Learner(const Config& config);
  // Goes on from a checkpoint. Throws InputError as LoadCheckpoint does, and when the checkpoint
  // has no training state.
  Learner(const Config& config, const std::filesystem::path& checkpoint);
  ~Learner();

  // Shares every step from here on with the other learners, each of which runs FollowTraining;
  // waits for them to come. A step then takes learner.batch_size samples for each of them and is,
  // to rounding, that of one learner with so many more. `stop` is asked for when one of them is
  // asked to stop. False when it was asked for before they came. Throws as JoinLearners. REQUIRES:
  // place.rank is 0.
  bool Lead(const LearnerPlace& place, const std::stop_source& stop,
            const std::function<void(const std::string&)>& say);
  // Tells the others that the run is over; this one learns alone from here on.
  void Dismiss();
  // learner.batch_size, times the learners.
  int64_t samples_a_step() const;

  // Makes `steps` steps on samples of `window`. `progress` is the share of the run's budget that is
  // spent, 0..1, and drives the learning rate. `on_step` is called after each step with the report
  // so far. Stops early when asked to. A loss that is not finite, or that leaps (see
  // learner.loss_leap), returns the learner to its state of up to 200 steps before; steps undone
  // that way do not count. Throws RuntimeFailure when that happens several times in a row, or when
  // another learner is lost.
  TrainingReport Train(ReplayWindow& window, int64_t steps, double progress, std::stop_token stop,
                       const std::function<void(const TrainingReport&)>& on_step);

  // Makes steps on one batch over and over while `on_step`, told the samples so far, says so. For
  // measurements: Train() without the making of batches. The learner is afterwards as it was.
  // Throws RuntimeFailure when the loss breaks.
  void RepeatBatch(ReplayWindow& window, LearnerHeads heads,
                   const std::function<bool(int64_t)>& on_step);

  // Losses on at most `samples` validation positions; nothing is learned.
  ValidationReport Validate(ReplayWindow& window, int samples);

  // The network for self-play, the average where one is kept: a copy that training does not touch,
  // calibrated on positions of `window` when there are any.
  std::shared_ptr<const FoldedNetwork> Folded(ReplayWindow& window) const;

  // Writes a checkpoint with the training state, and with the ranges of activations of `folded`,
  // the network of this step, where it knows them. `loop_state` is kept with it for the loop.
  void Save(const std::filesystem::path& path, const CheckpointInfo& info,
            const FoldedNetwork& folded, const std::string& loop_state) const;

  int64_t step() const;
  int64_t parameter_count() const;
  // What the loop stored with the checkpoint this learner was made from.
  const std::string& loop_state() const;
  // What the run of that checkpoint was begun from; empty: a fresh network.
  const std::string& origin() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace khanzero
