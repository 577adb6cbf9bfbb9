// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pieces and how they go, in words.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/game.h"

namespace khanzero {

// "archer", "Subedei pawn"; a piece of a game that has no names here is "piece X".
template <Game G>
std::string PieceName(PieceType type) {
  constexpr std::array<std::pair<char, std::string_view>, 10> kNames = {{{'p', "pawn"},
                                                                         {'n', "knight"},
                                                                         {'b', "bishop"},
                                                                         {'r', "rook"},
                                                                         {'q', "queen"},
                                                                         {'k', "king"},
                                                                         {'t', "khatun"},
                                                                         {'a', "archer"},
                                                                         {'l', "lancer"},
                                                                         {'h', "kheshig"}}};
  const char letter = G::Spec::kPieces[type].letter;
  if (letter == 's') return G::kName == "serbest" ? "Subedei pawn" : "scout";
  for (const auto& [known, name] : kNames) {
    if (known == letter) return std::string(name);
  }
  return "piece " + std::string(1, G::Spec::kPieces[type].LetterFor(Color::kWhite));
}

// Where patterns lead: "as a knight or one step any way".
inline std::string PatternText(uint16_t patterns) {
  constexpr std::array<std::pair<uint16_t, std::string_view>, 10> kTexts = {
      {{kKingStep, "one step any way"},
       {kKnightJump, "as a knight"},
       {kRookSlide, "along ranks and files"},
       {kBishopSlide, "along diagonals"},
       {kForwardKnight, "by a knight's jumps that go forward"},
       {kForwardStep, "one square straight ahead"},
       {kForwardDiagonal, "one square diagonally forward"},
       {kDiagonalStep, "one square diagonally, any way"},
       {kPawnPush, "one square straight ahead, or two from its first rank"},
       {kRookTwo, "one or two squares along ranks and files"}}};
  std::string text;
  for (const auto& [pattern, words] : kTexts) {
    if ((patterns & pattern) != 0) {
      text += (text.empty() ? "" : " or ") + std::string(words);
    }
  }
  return text;
}

// "moves as a knight, and captures along diagonals".
inline std::string MovementText(const PieceSpec& piece) {
  if (piece.moves == piece.captures) return "moves and captures " + PatternText(piece.moves);
  return "moves " + PatternText(piece.moves) + ", and captures " + PatternText(piece.captures);
}

}  // namespace khanzero
