// SPDX-License-Identifier: GPL-3.0-or-later
//
// What move generation is made of: hash keys, shifts of whole sets, the targets of one piece, and
// the sinks that take sets of target squares. Included by position_impl.h only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "env/bitboard.h"
#include "env/move.h"
#include "env/piece.h"
#include "env/random.h"
#include "env/types.h"

namespace khanzero {

namespace rules_detail {

// Calls f.template operator()<I>() for I = 0 .. kCount-1, unrolled.
template <size_t kCount, class F>
constexpr void ForEachIndex(F&& f) {
  [&]<size_t... kI>(std::index_sequence<kI...>) { (f.template operator()<kI>(), ...); }
  (std::make_index_sequence<kCount>{});
}

// Zobrist keys: one for each piece on each square, each count in hand, rights, side and setting.
template <class Spec>
struct Zobrist {
  static constexpr uint64_t Key(uint64_t group, uint64_t index) {
    return Mix64(Mix64(0x4B68616E5A65726FULL + group) + index);
  }
  static constexpr size_t kSquares = static_cast<size_t>(Spec::kFiles * Spec::kRanks);
  static constexpr size_t kTypes = Spec::kPieces.size();
  static constexpr size_t kHandCounts = 16;

  static constexpr auto kPieceKeys = [] {
    std::array<std::array<uint64_t, kSquares>, 2 * kTypes> keys{};
    for (size_t code = 0; code < keys.size(); ++code) {
      for (size_t s = 0; s < kSquares; ++s) keys[code][s] = Key(1, code * kSquares + s);
    }
    return keys;
  }();
  // No piece in hand contributes nothing, so that games without hands need no keys.
  static constexpr auto kHandKeys = [] {
    std::array<std::array<uint64_t, kHandCounts>, 2 * kTypes> keys{};
    for (size_t code = 0; code < keys.size(); ++code) {
      for (size_t n = 1; n < kHandCounts; ++n) keys[code][n] = Key(2, code * kHandCounts + n);
    }
    return keys;
  }();
  static constexpr std::array<uint64_t, 4> kCastlingKeys = {0, Key(3, 1), Key(3, 2), Key(3, 3)};
  static constexpr uint64_t kBlackToMove = Key(4, 0);
  static constexpr uint64_t LandingKey(int kings_landing) {
    return kings_landing == 7 ? 0 : Key(5, static_cast<uint64_t>(kings_landing));
  }
};

// Moves all of `b` by an offset; what leaves the board is dropped.
template <class Geo, int kFile, int kRank>
constexpr typename Geo::Bits Shift(typename Geo::Bits b) {
  using Bits = typename Geo::Bits;
  constexpr Bits kStays = [] {
    Bits mask = 0;
    for (int s = 0; s < Geo::kSquares; ++s) {
      if (Geo::OnBoard(Geo::FileOf(s) + kFile, Geo::RankOf(s) + kRank)) mask |= Geo::Bit(s);
    }
    return mask;
  }();
  constexpr int kDelta = kRank * Geo::kFiles + kFile;
  if constexpr (kDelta >= 0) {
    return (b & kStays) << kDelta;
  } else {
    return (b & kStays) >> -kDelta;
  }
}

// Patterns that are fixed offsets from each piece, so a whole set of pieces moves in one shift.
inline constexpr uint16_t kSetWisePatterns =
    kForwardKnight | kForwardStep | kForwardDiagonal | kDiagonalStep | kPawnPush | kRookTwo;

constexpr bool IsSetWise(const PieceSpec& piece) {
  return ((piece.moves | piece.captures) & static_cast<uint16_t>(~kSetWisePatterns)) == 0;
}

// The targets of one piece of the given patterns, blockers minded, colours not.
template <class Geo, Color kUs, uint16_t kPatterns>
constexpr typename Geo::Bits Targets(Square s, typename Geo::Bits occupied) {
  using Bits = typename Geo::Bits;
  using Tables = AttackTables<Geo>;
  Bits to = 0;
  if constexpr ((kPatterns & kKingStep) != 0) to |= Tables::KingSteps(s);
  if constexpr ((kPatterns & kKnightJump) != 0) to |= Tables::KnightJumps(s);
  if constexpr ((kPatterns & kRookSlide) != 0) to |= Tables::Rook(s, occupied);
  if constexpr ((kPatterns & kBishopSlide) != 0) to |= Tables::Bishop(s, occupied);
  if constexpr ((kPatterns & kForwardKnight) != 0) to |= Tables::ForwardKnight(kUs, s);
  if constexpr ((kPatterns & kForwardStep) != 0) to |= Tables::ForwardStep(kUs, s);
  if constexpr ((kPatterns & kForwardDiagonal) != 0) to |= Tables::ForwardDiagonals(kUs, s);
  if constexpr ((kPatterns & kDiagonalStep) != 0) to |= Tables::DiagonalSteps(s);
  if constexpr ((kPatterns & kPawnPush) != 0) {
    const Bits once = Tables::ForwardStep(kUs, s) & ~occupied;
    to |= once;
    if (once && Geo::RankOf(s) == Geo::OwnRank(kUs, 1)) {
      to |= Tables::ForwardStep(kUs, static_cast<Square>(LowestBit(once)));
    }
  }
  if constexpr ((kPatterns & kRookTwo) != 0) {
    const Bits reach = Tables::Rook(s, occupied);
    Bits near = Tables::KingSteps(s) & ~Tables::DiagonalSteps(s) & ~occupied;
    to |= near;
    while (near) {
      const Square step = PopLowest(near);
      to |= reach & Tables::KingSteps(step) & ~Tables::DiagonalSteps(step) & ~Geo::Bit(s) &
            Tables::RookRays(s);
    }
  }
  return to;
}

// The promotion choices of a piece, as piece types.
template <class Spec, size_t kType>
constexpr auto PromotionTypes() {
  constexpr std::string_view kLetters = Spec::kPieces[kType].promotes_to;
  std::array<PieceType, kLetters.size()> types{};
  for (size_t i = 0; i < kLetters.size(); ++i) {
    for (size_t t = 0; t < Spec::kPieces.size(); ++t) {
      if (Spec::kPieces[t].letter == kLetters[i]) types[i] = static_cast<PieceType>(t);
    }
  }
  return types;
}

// Counts moves. A sink's members get: moves of the piece on `from`; moves of many pieces, each from
// to-delta to `to`; the same for promotions, with the choices; placements; castling.
template <class Bits>
struct CountSink {
  int count = 0;

  void From(Square, Bits to) { count += PopCount(to); }
  void Shifted(Bits to, int) { count += PopCount(to); }
  void PromoteFrom(Square, Bits to, const auto& choices) {
    count += PopCount(to) * static_cast<int>(choices.size());
  }
  void PromoteShifted(Bits to, int, const auto& choices) { PromoteFrom(0, to, choices); }
  void Place(PieceType, Bits to) { count += PopCount(to); }
  void Castle(Square, Square) { ++count; }
};

template <class Bits, class Moves>
struct ListSink {
  Moves& moves;

  void From(Square from, Bits to) {
    while (to) moves.push_back({.from = from, .to = PopLowest(to)});
  }
  void Shifted(Bits to, int delta) {
    while (to) {
      const Square target = PopLowest(to);
      moves.push_back({.from = static_cast<Square>(target - delta), .to = target});
    }
  }
  void PromoteFrom(Square from, Bits to, const auto& choices) {
    while (to) {
      const Square target = PopLowest(to);
      for (const PieceType type : choices) {
        moves.push_back({.from = from, .to = target, .piece = type, .kind = MoveKind::kPromotion});
      }
    }
  }
  void PromoteShifted(Bits to, int delta, const auto& choices) {
    while (to) {
      const Square target = PopLowest(to);
      const Bits one = Bits{1} << target;
      PromoteFrom(static_cast<Square>(target - delta), one, choices);
    }
  }
  void Place(PieceType type, Bits to) {
    while (to) {
      const Square s = PopLowest(to);
      moves.push_back({.from = s, .to = s, .piece = type, .kind = MoveKind::kPlacement});
    }
  }
  void Castle(Square from, Square to) {
    moves.push_back({.from = from, .to = to, .kind = MoveKind::kCastle});
  }
};

}  // namespace rules_detail

}  // namespace khanzero
