// SPDX-License-Identifier: GPL-3.0-or-later
//
// Forced wins by exhaustive AND/OR search: what the tactical suite was found and is checked with.
// It looks at every move of both sides, knows no evaluation, and takes every end of a game from
// ComputeOutcome(): mate, stalemate, the king on its last rank, the 50-move rule. Repetition needs
// eight plies to happen from a position without a history, so up to five plies it cannot.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "env/game.h"

namespace khanzero {

// Which moves the side that wants to win tries: all, or checks and king moves alone, which is quick
// but finds fewer wins.
enum class Attack { kEveryMove, kForcingMoves };

struct ForcedWin {
  int plies = 0;            // to the end of the game; 0: there is none within the plies asked for
  std::vector<Move> moves;  // every first move that forces a win in that number
};

template <Game G>
class ExhaustiveSearch {
 public:
  using Position = typename G::Position;
  using Moves = typename G::Moves;
  using Bits = typename Position::Bits;
  using Tables = typename Position::Tables;

  // Gives up after `most_nodes` positions of one question.
  explicit ExhaustiveSearch(uint64_t most_nodes = std::numeric_limits<uint64_t>::max())
      : most_nodes_(most_nodes) {}

  // The shortest forced win of the side to move within `most_plies`. REQUIRES: the game is not
  // over in `position`; most_plies is 1, 3 or 5.
  ForcedWin ShortestWin(const Position& position, int most_plies) {
    nodes_ = 0;
    for (int plies = 1; plies <= most_plies; plies += 2) {
      ForcedWin win{.plies = plies, .moves = WinningMoves(position, plies, kAll)};
      if (gave_up()) break;
      if (!win.moves.empty()) return win;
    }
    return {};
  }

  // Whether checks and king moves alone force a win in at most `plies`.
  bool HasForcingWin(const Position& position, int plies) {
    nodes_ = 0;
    attack_ = Attack::kForcingMoves;
    const bool found = WinsWithin(position, plies);
    attack_ = Attack::kEveryMove;
    return found && !gave_up();
  }

  // How many plies the side to move can hold out; 0 when it does not lose within `most_plies`, an
  // even number below 6. REQUIRES: the game is not over in `position`.
  int PliesToLoss(const Position& position, int most_plies) {
    nodes_ = 0;
    for (int plies = 2; plies <= most_plies; plies += 2) {
      if (LosesWithin(position, plies) && !gave_up()) return plies;
    }
    return 0;
  }

  // Whether the last question was given up; its answer then means nothing.
  bool gave_up() const { return nodes_ > most_nodes_; }
  uint64_t nodes() const { return nodes_; }

 private:
  static constexpr int kAll = std::numeric_limits<int>::max();

  static bool IsWonBy(Color side, const Position& position) {
    return position.ComputeOutcome().result == WinFor(side);
  }

  // Whether the side to move holds a piece that it may place: any but the king may stand on all
  // squares but the few beside the enemy king, so that side, when not in check, has a move.
  static bool HoldsPiece(const Position& position, Color side) {
    for (int t = 0; t < Position::kTypes; ++t) {
      if (t != Position::Spec::kKing && position.in_hand(side, t) > 0) return true;
    }
    return false;
  }

  // The squares from which a piece that is placed might check the king on `king`.
  static Bits CheckingSquares(Square king) {
    return Tables::RookRays(king) | Tables::BishopRays(king) | Tables::KnightJumps(king);
  }

  // The moves of `position` that win in exactly `plies`, given that none wins in fewer; at most
  // `most` of them.
  std::vector<Move> WinningMoves(const Position& position, int plies, int most) {
    Moves moves;
    position.LegalMoves(moves);
    return plies == 1 ? WinsAtOnce(position, moves, most) : WinsLater(position, moves, plies, most);
  }

  std::vector<Move> WinsAtOnce(const Position& position, const Moves& moves, int most) {
    const Color us = position.side_to_move();
    const Square enemy_king = position.king(~us);
    // A move that neither checks nor brings the king home can win by stalemate alone.
    const bool stalemate_possible = !HoldsPiece(position, ~us);
    std::vector<Move> wins;
    for (const Move& move : moves) {
      if (move.kind == MoveKind::kPlacement && !stalemate_possible &&
          (enemy_king == kNoSquare ||
           (CheckingSquares(enemy_king) & Position::Geo::Bit(move.to)) == 0)) {
        continue;
      }
      const Position next = After(position, move);
      if (!stalemate_possible && !next.WonByGoal() && !next.InCheck()) continue;
      if (!IsWonBy(us, next)) continue;
      wins.push_back(move);
      if (static_cast<int>(wins.size()) >= most) break;
    }
    return wins;
  }

  std::vector<Move> WinsLater(const Position& position, const Moves& moves, int plies, int most) {
    const Color us = position.side_to_move();
    std::vector<Move> wins;
    for (const bool forcing : {true, false}) {
      if (!forcing && attack_ == Attack::kForcingMoves) break;
      for (const Move& move : moves) {
        const Position next = After(position, move);
        const bool is_forcing = next.InCheck() || move.from == position.king(us);
        if (is_forcing != forcing || !LosesWithin(next, plies - 1)) continue;
        wins.push_back(move);
        if (static_cast<int>(wins.size()) >= most) return wins;
      }
      if (gave_up()) break;
    }
    return wins;
  }

  bool WinsWithin(const Position& position, int plies) {
    Moves moves;
    position.LegalMoves(moves);
    if (!WinsAtOnce(position, moves, 1).empty()) return true;
    for (int n = 3; n <= plies; n += 2) {
      if (!WinsLater(position, moves, n, 1).empty()) return true;
    }
    return false;
  }

  // Whether the side to move has lost, or loses within `plies` whatever it plays.
  bool LosesWithin(const Position& position, int plies) {
    const Color us = position.side_to_move();
    Moves moves;
    position.LegalMoves(moves);
    const Outcome outcome = position.OutcomeGiven(!moves.empty());
    if (outcome.over()) return outcome.result == WinFor(~us);
    if (plies < 2 || gave_up()) return false;
    // The reply that held last time is likely to hold again.
    Move& killer = killers_[static_cast<size_t>(plies)];
    const bool killer_legal = std::find(moves.begin(), moves.end(), killer) != moves.end();
    if (killer_legal && Holds(position, killer, plies)) return false;
    for (const Move& move : moves) {
      if ((killer_legal && move == killer) || !Holds(position, move, plies)) continue;
      killer = move;
      return false;
    }
    return true;
  }

  bool Holds(const Position& position, Move reply, int plies) {
    const Position next = After(position, reply);
    return next.ComputeOutcome().over() || !WinsWithin(next, plies - 1);
  }

  Position After(const Position& position, Move move) {
    ++nodes_;
    Position next = position;
    next.Play(move);
    return next;
  }

  uint64_t most_nodes_;
  uint64_t nodes_ = 0;
  Attack attack_ = Attack::kEveryMove;
  std::array<Move, 6> killers_{};
};

}  // namespace khanzero
