// SPDX-License-Identifier: GPL-3.0-or-later
//
// A move list has a fixed length, kMaxMoves. Here positions are driven to as many moves as a search
// of small changes finds, and the bound must hold with room to spare.
#include <gtest/gtest.h>

#include "env/games.h"
#include "tests/env/position_text.h"
#include "tests/env/random_positions.h"

namespace khanzero {
namespace {

// The number of legal moves of a FEN; -1 if it is none.
template <class G>
int MovesOf(const FenBoard& board) {
  try {
    return At<G>(board.Fen(), 8).CountLegalMoves();
  } catch (const InputError&) {
    return -1;
  }
}

// Moves pieces about (and between board and hand, where there is one) as long as moves do not
// become fewer; returns how many there are in the end.
template <class G>
int Climb(FenBoard board, uint64_t seed, int steps) {
  Random random(seed);
  const auto any_square = [&] {
    return static_cast<int>(random.Below(static_cast<uint64_t>(board.squares())));
  };
  int best = MovesOf<G>(board);
  for (int i = 0; i < steps; ++i) {
    FenBoard next = board;
    if (next.has_hand && !next.hand.empty() && random.Below(3) == 0) {
      std::swap(next.Cell(any_square()), next.hand[random.Below(next.hand.size())]);
      std::erase(next.hand, '.');
    } else {
      std::swap(next.Cell(any_square()), next.Cell(any_square()));
    }
    const int count = MovesOf<G>(next);
    if (count >= best) {
      best = count;
      board = next;
    }
  }
  // The list itself, not only its length, must hold them: the sanitizers look on.
  const std::vector<std::string> moves = SortedMoves<G>(At<G>(board.Fen(), 8));
  EXPECT_EQ(static_cast<int>(moves.size()), best);
  return best;
}

TEST(MoveBound, ManyQueensAndKheshigsStayBelowKhansBound) {
  for (const int pieces : {20, 30, 36, 45}) {
    for (const std::string_view letters : {"QQQQQH", "HHHHHQ", "QRBLTA"}) {
      Random random(static_cast<uint64_t>(pieces));
      FenBoard board = FenBoard::Empty(8, 8, false);
      board.Cell(0) = 'K';
      // Scouts shield the khan, so that the start is a legal position.
      board.ranks[7] = "......sk";
      board.ranks[6] = ".....sss";
      board.ranks[5] = "......s.";
      for (int i = 0; i < pieces; ++i) {
        board.Cell(RandomEmptySquare(board, -1, random)) =
            letters[static_cast<size_t>(i) % letters.size()];
      }
      const int most = Climb<Khans>(board, 5, 2000);
      EXPECT_LT(most, Khans::kMaxMoves);
    }
  }
}

TEST(MoveBound, OneOfEachKindOnTheBoardStaysBelowSerbestBound) {
  // One of each kind in hand, the second of each on the board: the most kinds to place.
  FenBoard board = FenBoard::Empty(10, 10, true);
  board.hand = "KQRBNPS";
  const std::string on_board = "RBNPPPPPS";
  for (size_t i = 0; i < on_board.size(); ++i)
    board.Cell(static_cast<int>(22 + 6 * i)) = on_board[i];
  int most = 0;
  for (const uint64_t seed : {1U, 2U, 3U}) {
    most = std::max(most, Climb<Serbest>(board, seed, 4000));
  }
  EXPECT_GT(most, 670);
  EXPECT_LT(most, Serbest::kMaxMoves);
}

}  // namespace
}  // namespace khanzero
