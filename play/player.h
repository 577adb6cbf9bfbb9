// SPDX-License-Identifier: GPL-3.0-or-later
//
// A player chooses moves in many games at once, so that one that runs a network can search them all
// in one batch. Players: random, greedy, alpha-beta (baselines) and networks; make_player.h makes
// one from its name on the command line.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "env/game.h"
#include "mcts/settings.h"
#include "model/settings.h"

namespace khanzero {

// A game in which a player is to move.
template <Game G>
struct Turn {
  const GameState<G>* game = nullptr;
  // For the player's own dice. It depends on the match's seed, the game and the ply alone, so a
  // game is the same whatever else is played beside it.
  uint64_t seed = 0;
};

// Not thread-safe. Keeps nothing from one game to the next that could change a move.
template <Game G>
class Player {
 public:
  virtual ~Player() = default;
  virtual const std::string& name() const = 0;
  // Chooses a legal move for each turn. REQUIRES: moves.size() == turns.size(); no game is over.
  virtual void ChooseMoves(std::span<const Turn<G>> turns, std::span<Move> moves) = 0;
};

// What players that search or evaluate need beyond their spec.
struct PlayerSettings {
  SearchSettings search = {.algorithm = RootAlgorithm::kPuct, .simulations = 100};
  InferenceSettings inference;
  // Leaves of one tree in a batch. 1 makes a game independent of what is played beside it; more is
  // for few games at once.
  int leaves_per_search = 1;
};

}  // namespace khanzero
