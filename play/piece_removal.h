// SPDX-License-Identifier: GPL-3.0-or-later
//
// A position with one piece less, to see what the piece is worth.
#pragma once

#include <optional>
#include <string>

#include "env/error.h"
#include "env/game.h"

namespace khanzero {

// Which piece: of `side`, on `square`, or one of `type` from the hand where that is kNoSquare.
struct PieceToRemove {
  Color side = Color::kWhite;
  PieceType type = kNoPiece;
  Square square = kNoSquare;
};

// The letters of a board, a1 first, along the ranks; a blank where there is no piece.
template <Game G>
std::string BoardLetters(const typename G::Position& position) {
  std::string letters(static_cast<size_t>(G::kSquares), ' ');
  for (int square = 0; square < G::kSquares; ++square) {
    const auto s = static_cast<Square>(square);
    const PieceType type = position.type_on(s);
    if (type == kNoPiece) continue;
    letters[static_cast<size_t>(square)] = G::Spec::kPieces[type].LetterFor(position.color_on(s));
  }
  return letters;
}

namespace piece_removal_internal {

// A FEN's placement of these letters.
template <Game G>
std::string Placement(const std::string& letters) {
  std::string text;
  for (int rank = G::kRanks - 1; rank >= 0; --rank) {
    int empty = 0;
    const auto close = [&] {
      if (empty > 0) text += std::to_string(empty);
      empty = 0;
    };
    for (int file = 0; file < G::kFiles; ++file) {
      const char letter = letters[static_cast<size_t>(rank * G::kFiles + file)];
      if (letter == ' ') {
        ++empty;
        continue;
      }
      close();
      text += letter;
    }
    close();
    if (rank > 0) text += '/';
  }
  return text;
}

// Castling goes with its rook. `rest` is a FEN from the blank before the side to move on.
template <Game G>
void DropCastling(std::string& rest, Square rook) {
  using Geo = typename G::Position::Geo;
  const bool king_side = rook == Geo::SquareAt(G::kFiles - 1, 0);
  if (!king_side && rook != Geo::SquareAt(0, 0)) return;
  const size_t begin = rest.find(' ', 1) + 1;
  const size_t end = rest.find(' ', begin);
  std::string rights = rest.substr(begin, end - begin);
  std::erase(rights, king_side ? 'K' : 'Q');
  rest.replace(begin, end - begin, rights.empty() ? "-" : rights);
}

}  // namespace piece_removal_internal

// `position` without the piece: everything else, the side to move included, as it is; a rook takes
// its castling right with it. Nothing where the rest is no position to compare: the piece is a
// king, a side is in check with it or without, or the game would be over. REQUIRES: the piece is
// there.
template <Game G>
std::optional<typename G::Position> Without(const typename G::Position& position,
                                            const PieceToRemove& piece) {
  namespace internal = piece_removal_internal;
  if (piece.type == G::Spec::kKing || position.InCheck()) return std::nullopt;
  const std::string fen = position.Fen();
  std::string rest = fen.substr(fen.find_first_of("[ "));
  std::string letters = BoardLetters<G>(position);
  if (piece.square == kNoSquare) {
    const size_t at = rest.find(G::Spec::kPieces[piece.type].LetterFor(piece.side));
    Check(at < rest.find(']'), "a piece of the hand is there");
    rest.erase(at, 1);
  } else {
    Check(position.type_on(piece.square) == piece.type &&
              position.color_on(piece.square) == piece.side,
          "a piece of the board is there");
    letters[piece.square] = ' ';
    if constexpr (G::Spec::kHasCastling) {
      if (piece.side == Color::kWhite && piece.type == G::Spec::kRook) {
        internal::DropCastling<G>(rest, piece.square);
      }
    }
  }
  try {
    typename G::Position less =
        G::Position::FromFen(internal::Placement<G>(letters) + rest, position.settings());
    less.set_repetitions(position.repetitions());
    if (less.InCheck() || less.ComputeOutcome().over()) return std::nullopt;
    return less;
  } catch (const InputError&) {
    return std::nullopt;  // it uncovers an attack on the king that is not to move
  }
}

}  // namespace khanzero
