// SPDX-License-Identifier: GPL-3.0-or-later
//
// The figures of one cycle of the loop: one line of metrics.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "train/game_record.h"
#include "train/learner.h"

namespace khanzero {

struct CycleMetrics {
  int64_t cycle = 0;
  double hours = 0.0;  // of work, since the run began
  int64_t step = 0;
  int64_t games = 0;      // of the run so far, pruned ones included
  int64_t positions = 0;  // likewise
  int64_t window_positions = 0;
  int64_t window_bytes = 0;

  double self_play_seconds = 0.0;
  int64_t evaluations = 0;
  double learner_seconds = 0.0;
  TrainingReport training;
  ValidationReport validation;
  std::vector<std::pair<std::string, double>> scores;  // opponent, points a game 0..1
  int64_t damaged_games = 0;

  // Of this cycle's games.
  int64_t new_games = 0;
  int64_t new_positions = 0;
  int64_t new_plies = 0;
  int64_t white_wins = 0;
  int64_t black_wins = 0;
  int64_t draws = 0;
  std::map<std::string, int64_t> endings;

  void Count(const GameRecord& game);
  // Adds one line of JSON. Throws RuntimeFailure when it cannot be written.
  void AppendTo(const std::filesystem::path& path) const;
};

}  // namespace khanzero
