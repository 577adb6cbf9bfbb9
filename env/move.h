// SPDX-License-Identifier: GPL-3.0-or-later
//
// A move and the stack list that move generation fills. Squares are rank * files + file, a1 = 0.
#pragma once

#include <array>
#include <cstdint>

namespace khanzero {

using Square = uint8_t;
using PieceType = uint8_t;

inline constexpr Square kNoSquare = 0xFF;
inline constexpr PieceType kNoPiece = 0xFF;

enum class MoveKind : uint8_t { kNormal = 0, kPromotion = 1, kCastle = 2, kPlacement = 3 };

struct Move {
  Square from = 0;  // equals `to` for a placement
  Square to = 0;
  PieceType piece = kNoPiece;  // the piece promoted to, or placed; kNoPiece otherwise
  MoveKind kind = MoveKind::kNormal;

  friend constexpr bool operator==(const Move&, const Move&) = default;
};
static_assert(sizeof(Move) == 4);

// A fixed-capacity list on the stack. `kCapacity` is the game's proven bound on legal moves, which
// is far above 255 (the first Serbest move has 670).
template <int kCapacity>
class MoveList {
 public:
  void push_back(Move move) { moves_[static_cast<size_t>(size_++)] = move; }
  void clear() { size_ = 0; }
  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Move& operator[](int i) const { return moves_[static_cast<size_t>(i)]; }
  const Move* begin() const { return moves_.data(); }
  const Move* end() const { return moves_.data() + size_; }

 private:
  int size_ = 0;
  // Left uninitialised on purpose: only the first size_ entries are ever read.
  std::array<Move, kCapacity> moves_;
};

}  // namespace khanzero
