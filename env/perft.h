// SPDX-License-Identifier: GPL-3.0-or-later
//
// Perft: the number of legal move sequences of exactly `depth` plies. A won game has no moves below
// it, mate and stalemate count 0, the 50-move rule and repetition are ignored.
#pragma once

#include <cstdint>

#include "env/position.h"

namespace khanzero {

template <class Pos>
uint64_t Perft(const Pos& position, int depth) {
  if (depth <= 0) return 1;
  if (depth == 1) return static_cast<uint64_t>(position.CountLegalMoves());
  typename Pos::Moves moves;
  position.LegalMoves(moves);
  uint64_t nodes = 0;
  for (const Move& move : moves) {
    Pos next = position;
    next.Play(move);
    nodes += Perft(next, depth - 1);
  }
  return nodes;
}

}  // namespace khanzero
