// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a cycle's games were like, for metrics and alarms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "train/game_record.h"

namespace khanzero {

struct CycleGames {
  static constexpr size_t kOpeningPlies = 6;

  int64_t new_games = 0;
  int64_t new_positions = 0;
  int64_t new_policy_positions = 0;  // those of them that have a policy target
  int64_t new_plies = 0;
  int64_t white_wins = 0;
  int64_t black_wins = 0;
  int64_t draws = 0;
  int64_t capped_games = 0;
  std::map<std::string, int64_t> endings;
  int64_t earlier_starts = 0;                // games that start from a position of an earlier one
  std::set<std::vector<uint16_t>> openings;  // different first kOpeningPlies moves of the others

  // White's points a game.
  double white_score() const {
    return new_games == 0 ? 0.5
                          : (static_cast<double>(white_wins) + 0.5 * static_cast<double>(draws)) /
                                static_cast<double>(new_games);
  }

  void Count(const GameRecord& game);
  // Counts those that `others` counted.
  void Add(const CycleGames& others);
};

}  // namespace khanzero
