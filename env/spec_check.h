// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the rules core, the encoder and the policy index take for granted of a game's Spec. A Spec
// that asks for more does not compile, and the message says what to change or where to add to the
// core (docs/add-a-game.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "env/piece.h"

namespace khanzero {

namespace spec_detail {

template <class Spec>
constexpr bool Every(auto&& holds) {
  return std::all_of(Spec::kPieces.begin(), Spec::kPieces.end(), holds);
}

template <class Spec>
constexpr bool LettersAreDistinct() {
  return Every<Spec>([](const PieceSpec& piece) {
    const auto same = [&](const PieceSpec& other) { return other.letter == piece.letter; };
    return piece.letter >= 'a' && piece.letter <= 'z' &&
           std::count_if(Spec::kPieces.begin(), Spec::kPieces.end(), same) == 1;
  });
}

template <class Spec>
constexpr bool PromotionsExist() {
  return Every<Spec>([](const PieceSpec& piece) {
    return std::all_of(piece.promotes_to.begin(), piece.promotes_to.end(), [&](char letter) {
      return !Every<Spec>([&](const PieceSpec& other) { return other.letter != letter; });
    });
  });
}

// The policy has three planes for each choice after the first: left, straight, right.
constexpr bool PromotesWithinOneFile(const PieceSpec& piece) {
  constexpr uint16_t kNear =
      kKingStep | kForwardStep | kForwardDiagonal | kDiagonalStep | kPawnPush;
  return piece.promotes_to.size() <= 1 || ((piece.moves | piece.captures) & ~kNear) == 0;
}

}  // namespace spec_detail

// Always true: what is wrong stops the compiler with its reason.
template <class Spec>
constexpr bool CheckSpec() {
  using spec_detail::Every;
  static_assert(Spec::kKing >= 0 && static_cast<size_t>(Spec::kKing) < Spec::kPieces.size());
  static_assert(Spec::kPieces[static_cast<size_t>(Spec::kKing)].moves == kKingStep &&
                    Spec::kPieces[static_cast<size_t>(Spec::kKing)].captures == kKingStep,
                "the royal piece moves and captures as a king: Generate() knows no other");
  static_assert(spec_detail::LettersAreDistinct<Spec>(),
                "each piece needs a small letter of its own");
  static_assert(spec_detail::PromotionsExist<Spec>(), "promotes_to names letters of kPieces");
  static_assert(Every<Spec>(spec_detail::PromotesWithinOneFile),
                "a piece with a choice of promotions may only step: see PolicyMap");
  static_assert(
      Every<Spec>([](const PieceSpec& p) { return (p.captures & (kPawnPush | kRookTwo)) == 0; }),
      "kPawnPush and kRookTwo are for moves only: Attackers() does not know them");
  static_assert(!Spec::kHasCastling || Spec::kFiles == 8,
                "castling is White's, on 8 files with the king on e1: GenerateCastling()");
  static_assert(!Spec::kHasHands || Spec::kRanks >= 8,
                "the King's Landing is 7 or 8: GeneratePlacements()");
  static_assert(
      !Spec::kHasHands ||
          Every<Spec>([](const PieceSpec& p) { return p.hand_limit >= 1 && p.hand_limit <= 15; }),
      "in a game with hands every piece has a limit from 1 to 15: the encoder scales by it");
  return true;
}

}  // namespace khanzero
