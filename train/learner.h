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
#include "train/replay_window.h"

namespace khanzero {

struct FoldedNetwork;

// Averages over the steps of one call.
struct TrainingReport {
  int64_t steps = 0;
  int64_t samples = 0;
  int64_t skipped_steps = 0;    // their loss or gradient was not finite; weights were left alone
  double policy_loss = 0.0;     // cross-entropy, nats
  double value_loss = 0.0;      // cross-entropy of win/draw/loss, nats
  double policy_entropy = 0.0;  // of the network's policy, nats
  double gradient_norm = 0.0;
  double learning_rate = 0.0;  // of the last step
};

struct ValidationReport {
  int64_t samples = 0;
  double policy_loss = 0.0;
  double value_loss = 0.0;
  double top_move_agreement = 0.0;  // share where network and search prefer the same move
};

class Learner {
 public:
  // A fresh network from the configuration's seed.
  explicit Learner(const Config& config);
  // Goes on from a checkpoint. Throws InputError as LoadCheckpoint does, and when the checkpoint
  // has no training state.
  Learner(const Config& config, const std::filesystem::path& checkpoint);
  ~Learner();

  // Makes `steps` steps on samples of `window`. `progress` is the share of the run's budget that is
  // spent, 0..1, and drives the learning rate. `on_step` is called after each step with the report
  // so far. Stops early when asked to. Throws RuntimeFailure when many steps in a row give no
  // finite loss.
  TrainingReport Train(ReplayWindow& window, int64_t steps, double progress, std::stop_token stop,
                       const std::function<void(const TrainingReport&)>& on_step);

  // Makes steps on one batch over and over while `on_step`, told the samples so far, says so. For
  // measurements: Train() without the making of batches.
  void RepeatBatch(ReplayWindow& window, const std::function<bool(int64_t)>& on_step);

  // Losses on at most `samples` validation positions; nothing is learned.
  ValidationReport Validate(ReplayWindow& window, int samples);

  // The present network for self-play: a copy that training does not touch.
  std::shared_ptr<const FoldedNetwork> Folded() const;

  // Writes a checkpoint with the training state. `loop_state` is kept with it for the loop.
  void Save(const std::filesystem::path& path, const CheckpointInfo& info,
            const std::string& loop_state) const;

  int64_t step() const;
  int64_t parameter_count() const;
  // What the loop stored with the checkpoint this learner was made from.
  const std::string& loop_state() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace khanzero
