// SPDX-License-Identifier: GPL-3.0-or-later
//
// A position as text, for a terminal: the board, both hands, and in colour the last move.
#pragma once

#include <optional>
#include <string>

#include "env/game.h"
#include "play/outcome_text.h"

namespace khanzero {

struct BoardLook {
  Color viewer = Color::kWhite;  // whose side is below
  bool color = false;            // by ANSI escapes
  std::optional<Move> last{};    // marked in colour
};

namespace terminal_board_internal {

inline constexpr const char* kPlain = "\x1b[0m";
inline constexpr const char* kWhitePiece = "\x1b[1m";
inline constexpr const char* kBlackPiece = "\x1b[36m";
inline constexpr const char* kMarked = "\x1b[7m";

template <Game G>
std::string HandText(const typename G::Position& position, Color side) {
  std::string text;
  for (int t = 0; t < G::Position::kTypes; ++t) {
    const int held = position.in_hand(side, t);
    if (held == 0) continue;
    text += std::string(text.empty() ? "" : " ") +
            G::Spec::kPieces[static_cast<size_t>(t)].LetterFor(side);
    if (held > 1) text += "x" + std::to_string(held);
  }
  return text.empty() ? "empty" : text;
}

// White's pieces are capitals, Black's small.
template <Game G>
std::string SquareText(const typename G::Position& position, Square square, const BoardLook& look) {
  const PieceType type = position.type_on(square);
  const char letter =
      type == kNoPiece ? '.' : G::Spec::kPieces[type].LetterFor(position.color_on(square));
  if (!look.color) return {letter};
  std::string text;
  if (look.last && (look.last->to == square || look.last->from == square)) text += kMarked;
  if (type != kNoPiece) {
    text += position.color_on(square) == Color::kWhite ? kWhitePiece : kBlackPiece;
  }
  return text.empty() ? std::string{letter} : text + letter + kPlain;
}

}  // namespace terminal_board_internal

template <Game G>
std::string BoardText(const typename G::Position& position, const BoardLook& look) {
  const bool white_below = look.viewer == Color::kWhite;
  std::string text;
  std::string files = "    ";
  for (int i = 0; i < G::kFiles; ++i) {
    files += {static_cast<char>('a' + (white_below ? i : G::kFiles - 1 - i)), ' '};
  }
  for (int row = 0; row < G::kRanks; ++row) {
    const int rank = white_below ? G::kRanks - 1 - row : row;
    const std::string number = std::to_string(rank + 1);
    text += std::string(3 - number.size(), ' ') + number + " ";
    for (int i = 0; i < G::kFiles; ++i) {
      const int file = white_below ? i : G::kFiles - 1 - i;
      const auto square = static_cast<Square>(rank * G::kFiles + file);
      text += terminal_board_internal::SquareText<G>(position, square, look) + " ";
    }
    text += '\n';
  }
  text += files + '\n';
  if constexpr (G::Spec::kHasHands) {
    for (const Color side : {Color::kWhite, Color::kBlack}) {
      text += "    " + SideName(side) +
              " in hand: " + terminal_board_internal::HandText<G>(position, side) + '\n';
    }
  }
  if (position.InCheck()) text += "    " + SideName(position.side_to_move()) + " is in check\n";
  return text;
}

}  // namespace khanzero
