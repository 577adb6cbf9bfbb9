// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bitboards of the right width for a board, and the attack tables for it. 64 squares fit a
// uint64_t; 100 squares an unsigned __int128. Everything is a template over the board's size, so
// both games share one implementation and neither pays for the other.
//
// Sliders use the obstruction difference (Michael Hoffmann): for a line through a square, split
// into the parts below and above it, one subtraction finds the squares up to the nearest blockers
// on both sides. It needs 100 bytes of tables a square instead of PEXT's hundreds of kilobytes, and
// is the same code for both widths.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "env/move.h"
#include "env/types.h"

namespace khanzero {

using Bits128 = unsigned __int128;

template <class Bits>
constexpr int PopCount(Bits b) {
  if constexpr (sizeof(Bits) == 8) {
    return std::popcount(b);
  } else {
    return std::popcount(static_cast<uint64_t>(b)) + std::popcount(static_cast<uint64_t>(b >> 64));
  }
}

// Index of the lowest / highest set bit. REQUIRES: b != 0.
template <class Bits>
constexpr int LowestBit(Bits b) {
  if constexpr (sizeof(Bits) == 8) {
    return std::countr_zero(b);
  } else {
    const auto low = static_cast<uint64_t>(b);
    return low ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<uint64_t>(b >> 64));
  }
}

template <class Bits>
constexpr int HighestBit(Bits b) {
  if constexpr (sizeof(Bits) == 8) {
    return 63 - std::countl_zero(b);
  } else {
    const auto high = static_cast<uint64_t>(b >> 64);
    return high ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<uint64_t>(b));
  }
}

// Removes the lowest bit of `b` and returns its square. REQUIRES: b != 0.
template <class Bits>
constexpr Square PopLowest(Bits& b) {
  const int square = LowestBit(b);
  b &= b - 1;
  return static_cast<Square>(square);
}

template <class Bits>
constexpr bool MoreThanOne(Bits b) {
  return (b & (b - 1)) != 0;
}

// A board of kFiles x kRanks: its bit width and square arithmetic.
template <int kFileCount, int kRankCount>
struct Geometry {
  static constexpr int kFiles = kFileCount;
  static constexpr int kRanks = kRankCount;
  static constexpr int kSquares = kFiles * kRanks;
  static_assert(kSquares <= 128 && kFiles <= 26);
  using Bits = std::conditional_t<kSquares <= 64, uint64_t, Bits128>;

  static constexpr Bits kAll =
      kSquares == 8 * sizeof(Bits) ? ~Bits{0} : (Bits{1} << (kSquares % 128)) - 1;

  static constexpr int FileOf(int square) { return square % kFiles; }
  static constexpr int RankOf(int square) { return square / kFiles; }
  static constexpr Square SquareAt(int file, int rank) {
    return static_cast<Square>(rank * kFiles + file);
  }
  static constexpr bool OnBoard(int file, int rank) {
    return file >= 0 && file < kFiles && rank >= 0 && rank < kRanks;
  }
  static constexpr Bits Bit(int square) { return Bits{1} << square; }
  static constexpr Bits RankBits(int rank) { return ((Bits{1} << kFiles) - 1) << (rank * kFiles); }
  // Own rank n, counted from 0 on the side's own edge, as an absolute rank.
  static constexpr int OwnRank(Color side, int n) {
    return side == Color::kWhite ? n : kRanks - 1 - n;
  }
  static constexpr int LastRank(Color side) { return OwnRank(side, kRanks - 1); }
  // The square seen from the side's own edge: ranks are turned for Black, files stay.
  static constexpr Square Relative(Color side, int square) {
    return side == Color::kWhite ? static_cast<Square>(square)
                                 : SquareAt(FileOf(square), kRanks - 1 - RankOf(square));
  }
};

struct Offset {
  int file;
  int rank;
};

// The eight directions, clockwise from north; a move's direction is an index into this list.
inline constexpr std::array<Offset, 8> kDirections = {
    {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};
// The eight knight jumps, clockwise; the four forward ones have a positive rank.
inline constexpr std::array<Offset, 8> kKnightJumps = {
    {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}};

// Attack tables of a geometry, computed by the compiler.
template <class Geo>
class AttackTables {
 public:
  using Bits = typename Geo::Bits;
  template <class T>
  using PerSquare = std::array<T, Geo::kSquares>;

  // Squares strictly between two squares on one line; empty when they are not aligned.
  static Bits Between(Square a, Square b) { return kBetween[a][b]; }

  static Bits KingSteps(Square s) { return kKingSteps[s]; }
  static Bits KnightJumps(Square s) { return kKnightMoves[s]; }
  static Bits DiagonalSteps(Square s) { return kDiagonalSteps[s]; }
  // Forward patterns depend on the side that moves.
  static Bits ForwardKnight(Color c, Square s) { return kForwardKnight[Index(c)][s]; }
  static Bits ForwardStep(Color c, Square s) { return kForwardStep[Index(c)][s]; }
  static Bits ForwardDiagonals(Color c, Square s) { return kForwardDiagonals[Index(c)][s]; }

  static Bits Rook(Square s, Bits occupied) {
    return Line(kLines[s][0], occupied) | Line(kLines[s][1], occupied);
  }
  static Bits Bishop(Square s, Bits occupied) {
    return Line(kLines[s][2], occupied) | Line(kLines[s][3], occupied);
  }
  // On the empty board: which squares a slider there could attack from.
  static Bits RookRays(Square s) { return kRookRays[s]; }
  static Bits BishopRays(Square s) { return kBishopRays[s]; }

 private:
  struct LineMasks {
    Bits lower = 0;
    Bits upper = 0;
  };

  static constexpr Bits Line(const LineMasks& line, Bits occupied) {
    const Bits lower = line.lower & occupied;
    const Bits upper = line.upper & occupied;
    const Bits nearest_below = Bits{1} << HighestBit(lower | 1);
    return (line.lower | line.upper) & (upper ^ (upper - nearest_below));
  }

  template <class Offsets>
  static constexpr PerSquare<Bits> Leaps(const Offsets& offsets, auto&& wanted) {
    PerSquare<Bits> table{};
    for (int s = 0; s < Geo::kSquares; ++s) {
      for (const Offset& o : offsets) {
        const int file = Geo::FileOf(s) + o.file;
        const int rank = Geo::RankOf(s) + o.rank;
        if (wanted(o) && Geo::OnBoard(file, rank)) {
          table[static_cast<size_t>(s)] |= Geo::Bit(Geo::SquareAt(file, rank));
        }
      }
    }
    return table;
  }

  // Squares from `s` in one direction to the edge.
  static constexpr Bits Ray(int s, Offset o) {
    Bits ray = 0;
    int file = Geo::FileOf(s) + o.file;
    int rank = Geo::RankOf(s) + o.rank;
    for (; Geo::OnBoard(file, rank); file += o.file, rank += o.rank) {
      ray |= Geo::Bit(Geo::SquareAt(file, rank));
    }
    return ray;
  }

  static constexpr auto MakeLines() {
    constexpr std::array<int, 4> kUpward = {0, 2, 1, 7};  // north, east, north-east, north-west
    PerSquare<std::array<LineMasks, 4>> table{};
    for (int s = 0; s < Geo::kSquares; ++s) {
      for (size_t i = 0; i < kUpward.size(); ++i) {
        const Offset up = kDirections[static_cast<size_t>(kUpward[i])];
        table[static_cast<size_t>(s)][i] = {Ray(s, {-up.file, -up.rank}), Ray(s, up)};
      }
    }
    return table;
  }

  static constexpr auto MakeRays(int first_direction) {
    PerSquare<Bits> table{};
    for (int s = 0; s < Geo::kSquares; ++s) {
      for (int d = first_direction; d < 8; d += 2) {
        table[static_cast<size_t>(s)] |= Ray(s, kDirections[static_cast<size_t>(d)]);
      }
    }
    return table;
  }

  static constexpr auto MakeBetween() {
    PerSquare<PerSquare<Bits>> table{};
    for (int s = 0; s < Geo::kSquares; ++s) {
      for (const Offset& o : kDirections) {
        Bits passed = 0;
        int file = Geo::FileOf(s) + o.file;
        int rank = Geo::RankOf(s) + o.rank;
        for (; Geo::OnBoard(file, rank); file += o.file, rank += o.rank) {
          const Square target = Geo::SquareAt(file, rank);
          table[static_cast<size_t>(s)][target] = passed;
          passed |= Geo::Bit(target);
        }
      }
    }
    return table;
  }

  static constexpr bool Any(Offset) { return true; }
  template <int kSign>
  static constexpr bool Forward(Offset o) {
    return o.rank * kSign > 0;
  }
  static constexpr bool Diagonal(Offset o) { return o.file != 0 && o.rank != 0; }
  template <int kSign>
  static constexpr bool ForwardDiagonal(Offset o) {
    return Diagonal(o) && Forward<kSign>(o);
  }
  template <int kSign>
  static constexpr bool StraightAhead(Offset o) {
    return o.file == 0 && Forward<kSign>(o);
  }

  static constexpr PerSquare<Bits> kKingSteps = Leaps(kDirections, Any);
  static constexpr PerSquare<Bits> kKnightMoves = Leaps(kKnightJumps, Any);
  static constexpr PerSquare<Bits> kDiagonalSteps = Leaps(kDirections, Diagonal);
  static constexpr std::array<PerSquare<Bits>, 2> kForwardKnight = {
      Leaps(kKnightJumps, Forward<1>), Leaps(kKnightJumps, Forward<-1>)};
  static constexpr std::array<PerSquare<Bits>, 2> kForwardStep = {
      Leaps(kDirections, StraightAhead<1>), Leaps(kDirections, StraightAhead<-1>)};
  static constexpr std::array<PerSquare<Bits>, 2> kForwardDiagonals = {
      Leaps(kDirections, ForwardDiagonal<1>), Leaps(kDirections, ForwardDiagonal<-1>)};
  static constexpr PerSquare<std::array<LineMasks, 4>> kLines = MakeLines();
  static constexpr PerSquare<Bits> kRookRays = MakeRays(0);
  static constexpr PerSquare<Bits> kBishopRays = MakeRays(1);
  static constexpr PerSquare<PerSquare<Bits>> kBetween = MakeBetween();
};

}  // namespace khanzero
