// SPDX-License-Identifier: GPL-3.0-or-later
//
// A third game, for tests only: Khan's Chess on 6 files and 7 ranks with fewer pieces, two of which
// are new: the scout steps forward and captures by jumping, and the khatun slides on diagonals but
// captures one step. docs/add-a-game.md explains it line by line.
#pragma once

#include "env/game.h"

namespace khanzero {

struct MinikhansSpec {
  static constexpr std::string_view kName = "minikhans";
  static constexpr int kFiles = 6;
  static constexpr int kRanks = 7;
  static constexpr int kRulesVersion = 1;
  static constexpr int kEncodingVersion = 1;
  static constexpr std::string_view kStartFen = "lttktl/ssssss/6/6/6/PPPPPP/RNQKBR w - - 0 1";
  static constexpr bool kHasHands = false;
  static constexpr bool kHasCastling = false;
  static constexpr EndReason kGoalReason = EndReason::kCampmate;
  // A queen has at most 21 targets, and with n pieces on the board none has more than 42 - n: at
  // most 21 * 21 = 441 moves.
  static constexpr int kMaxMoves = 448;

  static constexpr int kKing = 5;
  static constexpr std::array<PieceSpec, 9> kPieces = {{
      {.letter = 'p',
       .moves = kPawnPush,
       .captures = kForwardDiagonal,
       .value = 100,
       .resets_clock = true,
       .promotes_to = "qr",
       .never_on_first_rank = true,
       .black_may_have = false},
      {.letter = 'n', .moves = kKnightJump, .captures = kKnightJump, .value = 300},
      {.letter = 'b', .moves = kBishopSlide, .captures = kBishopSlide, .value = 300},
      {.letter = 'r', .moves = kRookSlide, .captures = kRookSlide, .value = 500},
      {.letter = 'q',
       .moves = kRookSlide | kBishopSlide,
       .captures = kRookSlide | kBishopSlide,
       .value = 900},
      {.letter = 'k', .moves = kKingStep, .captures = kKingStep, .value = 0},
      {.letter = 's',
       .moves = kForwardStep,
       .captures = kForwardKnight,
       .value = 120,
       .resets_clock = true,
       .promotes_to = "t",
       .white_may_have = false},
      {.letter = 't', .moves = kBishopSlide, .captures = kKingStep, .value = 350},
      {.letter = 'l', .moves = kKnightJump, .captures = kRookSlide, .value = 450},
  }};
};

extern template class Position<MinikhansSpec>;
using Minikhans = BoardGame<MinikhansSpec>;
static_assert(Game<Minikhans>);

}  // namespace khanzero
