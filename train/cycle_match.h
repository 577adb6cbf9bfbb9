// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matches inside the loop: the newest checkpoint against a player that never changes.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "play/match.h"
#include "train/config.h"

namespace khanzero {

struct CycleMatch {
  const Config& config;
  std::filesystem::path checkpoint;  // the newest
  std::stop_token stop;
  std::function<void()> on_game;
};

// Plays `pairs` pairs of games against `opponent` (a player's name) with evaluation.simulations.
// Throws as PlayMatch.
MatchResult MatchNewest(const CycleMatch& cycle, const std::string& opponent, int pairs);

// Points a game, 0..1, by opponent.
using MatchScores = std::vector<std::pair<std::string, double>>;

// evaluation.pairs against each of the baselines, random and greedy. Of a match that was stopped
// the scores say nothing.
MatchScores MeasureNewest(const CycleMatch& cycle);
// "random 95.0 %, greedy 61.2 %"
std::string Text(const MatchScores& scores);

}  // namespace khanzero
