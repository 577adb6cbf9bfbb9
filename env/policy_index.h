// SPDX-License-Identifier: GPL-3.0-or-later
//
// The policy index of a move: plane * squares + square of origin, both seen by the mover (ranks
// turned for Black). Planes, in order: 8 directions x the longest distance; 8 knight jumps;
// under-promotions (each choice after the first, x capture to the left, straight, right); one
// placement plane for each kind of piece (on the target square). Every legal move of a position has
// its own index.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "env/position.h"

namespace khanzero {

// What the moves of one plane have in common, so that a reader without this code can turn an index
// into a move. Everything is seen by the mover.
struct PolicyPlane {
  enum class Kind { kMove, kPromotion, kPlacement };

  Kind kind = Kind::kMove;
  // From origin to target; not for placements. A move that must promote becomes the first choice of
  // its piece, a move of kPromotion the choice `choice` (from 0).
  Offset step{};
  size_t choice = 0;
  char piece = ' ';  // placements: the letter of the piece placed
};

template <class Spec>
class PolicyMap {
 public:
  using Geo = typename Position<Spec>::Geo;

  static constexpr int kMaxDistance = std::max(Geo::kFiles, Geo::kRanks) - 1;
  static constexpr int kKnightPlane = 8 * kMaxDistance;
  static constexpr int kPromotionPlane = kKnightPlane + 8;
  static constexpr int kUnderPromotions = [] {
    size_t most = 1;
    for (const PieceSpec& piece : Spec::kPieces) most = std::max(most, piece.promotes_to.size());
    return static_cast<int>(most) - 1;
  }();
  static constexpr int kPlacementPlane = kPromotionPlane + 3 * kUnderPromotions;
  static constexpr int kPlanes = kPlacementPlane + (Spec::kHasHands ? Position<Spec>::kTypes : 0);
  static constexpr int kSize = kPlanes * Geo::kSquares;
  static_assert(kSize < 65536);

  // REQUIRES: `move` is legal in a position where `mover` is to move.
  static uint16_t IndexOf(const Position<Spec>& position, Move move) {
    const Color mover = position.side_to_move();
    const Square from = Geo::Relative(mover, move.from);
    if (move.kind == MoveKind::kPlacement) {
      return static_cast<uint16_t>((kPlacementPlane + move.piece) * Geo::kSquares + from);
    }
    const Square to = Geo::Relative(mover, move.to);
    if (move.kind == MoveKind::kPromotion) {
      const std::string_view choices = Spec::kPieces[position.type_on(move.from)].promotes_to;
      const size_t choice = choices.find(Spec::kPieces[move.piece].letter);
      if (choice > 0) {
        const int file_step = Geo::FileOf(to) - Geo::FileOf(from) + 1;
        const int plane = kPromotionPlane + (static_cast<int>(choice) - 1) * 3 + file_step;
        return static_cast<uint16_t>(plane * Geo::kSquares + from);
      }
    }
    return static_cast<uint16_t>(kPlaneOf[from][to] * Geo::kSquares + from);
  }

  // What each plane means, in order, for export and for people.
  static std::vector<PolicyPlane> Planes() {
    using Kind = PolicyPlane::Kind;
    std::vector<PolicyPlane> planes;
    for (const Offset& step : kDirections) {
      for (int n = 1; n <= kMaxDistance; ++n) {
        planes.push_back({.step = {n * step.file, n * step.rank}});
      }
    }
    for (const Offset& jump : kKnightJumps) planes.push_back({.step = jump});
    for (size_t choice = 1; choice <= kUnderPromotions; ++choice) {
      for (const int file : {-1, 0, 1}) {
        planes.push_back({.kind = Kind::kPromotion, .step = {file, 1}, .choice = choice});
      }
    }
    if constexpr (Spec::kHasHands) {
      for (const PieceSpec& piece : Spec::kPieces) {
        planes.push_back({.kind = Kind::kPlacement, .piece = piece.letter});
      }
    }
    return planes;
  }

  // The index of the same move with left and right exchanged.
  static uint16_t Mirrored(uint16_t index) {
    const int square = index % Geo::kSquares;
    const Square mirrored =
        Geo::SquareAt(Geo::kFiles - 1 - Geo::FileOf(square), Geo::RankOf(square));
    return static_cast<uint16_t>(MirroredPlane(index / Geo::kSquares) * Geo::kSquares + mirrored);
  }

 private:
  static constexpr int MirroredPlane(int plane) {
    if (plane < kKnightPlane) {
      // Directions run clockwise from north: the mirror runs the other way.
      const int direction = (8 - plane / kMaxDistance) % 8;
      return direction * kMaxDistance + plane % kMaxDistance;
    }
    if (plane < kPromotionPlane) return kKnightPlane + 7 - (plane - kKnightPlane);
    if (plane < kPlacementPlane) {
      const int choice = (plane - kPromotionPlane) / 3;
      return kPromotionPlane + 3 * choice + 2 - (plane - kPromotionPlane) % 3;
    }
    return plane;
  }

  static constexpr auto kPlaneOf = [] {
    std::array<std::array<uint8_t, Geo::kSquares>, Geo::kSquares> planes{};
    for (int s = 0; s < Geo::kSquares; ++s) {
      for (int k = 0; k < 8; ++k) {
        const Offset step = kDirections[static_cast<size_t>(k)];
        for (int n = 1; n <= kMaxDistance; ++n) {
          const int file = Geo::FileOf(s) + n * step.file;
          const int rank = Geo::RankOf(s) + n * step.rank;
          if (!Geo::OnBoard(file, rank)) break;
          planes[static_cast<size_t>(s)][Geo::SquareAt(file, rank)] =
              static_cast<uint8_t>(k * kMaxDistance + n - 1);
        }
        const Offset jump = kKnightJumps[static_cast<size_t>(k)];
        const int file = Geo::FileOf(s) + jump.file;
        const int rank = Geo::RankOf(s) + jump.rank;
        if (Geo::OnBoard(file, rank)) {
          planes[static_cast<size_t>(s)][Geo::SquareAt(file, rank)] =
              static_cast<uint8_t>(kKnightPlane + k);
        }
      }
    }
    return planes;
  }();
};

}  // namespace khanzero
