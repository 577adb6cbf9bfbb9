// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a game says about one of its pieces. The rules core reads these at compile time, so a game
// is a table of pieces plus its few own rules.
#pragma once

#include <cstdint>
#include <string_view>

#include "env/types.h"

namespace khanzero {

// Building blocks of movement; a piece's moves and captures are each a union of them.
enum Pattern : uint16_t {
  kNoPattern = 0,
  kKingStep = 1 << 0,         // the eight neighbours
  kKnightJump = 1 << 1,       // the eight knight jumps
  kRookSlide = 1 << 2,        // along ranks and files
  kBishopSlide = 1 << 3,      // along diagonals
  kForwardKnight = 1 << 4,    // the four knight jumps that go forward
  kForwardStep = 1 << 5,      // one square straight ahead
  kForwardDiagonal = 1 << 6,  // one square diagonally forward
  kDiagonalStep = 1 << 7,     // one square diagonally, any way
  kPawnPush = 1 << 8,         // moves only: one ahead, or two from own rank 2, not over a piece
  kRookTwo = 1 << 9,          // moves only: one or two along ranks and files, not over a piece
};

struct PieceSpec {
  char letter;                // capital for White in FEN, small for Black
  uint16_t moves;             // patterns onto empty squares
  uint16_t captures;          // patterns that capture, attack and give check
  int value;                  // rough material worth in hundredths of a pawn, for the baselines
  bool resets_clock = false;  // its moves reset the 50-move count
  std::string_view promotes_to = "";  // letters; on its last rank it must become one of them
  bool never_on_first_rank = false;   // a FEN with it on its own rank 1 is refused
  bool white_may_have = true;
  bool black_may_have = true;
  int hand_limit = 0;  // most a side has, board and hand together; 0: no limit

  constexpr char LetterFor(Color c) const {
    return c == Color::kWhite ? static_cast<char>(letter - 'a' + 'A') : letter;
  }
};

}  // namespace khanzero
