// SPDX-License-Identifier: GPL-3.0-or-later
//
// Khan's Chess for the naive rules engine. Each piece is one line that repeats its line of the
// rules; a legal move is one that, made on a copy of the board, leaves the own king unattacked.

#include <cstdlib>

#include "naive_position.h"

namespace khanzero::naive {

namespace {

constexpr Square kE1{4, 0};

bool IsPawnStep(const Position& position, Square from, Square to, bool white) {
  if (from.file != to.file) return false;
  if (RanksAhead(from, to, white) == 1) return true;
  if (RanksAhead(from, to, white) != 2 || OwnRank(position, from, white) != 2) return false;
  const Square between{from.file, (from.rank + to.rank) / 2};
  return position.At(between) == kEmpty;
}

}  // namespace

bool KhansMovesQuietly(const Position& position, Square from, Square to) {
  const char piece = position.At(from);
  switch (Kind(piece)) {
    case 's':
      return IsKnightJump(from, to) && RanksAhead(from, to, IsWhite(piece)) > 0;
    case 't':
    case 'a':
    case 'l':
      return IsKnightJump(from, to);
    case 'p':
      return IsPawnStep(position, from, to, IsWhite(piece));
    default:  // h, k, n, b, r and q move as they capture.
      return KhansCaptures(position, from, to);
  }
}

bool KhansCaptures(const Position& position, Square from, Square to) {
  const char piece = position.At(from);
  switch (Kind(piece)) {
    case 's':
      return from.file == to.file && RanksAhead(from, to, IsWhite(piece)) == 1;
    case 't':
    case 'k':
      return IsKingStep(from, to);
    case 'a':
    case 'b':
      return IsClearBishopLine(position, from, to);
    case 'l':
    case 'r':
      return IsClearRookLine(position, from, to);
    case 'h':
      return IsKnightJump(from, to) || IsKingStep(from, to);
    case 'n':
      return IsKnightJump(from, to);
    case 'q':
      return IsClearRookLine(position, from, to) || IsClearBishopLine(position, from, to);
    case 'p':
      return std::abs(from.file - to.file) == 1 && RanksAhead(from, to, IsWhite(piece)) == 1;
    default:
      return false;
  }
}

namespace {

// The letters a piece may promote to when it arrives on `to`; empty when it does not promote.
std::string Promotions(const Position& position, char piece, Square to) {
  if (OwnRank(position, to, IsWhite(piece)) != position.size) return "";
  if (Kind(piece) == 'p') return "qrbn";
  if (Kind(piece) == 's') return "t";
  return "";
}

bool IsCastling(const Position& position, const Move& move) {
  return position.At(move.from) == 'K' && std::abs(move.from.file - move.to.file) == 2;
}

// Changes the board alone.
void MovePieces(Position& position, const Move& move) {
  const bool castling = IsCastling(position, move);
  char piece = position.At(move.from);
  if (move.promotion != 0) piece = PieceOf(move.promotion, IsWhite(piece));
  position.Set(move.from, kEmpty);
  position.Set(move.to, piece);
  if (castling) {
    const bool king_side = move.to.file > move.from.file;
    position.Set({king_side ? 7 : 0, 0}, kEmpty);
    position.Set({king_side ? 5 : 3, 0}, 'R');
  }
}

// The position when White may castle with this rook now. A right tells that king and rook have
// never moved and stand on their squares.
bool MayCastle(const Position& position, bool king_side) {
  if (!position.white_to_move) return false;
  if (!(king_side ? position.castle_king_side : position.castle_queen_side)) return false;
  const int first_between = king_side ? 5 : 1;
  const int last_between = king_side ? 6 : 3;
  for (int file = first_between; file <= last_between; ++file) {
    if (position.At({file, 0}) != kEmpty) return false;
  }
  const int first_of_king = king_side ? 4 : 2;  // the squares the king leaves, crosses and reaches
  const int last_of_king = king_side ? 6 : 4;
  for (int file = first_of_king; file <= last_of_king; ++file) {
    if (IsAttacked(position, {file, 0}, /*by_white=*/false)) return false;
  }
  return true;
}

void AddIfLegal(const Position& position, const Move& move, std::vector<Move>& moves) {
  Position after = position;
  MovePieces(after, move);
  if (!IsKingAttacked(after, position.white_to_move)) moves.push_back(move);
}

}  // namespace

std::vector<Move> KhansLegalMoves(const Position& position) {
  std::vector<Move> moves;
  const std::vector<Square> squares = AllSquares(position);
  for (const Square from : squares) {
    const char piece = position.At(from);
    if (!BelongsTo(piece, position.white_to_move)) continue;
    for (const Square to : squares) {
      if (BelongsTo(position.At(to), position.white_to_move)) continue;
      const bool reaches = position.At(to) == kEmpty ? KhansMovesQuietly(position, from, to)
                                                     : KhansCaptures(position, from, to);
      if (!reaches) continue;
      const std::string promotions = Promotions(position, piece, to);
      if (promotions.empty()) AddIfLegal(position, {.from = from, .to = to}, moves);
      for (const char kind : promotions) {
        AddIfLegal(position, {.from = from, .to = to, .promotion = kind}, moves);
      }
    }
  }
  if (MayCastle(position, /*king_side=*/true)) {
    AddIfLegal(position, {.from = kE1, .to = {6, 0}}, moves);
  }
  if (MayCastle(position, /*king_side=*/false)) {
    AddIfLegal(position, {.from = kE1, .to = {2, 0}}, moves);
  }
  return moves;
}

Position KhansAfter(const Position& position, const Move& move) {
  Position after = position;
  const char kind = Kind(position.At(move.from));
  const bool resets_count = position.At(move.to) != kEmpty || kind == 'p' || kind == 's';
  after.halfmove_count = resets_count ? 0 : position.halfmove_count + 1;
  MovePieces(after, move);
  // A right goes when king or rook leaves its square or the rook is captured there. While a right
  // is held both stand there, so that it is enough to look for them.
  const bool king_at_home = after.At(kE1) == 'K';
  after.castle_king_side = position.castle_king_side && king_at_home && after.At({7, 0}) == 'R';
  after.castle_queen_side = position.castle_queen_side && king_at_home && after.At({0, 0}) == 'R';
  return after;
}

}  // namespace khanzero::naive
