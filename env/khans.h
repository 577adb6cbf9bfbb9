// SPDX-License-Identifier: GPL-3.0-or-later
//
// Khan's Chess: the Kingdom (White, an ordinary chess army) against the Horde (Black), whose pieces
// mostly move in one way and capture in another. 8x8.
#pragma once

#include "env/game.h"

namespace khanzero {

struct KhansSpec {
  static constexpr std::string_view kName = "khans";
  static constexpr int kFiles = 8;
  static constexpr int kRanks = 8;
  static constexpr int kRulesVersion = 1;
  static constexpr int kEncodingVersion = 1;
  static constexpr std::string_view kStartFen =
      "lhatkahl/ssssssss/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1";
  static constexpr bool kHasHands = false;
  static constexpr bool kHasCastling = true;
  static constexpr EndReason kGoalReason = EndReason::kCampmate;
  // A FEN may hold any number of pieces. With n pieces on the board none has more than
  // min(27, 64 - n) targets: at most 37 * 27 = 999 moves, and two castlings.
  static constexpr int kMaxMoves = 1024;

  static constexpr int kRook = 3;
  static constexpr int kKing = 5;
  static constexpr std::array<PieceSpec, 11> kPieces = {{
      {.letter = 'p',
       .moves = kPawnPush,
       .captures = kForwardDiagonal,
       .value = 100,
       .resets_clock = true,
       .promotes_to = "qrbn",
       .never_on_first_rank = true,
       .black_may_have = false},
      {.letter = 'n', .moves = kKnightJump, .captures = kKnightJump, .value = 300},
      {.letter = 'b', .moves = kBishopSlide, .captures = kBishopSlide, .value = 320},
      {.letter = 'r', .moves = kRookSlide, .captures = kRookSlide, .value = 500},
      {.letter = 'q',
       .moves = kRookSlide | kBishopSlide,
       .captures = kRookSlide | kBishopSlide,
       .value = 900},
      {.letter = 'k', .moves = kKingStep, .captures = kKingStep, .value = 0},
      {.letter = 's',
       .moves = kForwardKnight,
       .captures = kForwardStep,
       .value = 100,
       .resets_clock = true,
       .promotes_to = "t",
       .white_may_have = false},
      {.letter = 't', .moves = kKnightJump, .captures = kKingStep, .value = 350},
      {.letter = 'a', .moves = kKnightJump, .captures = kBishopSlide, .value = 320},
      {.letter = 'l', .moves = kKnightJump, .captures = kRookSlide, .value = 450},
      {.letter = 'h',
       .moves = kKnightJump | kKingStep,
       .captures = kKnightJump | kKingStep,
       .value = 650},
  }};
};

extern template class Position<KhansSpec>;
using Khans = BoardGame<KhansSpec>;
static_assert(Game<Khans>);
static_assert(Khans::kPolicySize == 4672);

}  // namespace khanzero
