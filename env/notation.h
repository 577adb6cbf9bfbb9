// SPDX-License-Identifier: GPL-3.0-or-later
//
// Squares and moves as text: "e2e4", "e7e8q", "b3c1t", "a10b10", "P@j10", castling as "e1g1".
// Nothing here assumes a width: a square is a letter and one or two digits.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "env/error.h"
#include "env/position.h"

namespace khanzero {

template <class Geo>
std::string SquareName(Square s) {
  return static_cast<char>('a' + Geo::FileOf(s)) + std::to_string(Geo::RankOf(s) + 1);
}

// Reads a square at the front of `text` and removes it; nothing when there is none.
template <class Geo>
std::optional<Square> TakeSquare(std::string_view& text) {
  if (text.empty() || text[0] < 'a' || text[0] >= 'a' + Geo::kFiles) return std::nullopt;
  int rank = 0;
  const char* const digits = text.data() + 1;
  const auto [end, error] = std::from_chars(digits, text.data() + text.size(), rank);
  if (error != std::errc{} || *digits == '0' || rank < 1 || rank > Geo::kRanks) return std::nullopt;
  const Square square = Geo::SquareAt(text[0] - 'a', rank - 1);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return square;
}

template <class Spec>
std::string MoveText(Move move) {
  using Geo = typename Position<Spec>::Geo;
  if (move.kind == MoveKind::kPlacement) {
    return Spec::kPieces[move.piece].LetterFor(Color::kWhite) + ("@" + SquareName<Geo>(move.to));
  }
  std::string text = SquareName<Geo>(move.from) + SquareName<Geo>(move.to);
  if (move.kind == MoveKind::kPromotion) text += Spec::kPieces[move.piece].letter;
  return text;
}

// The legal move that `text` names. Throws InputError that tells a malformed move from an illegal
// one and names the position.
template <class Spec>
Move ParseMove(const Position<Spec>& position, std::string_view text) {
  using Geo = typename Position<Spec>::Geo;
  typename Position<Spec>::Moves moves;
  position.LegalMoves(moves);
  for (const Move& move : moves) {
    if (MoveText<Spec>(move) == text) return move;
  }
  std::string_view rest = text;
  bool well_formed = false;
  if (text.size() > 2 && text[1] == '@') {
    rest.remove_prefix(2);
    well_formed =
        text[0] >= 'A' && text[0] <= 'Z' && TakeSquare<Geo>(rest).has_value() && rest.empty();
  } else if (TakeSquare<Geo>(rest) && TakeSquare<Geo>(rest)) {
    well_formed = rest.empty() || (rest.size() == 1 && rest[0] >= 'a' && rest[0] <= 'z');
  }
  const std::string quoted = "'" + Printable(text.substr(0, 100)) + "'";
  if (!well_formed) {
    throw InputError("move " + quoted + " is malformed: expected two squares such as a1b" +
                     std::to_string(Geo::kRanks) +
                     " with an optional promotion letter, or a placement such as N@e4");
  }
  throw InputError("move " + quoted + " is not legal in " + position.Fen());
}

}  // namespace khanzero
