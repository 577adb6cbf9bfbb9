// SPDX-License-Identifier: GPL-3.0-or-later
//
// Looks for a short forced win by trying every move: at once, or within three plies. A move is
// given up at the first reply that has no win against it, and that reply is tried first against the
// next move, so the look costs a few times the legal moves squared, without any evaluation.
#pragma once

#include <cstdint>
#include <optional>

#include "env/game.h"
#include "env/history.h"

namespace khanzero {

template <Game G>
class ForcedWinFinder {
 public:
  using Position = typename G::Position;
  using Moves = typename G::Moves;

  struct Win {
    int move = 0;   // index into the moves given
    int plies = 0;  // from the position to the end of the game
  };

  // A move of `moves`, all legal moves of `position`, that ends the game as a win.
  static std::optional<Win> AtOnce(const Position& position, const Moves& moves) {
    for (int i = 0; i < moves.size(); ++i) {
      if (position.IsGoalMove(moves[i])) return Win{i, 1};
    }
    return Mate(position, moves);
  }

  // The same by mate alone: a move after which the opponent has none. Who is not in check and has a
  // piece in hand is taken to have a move.
  static std::optional<Win> Mate(const Position& position, const Moves& moves) {
    // An opponent whose king is in hand cannot be mated.
    if (position.king(~position.side_to_move()) == kNoSquare) return std::nullopt;
    for (int i = 0; i < moves.size(); ++i) {
      Position next = position;
      next.Play(moves[i]);
      if ((next.InCheck() || !HasHand(next)) && next.CountLegalMoves() == 0) return Win{i, 1};
    }
    return std::nullopt;
  }

  // Tries moves until `budget` positions were looked at.
  explicit ForcedWinFinder(int64_t budget) : left_(budget) {}

  // A move that wins in three plies whatever the reply. `history` is that of `position` and is left
  // as it was: a reply that repeats a position or fills the count of moves saves itself.
  // REQUIRES: there is no win at once.
  std::optional<Win> InThree(const Position& position, KeyHistory& history, const Moves& moves) {
    std::optional<Win> win;
    const size_t size = history.size();
    for (const bool checks : {true, false}) {  // checks first: they win most often
      for (int i = 0; i < moves.size() && !win && left_ > 0; ++i) {
        Position next = position;
        PlayWithHistory(next, history, moves[i]);
        if (next.InCheck() == checks && EveryReplyLoses(next, history)) win = Win{i, 3};
        history.Truncate(size);
      }
    }
    return win;
  }

 private:
  static bool HasHand(const Position& position) {
    if constexpr (G::Spec::kHasHands) {
      for (size_t type = 0; type < G::Spec::kPieces.size(); ++type) {
        if (position.in_hand(position.side_to_move(), static_cast<int>(type)) > 0) return true;
      }
    }
    return false;
  }

  bool EveryReplyLoses(const Position& position, KeyHistory& history) {
    position.LegalMoves(replies_);
    if (position.OutcomeGiven(!replies_.empty()).over()) return false;
    for (const Move& reply : replies_) {
      if (reply == refutation_ && !Loses(position, history, reply)) return false;
    }
    for (const Move& reply : replies_) {
      if (reply == refutation_) continue;
      if (!Loses(position, history, reply)) {
        refutation_ = reply;
        return false;
      }
    }
    return true;
  }

  // Whether the side that replies is lost at once after `reply`.
  bool Loses(const Position& position, KeyHistory& history, Move reply) {
    if (left_ <= 0) return false;
    Position next = position;
    const size_t size = history.size();
    PlayWithHistory(next, history, reply);
    history.Truncate(size);
    next.LegalMoves(answers_);
    left_ -= 1 + answers_.size();
    return !next.OutcomeGiven(!answers_.empty()).over() && AtOnce(next, answers_).has_value();
  }

  int64_t left_;
  Move refutation_{};
  Moves replies_;
  Moves answers_;
};

}  // namespace khanzero
