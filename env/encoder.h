// SPDX-License-Identifier: GPL-3.0-or-later
//
// Network input planes of a position, seen by the mover: this is the one place where the view is
// turned. Layout: [square][plane] (channels last), squares of the mover's view; every value is in
// 0..1. Planes, in order:
//   pieces of the mover by type, pieces of the opponent by type,
//   hands of the mover by type, of the opponent by type (games with hands; count / most),
//   castling rights king side, queen side (games with castling),
//   King's Landing is 8 (games with hands),
//   the position stood once before, stood twice before,
//   half-move count / 100,
//   the mover is White,
//   squares the mover attacks, squares the opponent attacks.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "env/position.h"

namespace khanzero {

template <class Spec>
class Encoder {
 public:
  using Pos = Position<Spec>;
  using Geo = typename Pos::Geo;
  using Bits = typename Pos::Bits;

  static constexpr int kTypes = Pos::kTypes;
  static constexpr int kHandPlane = 2 * kTypes;
  static constexpr int kCastlingPlane = kHandPlane + (Spec::kHasHands ? 2 * kTypes : 0);
  static constexpr int kLandingPlane = kCastlingPlane + (Spec::kHasCastling ? 2 : 0);
  static constexpr int kRepetitionPlane = kLandingPlane + (Spec::kHasHands ? 1 : 0);
  static constexpr int kClockPlane = kRepetitionPlane + 2;
  static constexpr int kColorPlane = kClockPlane + 1;
  static constexpr int kAttackPlane = kColorPlane + 1;
  static constexpr int kPlanes = kAttackPlane + 2;

  // Fills `planes`. REQUIRES: planes.size() == kPlanes * squares.
  static void Encode(const Pos& position, std::span<float> planes) {
    std::fill(planes.begin(), planes.end(), 0.0F);
    const Color us = position.side_to_move();
    for (int side = 0; side < 2; ++side) {
      const Color color = side == 0 ? us : ~us;
      for (int t = 0; t < kTypes; ++t) {
        Mark(planes, side * kTypes + t, us, position.pieces(color, t));
        if constexpr (Spec::kHasHands) {
          const int held = position.in_hand(color, t);
          const int most = Spec::kPieces[static_cast<size_t>(t)].hand_limit;
          if (held > 0) {
            Fill(planes, kHandPlane + side * kTypes + t,
                 static_cast<float>(held) / static_cast<float>(most));
          }
        }
      }
      Mark(planes, kAttackPlane + side, us, position.AttackedBy(color));
    }
    if constexpr (Spec::kHasCastling) {
      if ((position.castling() & Pos::kKingSide) != 0) Fill(planes, kCastlingPlane, 1.0F);
      if ((position.castling() & Pos::kQueenSide) != 0) Fill(planes, kCastlingPlane + 1, 1.0F);
    }
    if constexpr (Spec::kHasHands) {
      if (position.settings().kings_landing == 8) Fill(planes, kLandingPlane, 1.0F);
    }
    if (position.repetitions() >= 1) Fill(planes, kRepetitionPlane, 1.0F);
    if (position.repetitions() >= 2) Fill(planes, kRepetitionPlane + 1, 1.0F);
    Fill(planes, kClockPlane,
         static_cast<float>(std::min<uint32_t>(position.halfmove_clock(), 100)) / 100.0F);
    if (us == Color::kWhite) Fill(planes, kColorPlane, 1.0F);
  }

  // What each plane holds, in order, for export and for people.
  static std::vector<std::string> PlaneNames() {
    std::vector<std::string> names;
    for (const char* const side : {"mover", "opponent"}) {
      for (const PieceSpec& piece : Spec::kPieces) {
        names.push_back(std::string(side) + " piece " + piece.letter);
      }
    }
    if constexpr (Spec::kHasHands) {
      for (const char* const side : {"mover", "opponent"}) {
        for (const PieceSpec& piece : Spec::kPieces) {
          names.push_back(std::string(side) + " hand " + piece.letter);
        }
      }
    }
    if constexpr (Spec::kHasCastling) {
      names.insert(names.end(), {"castling king side", "castling queen side"});
    }
    if constexpr (Spec::kHasHands) names.push_back("kings landing 8");
    names.insert(names.end(), {"stood once before", "stood twice before", "half-move count / 100",
                               "mover is white", "attacked by mover", "attacked by opponent"});
    return names;
  }

 private:
  static void Mark(std::span<float> planes, int plane, Color us, Bits set) {
    while (set) {
      const Square s = Geo::Relative(us, PopLowest(set));
      planes[static_cast<size_t>(s) * kPlanes + static_cast<size_t>(plane)] = 1.0F;
    }
  }
  static void Fill(std::span<float> planes, int plane, float value) {
    if (value == 0.0F) return;
    for (size_t i = static_cast<size_t>(plane); i < planes.size(); i += kPlanes) planes[i] = value;
  }
};

}  // namespace khanzero
