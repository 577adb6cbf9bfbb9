// SPDX-License-Identifier: GPL-3.0-or-later
//
// A player chooses moves in many games at once, so that one that runs a network can search them all
// in one batch. Players: random, greedy, alpha-beta (baselines), networks, and engines in processes
// of their own; make_player.h makes one from its name on the command line.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "env/game.h"
#include "mcts/settings.h"
#include "model/settings.h"
#include "play/time_control.h"
#include "play/uci_client.h"
#include "play/uci_game.h"

namespace khanzero {

// A game in which a player is to move.
template <Game G>
struct Turn {
  const GameState<G>* game = nullptr;
  // For the player's own dice. It depends on the match's seed, the game and the ply alone, so a
  // game is the same whatever else is played beside it.
  uint64_t seed = 0;

  // The rest may be left out.
  int side = 0;              // whose settings apply where one object plays both sides of a match
  uint64_t game_number = 0;  // another game has another number
  const typename G::Position* start = nullptr;  // null: only the position itself is known
  std::span<const Move> moves{};                // from *start to the position
  UciLimits limits{};                           // none: the player's own
};

// How a player may fail. Ours never do; an engine in a process of its own may do anything.
enum class Fault {
  kNone,
  kIllegalMove,  // or none, or no move at all
  kTime,         // no answer within the time that was given
  kCrash,        // the process ended, or closed its output
  kHang,         // no answer where no time was given, for as long as anyone would wait
  kGarbage,      // what came was no UCI
  kStopped,      // the match was stopped meanwhile: nobody's fault
};

// What a player answers.
struct Choice {
  Move move{};  // legal when there is no fault
  Fault fault = Fault::kNone;
  std::string fault_text{};  // what happened: "played e2e5", "exit code 1"
  MoveReport report{};
  std::chrono::microseconds elapsed{0};
};

// Not thread-safe. Keeps nothing from one game to the next that could change a move.
template <Game G>
class Player {
 public:
  virtual ~Player() = default;
  virtual const std::string& name() const = 0;
  // Chooses a legal move for each turn. REQUIRES: moves.size() == turns.size(); no game is over.
  virtual void ChooseMoves(std::span<const Turn<G>> turns, std::span<Move> moves) = 0;

  // The same, with what the player says of its moves. This is what a referee calls: a player that
  // can fail overrides it. REQUIRES: as ChooseMoves.
  virtual void Choose(std::span<const Turn<G>> turns, std::span<Choice> choices) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Move> moves(turns.size());
    ChooseMoves(turns, moves);
    const auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - begin);
    for (size_t i = 0; i < moves.size(); ++i) {
      choices[i] = {.move = moves[i], .elapsed = elapsed};
    }
  }
};

// What players that search, evaluate or run a process need beyond their spec.
struct PlayerSettings {
  SearchSettings search = {.algorithm = RootAlgorithm::kPuct, .simulations = 100};
  InferenceSettings inference;
  // Leaves of one tree in a batch. 1 makes a game independent of what is played beside it; more is
  // for few games at once. Searches by time take as many as pay.
  int leaves_per_search = 1;
  // Where none is given, search.simulations is the limit, of engines in nodes too.
  MoveLimits limits{};
  int64_t overhead_ms = 10;  // what a network leaves of its time for the rest of the program
  UciClientSettings engine{};
  std::stop_token stop{};  // ends a search or the wait for an engine
};

// The limits as settings have them, for a turn without a clock.
inline UciLimits UntimedLimits(const PlayerSettings& settings) {
  UciLimits limits;
  limits.movetime_ms = settings.limits.movetime_ms;
  limits.nodes = settings.limits.nodes;
  if (!limits.nodes && !settings.limits.timed()) limits.nodes = settings.search.simulations;
  return limits;
}

}  // namespace khanzero
