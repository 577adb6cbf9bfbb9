// SPDX-License-Identifier: GPL-3.0-or-later
//
// Games to learn from what a network knows: of a run, or of the network against itself.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "env/move.h"
#include "env/position.h"
#include "env/types.h"
#include "model/settings.h"

namespace khanzero {

struct StudyGame {
  std::string start_fen{};  // empty: the game's own start
  GameSettings settings{};
  std::vector<Move> moves{};
  int opening_plies = 0;  // of the moves, those that nobody chose
  Result result = Result::kDraw;
  std::string ending{};  // "checkmate", ..., "cap"
};

// What a long work tells: so much of so much of this is done.
using StudyProgress = std::function<void(const std::string& what, int64_t done, int64_t all)>;

struct StudyPlaySettings {
  int games = 400;
  int nodes = 64;  // simulations for each move
  int opening_plies = 4;
  int max_plies = 600;
  int threads = 1;
  uint64_t seed = 1;
  GameSettings rules{};
  InferenceSettings inference{};
  std::stop_token stop{};
};

// Plays games of the network at `weights` against itself, each from an opening of random moves.
// They are the same for the same settings, whatever the threads. Throws InputError for a network
// that is none of `game`'s and for settings out of range, RuntimeFailure when it is stopped.
std::vector<StudyGame> PlayStudyGames(const std::string& game, const std::string& weights,
                                      const StudyPlaySettings& settings,
                                      const StudyProgress& progress);

}  // namespace khanzero
