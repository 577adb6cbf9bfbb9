// SPDX-License-Identifier: GPL-3.0-or-later
//
// Players without a search: the yardsticks that every network must pass first.
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include "env/error.h"
#include "env/random.h"
#include "play/player.h"

namespace khanzero {

// A legal move, each as likely as the next.
template <Game G>
class RandomPlayer : public Player<G> {
 public:
  explicit RandomPlayer(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }

  void ChooseMoves(std::span<const Turn<G>> turns, std::span<Move> moves) override {
    typename G::Moves legal;
    for (size_t i = 0; i < turns.size(); ++i) {
      turns[i].game->position().LegalMoves(legal);
      Check(!legal.empty(), "a player is asked for a move in a game that is over");
      Random random(turns[i].seed);
      moves[i] = legal[static_cast<int>(random.Below(static_cast<uint64_t>(legal.size())))];
    }
  }

 private:
  std::string name_;
};

// Wins at once if it can (king to its last rank, mate, stalemate); else takes the most, minus what
// the dearest recapture on that square takes back; among equals its king nearest to its last rank;
// then by chance.
template <Game G>
class GreedyPlayer : public Player<G> {
 public:
  using Position = typename G::Position;

  explicit GreedyPlayer(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }

  void ChooseMoves(std::span<const Turn<G>> turns, std::span<Move> moves) override {
    for (size_t i = 0; i < turns.size(); ++i) {
      Random random(turns[i].seed);
      moves[i] = Choose(turns[i].game->position(), random);
    }
  }

 private:
  static constexpr int kWin = 1'000'000;

  static Move Choose(const Position& position, Random& random) {
    typename G::Moves legal;
    position.LegalMoves(legal);
    Check(!legal.empty(), "a player is asked for a move in a game that is over");
    Move best = legal[0];
    int best_score = std::numeric_limits<int>::min();
    uint64_t equals = 0;
    for (const Move& move : legal) {
      const int score = Score(position, move);
      if (score > best_score) {
        best_score = score;
        equals = 0;
      }
      // Each of n equals is kept with probability 1/n.
      if (score == best_score && random.Below(++equals) == 0) best = move;
      if (score == kWin) break;
    }
    return best;
  }

  static int Score(const Position& position, Move move) {
    Position next = position;
    next.Play(move);
    if (next.CountLegalMoves() == 0) return kWin;
    const Color us = position.side_to_move();
    // A gain of one hundredth outweighs any advance of the king.
    const int advance = G::kRanks - G::KingDistanceToGoal(next, us);
    return (G::Gain(position, move) - Recapture(next, move.to)) * (G::kRanks + 1) + advance;
  }

  // The most that the mover of `position` gains by a capture on `square`.
  static int Recapture(const Position& position, Square square) {
    if ((position.AttackedBy(position.side_to_move()) >> square & 1) == 0) return 0;
    typename G::Moves replies;
    position.LegalMoves(replies);
    int most = 0;
    for (const Move& reply : replies) {
      if (reply.to == square) most = std::max(most, G::Gain(position, reply));
    }
    return most;
  }

  std::string name_;
};

}  // namespace khanzero
