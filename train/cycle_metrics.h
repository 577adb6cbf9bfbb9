// SPDX-License-Identifier: GPL-3.0-or-later
//
// The figures of one cycle of the loop: one line of metrics.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "train/actor_hub.h"
#include "train/cycle_games.h"
#include "train/learner.h"

namespace khanzero {

// How far the search is from the network on positions that never change.
struct SearchGap {
  double divergence = 0.0;  // of the search's policy from the network's, nats
  double agreement = 0.0;   // share of positions where both prefer the same move
};

// What the ladder says of the newest checkpoint.
struct LadderStanding {
  double elo = 0.0;    // above a random player
  double error = 0.0;  // half-width of the 95 % interval
  int64_t games = 0;   // that it played
};

// With what this cycle's games were like.
struct CycleMetrics : CycleGames {
  int64_t cycle = 0;
  double hours = 0.0;  // of work, since the run began
  int64_t step = 0;
  int64_t games = 0;      // of the run so far, pruned ones included
  int64_t positions = 0;  // likewise
  int64_t window_positions = 0;
  int64_t window_bytes = 0;

  int simulations = 0;  // of a full search of self-play
  double self_play_seconds = 0.0;
  int64_t evaluations = 0;
  double waiting_share = 0.0;  // of the workers' time
  double learner_seconds = 0.0;
  TrainingReport training;
  ValidationReport validation;
  SearchGap search_gap;
  double reuse = 0.0;  // samples trained on for each training position, since the run began
  std::vector<std::pair<std::string, double>> scores;  // opponent, points a game 0..1
  std::optional<LadderStanding> ladder;
  int64_t damaged_games = 0;
  std::optional<ActorFigures> actors;  // of other machines, where they are listened to

  std::vector<std::string> alarms;

  double learner_waiting_share() const {
    return learner_seconds > 0.0 ? training.waiting_seconds / learner_seconds : 0.0;
  }

  // Adds one line of JSON. Throws RuntimeFailure when it cannot be written.
  void AppendTo(const std::filesystem::path& path) const;
};

}  // namespace khanzero
