// SPDX-License-Identifier: GPL-3.0-or-later
//
// The Serbest for the naive rules engine: moves on the board as in naive_khans.cc, and placements,
// each tried on every empty square and tested against the limits one by one.

#include <cstdlib>

#include "naive_position.h"

namespace khanzero::naive {

namespace {

// One or two squares straight in any of the four directions, over an empty square.
bool IsPawnStep(const Position& position, Square from, Square to) {
  const int distance = std::abs(from.file - to.file) + std::abs(from.rank - to.rank);
  return distance <= 2 && IsClearRookLine(position, from, to);
}

}  // namespace

bool SerbestMovesQuietly(const Position& position, Square from, Square to) {
  const char kind = Kind(position.At(from));
  if (kind == 'p' || kind == 's') return IsPawnStep(position, from, to);
  return SerbestCaptures(position, from, to);
}

bool SerbestCaptures(const Position& position, Square from, Square to) {
  const char piece = position.At(from);
  switch (Kind(piece)) {
    case 'k':
      return IsKingStep(from, to);
    case 'q':
      return IsClearRookLine(position, from, to) || IsClearBishopLine(position, from, to);
    case 'r':
      return IsClearRookLine(position, from, to);
    case 'b':
      return IsClearBishopLine(position, from, to);
    case 'n':
      return IsKnightJump(from, to);
    case 'p':
      return std::abs(from.file - to.file) == 1 && RanksAhead(from, to, IsWhite(piece)) == 1;
    case 's':
      return std::abs(from.file - to.file) == 1 && std::abs(from.rank - to.rank) == 1;
    default:
      return false;
  }
}

namespace {

bool IsLegalKingPlacement(const Position& position, Square to) {
  const bool white = position.white_to_move;
  if (OwnRank(position, to, white) > position.kings_landing) return false;
  return !IsAttacked(position, to, /*by_white=*/!white);
}

// REQUIRES: the enemy king stands on `enemy_king`.
bool WouldAttack(const Position& position, char kind, Square to, Square enemy_king) {
  Position after = position;
  after.Set(to, PieceOf(kind, position.white_to_move));
  return Attacks(after, to, enemy_king);
}

// Whether the own king is attacked once a piece other than the king stands on `to`. It can only
// stand in the way of an attack, so that its kind makes no difference.
bool LeavesKingAttacked(const Position& position, Square to) {
  Position after = position;
  after.Set(to, PieceOf('p', position.white_to_move));
  return IsKingAttacked(after, position.white_to_move);
}

bool IsInHand(const Position& position, char kind) {
  return position.hand.find(PieceOf(kind, position.white_to_move)) != std::string::npos;
}

void AddPlacementsOn(const Position& position, Square to, std::vector<Move>& moves) {
  if (IsInHand(position, 'k') && IsLegalKingPlacement(position, to)) {
    moves.push_back({.to = to, .placed = 'K'});
  }
  if (LeavesKingAttacked(position, to)) return;
  const std::optional<Square> enemy_king = FindKing(position, !position.white_to_move);
  const bool beside_enemy_king = enemy_king.has_value() && IsKingStep(to, *enemy_king);
  for (const char kind : {'q', 'r', 'b', 'n', 'p', 's'}) {
    if (!IsInHand(position, kind)) continue;
    if (beside_enemy_king && WouldAttack(position, kind, to, *enemy_king)) continue;
    moves.push_back({.to = to, .placed = PieceOf(kind, /*white=*/true)});
  }
}

bool IsLegalMove(const Position& position, Square from, Square to) {
  Position after = position;
  after.Set(from, kEmpty);
  after.Set(to, position.At(from));
  return !IsKingAttacked(after, position.white_to_move);
}

}  // namespace

std::vector<Move> SerbestLegalMoves(const Position& position) {
  std::vector<Move> moves;
  const std::vector<Square> squares = AllSquares(position);
  for (const Square to : squares) {
    if (position.At(to) == kEmpty) AddPlacementsOn(position, to, moves);
  }
  for (const Square from : squares) {
    if (!BelongsTo(position.At(from), position.white_to_move)) continue;
    for (const Square to : squares) {
      if (BelongsTo(position.At(to), position.white_to_move)) continue;
      const bool reaches = position.At(to) == kEmpty ? SerbestMovesQuietly(position, from, to)
                                                     : SerbestCaptures(position, from, to);
      if (reaches && IsLegalMove(position, from, to)) moves.push_back({.from = from, .to = to});
    }
  }
  return moves;
}

Position SerbestAfter(const Position& position, const Move& move) {
  Position after = position;
  if (move.placed != 0) {
    const char piece = PieceOf(Kind(move.placed), position.white_to_move);
    after.Set(move.to, piece);
    after.hand.erase(after.hand.find(piece), 1);
    after.halfmove_count = 0;
    return after;
  }
  after.halfmove_count = position.At(move.to) != kEmpty ? 0 : position.halfmove_count + 1;
  after.Set(move.from, kEmpty);
  after.Set(move.to, position.At(move.from));
  return after;
}

}  // namespace khanzero::naive
