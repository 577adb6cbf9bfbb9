// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/alpha_beta.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>

#include "env/games.h"

namespace khanzero {
namespace {

template <Game G>
typename AlphaBeta<G>::Answer Search(const std::string& fen, int depth) {
  return AlphaBeta<G>(depth).Choose(GameState<G>(G::Position::FromFen(fen)), Random(1));
}

TEST(AlphaBeta, SeesDistancesToTheEnd) {
  using Khan = AlphaBeta<Khans>;
  EXPECT_EQ(Search<Khans>("7k/3K4/8/8/8/8/8/8 w - - 0 1", 2).score, Khan::kMate - 1);
  EXPECT_EQ(Search<Khans>("8/8/8/8/8/8/3k4/7K w - - 0 1", 2).score, -(Khan::kMate - 2));
  EXPECT_EQ(Search<Khans>("8/8/3K4/8/7k/8/8/8 w - - 0 1", 3).score, Khan::kMate - 3);
  EXPECT_EQ(Search<Serbest>("10/10/10/10/7K2/10/10/3k6/10/10[] b - - 0 1", 3).score,
            AlphaBeta<Serbest>::kMate - 3);
  EXPECT_EQ(Search<Khans>("k7/7R/8/8/8/8/8/K5R1 w - - 0 1", 2).score, Khan::kMate - 1);
}

TEST(AlphaBeta, AnswersWhenItIsStoppedHoweverDeepItWasToSearch) {
  const GameState<Khans> game(Khans::Position::Start());
  std::atomic<bool> stop = true;
  AlphaBeta<Khans> search(60);
  const auto at_once = search.Choose(game, Random(1), &stop);
  typename Khans::Moves legal;
  game.position().LegalMoves(legal);
  EXPECT_NE(std::find(legal.begin(), legal.end(), at_once.move), legal.end());
  stop = false;
  auto later =
      std::async(std::launch::async, [&] { return search.Choose(game, Random(1), &stop); });
  stop = true;
  const Move move = later.get().move;
  EXPECT_NE(std::find(legal.begin(), legal.end(), move), legal.end());
  // The next one is not stopped.
  AlphaBeta<Khans> again(2);
  again.Choose(game, Random(1), &stop);
  EXPECT_EQ(again.Choose(game, Random(1)).nodes, AlphaBeta<Khans>(2).Choose(game, Random(1)).nodes);
}

TEST(AlphaBeta, StopsTheKingThatWouldWin) {
  // White's king is a step from rank 8; only the lancer on that rank holds it, on f8 or h8.
  const std::string fen = "8/3K4/6l1/8/8/7k/8/8 b - - 0 1";
  const std::string move = Khans::MoveToText(Search<Khans>(fen, 2).move);
  EXPECT_TRUE(move == "g6h8" || move == "g6f8") << move;
}

TEST(AlphaBeta, WinsMaterialThatIsNotDefended) {
  EXPECT_EQ(Khans::MoveToText(Search<Khans>("7k/8/8/1h6/s7/8/1R6/R6K w - - 0 1", 1).move), "b2b5");
  // At depth 1 the recapture beyond the horizon is seen.
  EXPECT_NE(Khans::MoveToText(Search<Khans>("3l3k/8/8/3s4/8/8/8/3Q3K w - - 0 1", 1).move), "d1d5");
}

TEST(AlphaBeta, ADrawByTheCountIsWorthNothing) {
  // A rook ahead, but the hundredth quiet ply is a draw whatever is played but mate.
  EXPECT_EQ(Search<Khans>("8/7k/8/8/8/8/8/K5R1 w - - 99 1", 2).score, 0);
}

// Plain negamax without any pruning, ordering or quiescence finds the same forced results.
template <Game G>
int Exhaustive(const typename G::Position& position, int depth, int ply) {
  typename G::Moves moves;
  position.LegalMoves(moves);
  if (moves.empty()) return -(AlphaBeta<G>::kMate - ply);
  if (depth == 0) return 0;
  int best = -AlphaBeta<G>::kMate;
  for (const Move& move : moves) {
    typename G::Position next = position;
    next.Play(move);
    best = std::max(best, -Exhaustive<G>(next, depth - 1, ply + 1));
  }
  return best;
}

TEST(AlphaBeta, AgreesWithExhaustiveSearchOnForcedWins) {
  Random random(5);
  Khans::Moves moves;
  int forced = 0;
  for (int game = 0; game < 12; ++game) {
    GameState<Khans> state(Khans::Position::Start());
    for (int ply = 0; ply < 200; ++ply) {
      state.position().LegalMoves(moves);
      if (state.position().ComputeOutcome().over()) break;
      if (ply % 20 == 19 && state.position().halfmove_clock() < 90) {
        const int exact = Exhaustive<Khans>(state.position(), 3, 0);
        if (exact > 0) {
          ++forced;
          EXPECT_EQ(AlphaBeta<Khans>(3).Choose(state, Random(1)).score, exact)
              << state.position().Fen();
        }
      }
      state.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
    }
  }
  EXPECT_GT(forced, 3);
}

}  // namespace
}  // namespace khanzero
