// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which pieces of each position of a game are still on the board at its end: the target of the
// survival head.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "env/game.h"

namespace khanzero {

template <Game G>
class SurvivorTracker {
 public:
  using Position = typename G::Position;
  using Bits = typename Position::Bits;
  using Geo = typename Position::Geo;

  // Positions in order, each with the move played there; the last one without.
  void Add(const Position& position, Move move) {
    Add(position);
    moves_.push_back(move);
  }
  void Add(const Position& position) {
    plies_.push_back(
        {position.pieces(Color::kWhite), position.pieces(Color::kBlack), position.side_to_move()});
  }

  // For each position the squares whose piece lasts to the end, wherever it goes. REQUIRES: the
  // last position was added without a move.
  std::vector<Bits> Survivors() const {
    std::vector<Bits> survivors(plies_.size());
    survivors.back() = plies_.back().white | plies_.back().black;
    for (size_t ply = moves_.size(); ply-- > 0;) {
      const Bits alive = survivors[ply + 1];
      const Bits own_before = plies_[ply].Of(plies_[ply].mover);
      const Bits own_after = plies_[ply + 1].Of(plies_[ply].mover);
      const Bits other =
          plies_[ply].Of(~plies_[ply].mover) & plies_[ply + 1].Of(~plies_[ply].mover);
      Bits& here = survivors[ply];
      here = alive & ((own_before & own_after) | other);
      // What left a square came to another: the piece that moved, and the rook when castling.
      const Move move = moves_[ply];
      Bits left = own_before & ~own_after;
      Bits came = own_after & ~own_before;
      const Bits from = Geo::Bit(move.from);
      const Bits to = Geo::Bit(move.to);
      if ((left & from) != 0 && (alive & to) != 0) here |= from;
      left &= ~from;
      came &= ~to;
      if (left != 0 && (alive & came) != 0) here |= left;
    }
    return survivors;
  }

 private:
  struct Ply {
    Bits white;
    Bits black;
    Color mover;
    Bits Of(Color color) const { return color == Color::kWhite ? white : black; }
  };
  std::vector<Ply> plies_;
  std::vector<Move> moves_;
};

}  // namespace khanzero
