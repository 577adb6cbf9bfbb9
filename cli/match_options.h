// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options of khanzero match, and the match they ask for.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "play/match.h"

namespace khanzero {

// What may be set for both players, and for each where it is another.
struct PlayerOptions {
  std::optional<int64_t> nodes;
  std::optional<int64_t> movetime_ms;
  std::string time_control;
  std::string algorithm;
  std::string precision;
  std::string search_moves;
  std::vector<std::string> engine_options;  // NAME=VALUE
};

struct MatchCommand {
  std::string game;
  std::array<std::string, 2> players;  // A and B
  std::array<std::string, 2> names;
  std::string self;  // instead of both
  PlayerOptions both;
  std::array<PlayerOptions, 2> each;
  int64_t overhead_ms = 10;
  int64_t time_margin_ms = 100;
  double start_timeout_s = 30.0;
  double answer_timeout_s = 60.0;
  std::string engine_log;
  int leaves = 1;
  InferenceSettings inference;
  std::vector<int> resign;  // centipawns, moves
  bool resign_both = false;
  std::vector<int> draw;  // centipawns, moves, from move
  std::vector<double> sprt;
  std::string sprt_model = "normalized";
  double sprt_alpha = 0.05;
  double sprt_beta = 0.05;
  std::string openings = "random";
  std::string opening_order = "sequential";
  std::string openings_out;
  std::string pgn;
  std::string resume;  // the PGN file of the match to go on with
  int interval = 0;    // pairs between reports; 0: by time
  bool json = false;
  MatchSettings settings;
};

// Adds the options to `sub`; their values go to `command`, which must outlive it.
void AddMatchOptions(CLI::App& sub, MatchCommand& command);

// Completes `command.settings` by what stands beside it. Throws InputError for options that do not
// go together.
void CompleteSettings(MatchCommand& command);
// Player 0 is A, 1 is B.
Contestant ContestantOf(const MatchCommand& command, size_t player);
// What a report says in brackets: "800 nodes, 4 random plies".
std::string ConditionsOf(const MatchCommand& command);

}  // namespace khanzero
