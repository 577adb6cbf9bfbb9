// SPDX-License-Identifier: GPL-3.0-or-later
//
// The Serbest: 10x10, both sides place every piece from the hand onto an empty board; a king that
// reaches the far rank becomes Khan and wins.
#pragma once

#include "env/game.h"

namespace khanzero {

struct SerbestSpec {
  static constexpr std::string_view kName = "serbest";
  static constexpr int kFiles = 10;
  static constexpr int kRanks = 10;
  static constexpr int kRulesVersion = 1;
  static constexpr int kEncodingVersion = 1;
  static constexpr std::string_view kStartFen =
      "10/10/10/10/10/10/10/10/10/10[KQRRBBNNPPPPPPSSkqrrbbnnppppppss] w - - 0 1";
  static constexpr bool kHasHands = true;
  static constexpr bool kHasCastling = false;
  static constexpr EndReason kGoalReason = EndReason::kKhan;
  // Each kind in hand has at most 100 placements (the king 80), each piece on the board at most its
  // widest reach: 680 for the kinds in hand, and R 18, B 17, N 8, five P 10, S 12 beside them: 785.
  static constexpr int kMaxMoves = 800;

  static constexpr int kKing = 0;
  // In the order of a hand in FEN.
  static constexpr std::array<PieceSpec, 7> kPieces = {{
      {.letter = 'k', .moves = kKingStep, .captures = kKingStep, .value = 0, .hand_limit = 1},
      {.letter = 'q',
       .moves = kRookSlide | kBishopSlide,
       .captures = kRookSlide | kBishopSlide,
       .value = 1000,
       .hand_limit = 1},
      {.letter = 'r', .moves = kRookSlide, .captures = kRookSlide, .value = 550, .hand_limit = 2},
      {.letter = 'b',
       .moves = kBishopSlide,
       .captures = kBishopSlide,
       .value = 350,
       .hand_limit = 2},
      {.letter = 'n', .moves = kKnightJump, .captures = kKnightJump, .value = 280, .hand_limit = 2},
      {.letter = 'p',
       .moves = kRookTwo,
       .captures = kForwardDiagonal,
       .value = 100,
       .hand_limit = 6},
      {.letter = 's', .moves = kRookTwo, .captures = kDiagonalStep, .value = 150, .hand_limit = 2},
  }};
};

extern template class Position<SerbestSpec>;
using Serbest = BoardGame<SerbestSpec>;
static_assert(Game<Serbest>);
static_assert(Serbest::kPolicySize == 8700);

}  // namespace khanzero
