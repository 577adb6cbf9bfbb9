// SPDX-License-Identifier: GPL-3.0-or-later
//
// Geometry and attacks of the naive rules engine, the same for both games. An attack is found by
// asking every enemy piece on the board, one by one, whether it captures on the square: there are
// no tables and no tricks to get wrong.

#include "naive_position.h"

#include <cstdlib>

namespace khanzero::naive {

bool IsWhite(char piece) { return piece >= 'A' && piece <= 'Z'; }

char Kind(char piece) { return IsWhite(piece) ? static_cast<char>(piece - 'A' + 'a') : piece; }

char PieceOf(char kind, bool white) { return white ? static_cast<char>(kind - 'a' + 'A') : kind; }

bool BelongsTo(char piece, bool white) { return piece != kEmpty && IsWhite(piece) == white; }

std::vector<Square> AllSquares(const Position& position) {
  std::vector<Square> squares;
  for (int rank = 0; rank < position.size; ++rank) {
    for (int file = 0; file < position.size; ++file) squares.push_back({file, rank});
  }
  return squares;
}

int OwnRank(const Position& position, Square square, bool white) {
  return white ? square.rank + 1 : position.size - square.rank;
}

int RanksAhead(Square from, Square to, bool white) {
  return white ? to.rank - from.rank : from.rank - to.rank;
}

bool IsKingStep(Square from, Square to) {
  return !(from == to) && std::abs(from.file - to.file) <= 1 && std::abs(from.rank - to.rank) <= 1;
}

bool IsKnightJump(Square from, Square to) {
  return std::abs((from.file - to.file) * (from.rank - to.rank)) == 2;
}

namespace {

int Sign(int number) { return (number > 0) - (number < 0); }

// REQUIRES: the two squares are different and on one rank, file or diagonal.
bool IsEmptyBetween(const Position& position, Square from, Square to) {
  const int file_step = Sign(to.file - from.file);
  const int rank_step = Sign(to.rank - from.rank);
  Square square{from.file + file_step, from.rank + rank_step};
  while (!(square == to)) {
    if (position.At(square) != kEmpty) return false;
    square.file += file_step;
    square.rank += rank_step;
  }
  return true;
}

}  // namespace

bool IsClearRookLine(const Position& position, Square from, Square to) {
  if (from == to) return false;
  if (from.file != to.file && from.rank != to.rank) return false;
  return IsEmptyBetween(position, from, to);
}

bool IsClearBishopLine(const Position& position, Square from, Square to) {
  if (from == to) return false;
  if (std::abs(from.file - to.file) != std::abs(from.rank - to.rank)) return false;
  return IsEmptyBetween(position, from, to);
}

bool Attacks(const Position& position, Square from, Square to) {
  return position.variant == Variant::kKhans ? KhansCaptures(position, from, to)
                                             : SerbestCaptures(position, from, to);
}

bool IsAttacked(const Position& position, Square square, bool by_white) {
  for (int rank = 0; rank < position.size; ++rank) {
    for (int file = 0; file < position.size; ++file) {
      const Square from{file, rank};
      if (BelongsTo(position.At(from), by_white) && Attacks(position, from, square)) return true;
    }
  }
  return false;
}

std::optional<Square> FindKing(const Position& position, bool white) {
  const char king = PieceOf('k', white);
  for (int rank = 0; rank < position.size; ++rank) {
    for (int file = 0; file < position.size; ++file) {
      const Square square{file, rank};
      if (position.At(square) == king) return square;
    }
  }
  return std::nullopt;
}

bool IsKingAttacked(const Position& position, bool white) {
  const std::optional<Square> king = FindKing(position, white);
  return king.has_value() && IsAttacked(position, *king, !white);
}

bool IsKingOnLastRank(const Position& position, bool white) {
  const std::optional<Square> king = FindKing(position, white);
  return king.has_value() && OwnRank(position, *king, white) == position.size;
}

}  // namespace khanzero::naive
