// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a game of The Serbest ends: mate, stalemate, Khan, the 50-move rule, repetition.
#include <gtest/gtest.h>

#include "env/perft.h"
#include "env/serbest.h"
#include "tests/env/position_text.h"

namespace khanzero {
namespace {

std::string State(std::string_view fen) { return StateOf(At<Serbest>(fen)); }
std::string StateAfter(std::string_view fen, const std::string& moves) {
  return StateOf(After<Serbest>(fen, moves));
}

TEST(Serbest, CheckmateLosesForSideToMove) {
  EXPECT_EQ(State("R8k/10/8K1/10/10/10/10/10/10/10[] b - - 0 1"), "1-0 checkmate");
  EXPECT_EQ(State("10/10/10/10/10/10/10/8k1/10/r8K[] w - - 0 1"), "0-1 checkmate");
}

TEST(Serbest, APieceInHandThatBlocksIsNoMate) {
  EXPECT_EQ(State("R8k/10/8K1/10/10/10/10/10/10/10[n] b - - 0 1"), "*");
}

TEST(Serbest, MateStandsWhereTheOnlyBlockWouldCheckFromBeside) {
  // Only i10 is between rook and king, and it is diagonally beside White's king on h9.
  const auto with_hand = [](const std::string& hand) {
    return State("7R1k/7K2/7N2/10/10/10/10/10/10/10[" + hand + "] b - - 0 1");
  };
  EXPECT_EQ(with_hand(""), "1-0 checkmate");
  EXPECT_EQ(with_hand("q"), "1-0 checkmate");
  EXPECT_EQ(with_hand("b"), "1-0 checkmate");
  EXPECT_EQ(with_hand("p"), "1-0 checkmate");
  EXPECT_EQ(with_hand("s"), "1-0 checkmate");
  EXPECT_EQ(with_hand("r"), "*");
  EXPECT_EQ(with_hand("n"), "*");
}

TEST(Serbest, StalemateLosesForSideToMove) {
  EXPECT_EQ(State("10/10/10/10/9k/10/10/1q8/10/K9[] w - - 0 1"), "0-1 stalemate");
  EXPECT_EQ(State("k9/10/1Q8/10/9K/10/10/10/10/10[] b - - 0 1"), "1-0 stalemate");
}

TEST(Serbest, ASideWithoutPiecesIsStalemated) {
  EXPECT_EQ(State("10/10/10/10/4N5/10/10/10/10/10[] b - - 0 1"), "1-0 stalemate");
}

TEST(Serbest, APieceInHandIsNoStalemate) {
  EXPECT_EQ(State("10/10/10/10/9k/10/10/1q8/10/K9[P] w - - 0 1"), "*");
}

TEST(Serbest, KhanWinsForEitherSideAtOnce) {
  const auto white = After<Serbest>("10/4K5/10/10/10/10/10/10/10/10[Qkq] w - - 0 1", "e9f10");
  EXPECT_EQ(StateOf(white), "1-0 khan");
  EXPECT_EQ(white.CountLegalMoves(), 0);
  EXPECT_EQ(Perft(white, 1), 0U);
  const auto black = After<Serbest>("10/10/10/10/10/10/10/10/4k5/10[Qq] b - - 0 1", "e2e1");
  EXPECT_EQ(StateOf(black), "0-1 khan");
  EXPECT_EQ(black.CountLegalMoves(), 0);
}

TEST(Serbest, KhanOnTheLastRankIsNotWonInAnAttack) {
  EXPECT_EQ(MovesFrom<Serbest>(At<Serbest>("r9/4K5/10/10/10/10/10/10/10/10[k] w - - 0 1"), "e9"),
            Words("d9 f9 d8 e8 f8"));
}

TEST(Serbest, GoalMoveIsAKingMoveToTheLastRankOnly) {
  const auto position = At<Serbest>("10/R3K5/10/10/10/10/10/10/10/10[N] w - - 0 1");
  const auto goal = [&](const char* text) {
    return position.IsGoalMove(Serbest::TextToMove(position, text));
  };
  EXPECT_TRUE(goal("e9e10"));
  EXPECT_FALSE(goal("e9e8"));
  EXPECT_FALSE(goal("a9a10"));
  EXPECT_FALSE(goal("N@a10"));
}

TEST(Serbest, GoalDistanceIsInRanksAndFullWhileTheKingIsInHand) {
  const auto position = At<Serbest>("10/10/10/4K5/10/10/10/10/10/10[k] w - - 0 1");
  EXPECT_EQ(Serbest::KingDistanceToGoal(position, Color::kWhite), 3);
  EXPECT_EQ(Serbest::KingDistanceToGoal(position, Color::kBlack), 10);
}

// --- The 50-move rule ------------------------------------------------------------------------

uint32_t CountAfter(std::string_view fen, const std::string& move) {
  return After<Serbest>(fen, move).halfmove_clock();
}

TEST(Serbest, CapturesAndPlacementsResetTheCount) {
  EXPECT_EQ(CountAfter("10/10/10/10/4q5/10/10/10/10/4R5[] w - - 42 60", "e1e6"), 0U);
  EXPECT_EQ(CountAfter("10/10/10/10/10/10/10/10/10/10[Pp] w - - 42 60", "P@e6"), 0U);
}

TEST(Serbest, PawnMovesCountOn) {
  EXPECT_EQ(CountAfter("10/10/10/10/10/10/10/10/4P5/10[p] w - - 42 60", "e2e4"), 43U);
  EXPECT_EQ(CountAfter("10/10/10/10/10/10/10/10/4s5/10[P] b - - 42 60", "e2c2"), 43U);
}

TEST(Serbest, TheHundredthPlyIsADraw) {
  EXPECT_EQ(StateAfter("10/10/10/10/r9/10/10/10/10/4R5[] w - - 98 60", "e1e2"), "*");
  EXPECT_EQ(StateAfter("10/10/10/10/r9/10/10/10/10/4R5[] w - - 99 60", "e1e2"), "1/2-1/2 fifty");
}

TEST(Serbest, MateStalemateAndKhanOnTheHundredthPlyComeFirst) {
  EXPECT_EQ(StateAfter("9k/10/8K1/10/10/10/10/10/10/R9[] w - - 99 60", "a1a10"), "1-0 checkmate");
  EXPECT_EQ(StateAfter("k9/10/10/10/9K/10/10/10/10/1Q8[] w - - 99 60", "b1b8"), "1-0 stalemate");
  EXPECT_EQ(StateAfter("10/4K5/10/10/10/10/10/10/10/10[q] w - - 99 60", "e9e10"), "1-0 khan");
  EXPECT_EQ(StateAfter("10/10/10/10/10/10/10/10/4k5/10[Q] b - - 99 60", "e2e1"), "0-1 khan");
}

// --- Repetition ------------------------------------------------------------------------------

TEST(Serbest, ThirdOccurrenceIsADraw) {
  const std::string start = "10/10/10/10/r9/10/10/10/10/4R5[Kk] w - - 0 1";
  const std::string round = "e1e2 a6a7 e2e1 a7a6 ";
  EXPECT_EQ(StateAfter(start, round + "e1e2 a6a7 e2e1"), "*");
  EXPECT_EQ(StateAfter(start, round + round), "1/2-1/2 repetition");
}

TEST(Serbest, PawnsMayTakePartInARepetition) {
  const std::string start = "10/10/10/10/r9/10/10/10/10/4P5[Kk] w - - 0 1";
  const std::string round = "e1e2 a6a7 e2e1 a7a6 ";
  EXPECT_EQ(StateAfter(start, round + round), "1/2-1/2 repetition");
}

TEST(Serbest, OtherHandsMakeAnotherPosition) {
  const auto key = [](const std::string& hand) {
    return At<Serbest>("10/10/10/10/r9/10/10/10/10/4R5[" + hand + "] w - - 0 1").key();
  };
  EXPECT_NE(key("Kk"), key("k"));
  EXPECT_NE(key("Pp"), key("PPp"));
  EXPECT_NE(key("Pp"), key("Ppp"));
  EXPECT_NE(key("Np"), key("Pn"));
  EXPECT_EQ(key("pPkK"), key("KPkp"));
}

TEST(Serbest, TheKingsLandingIsPartOfTheKey) {
  EXPECT_NE(Serbest::Position::Start({.kings_landing = 7}).key(),
            Serbest::Position::Start({.kings_landing = 8}).key());
}

TEST(Serbest, FiftyMovesIsNamedBeforeRepetition) {
  const std::string start = "10/10/10/10/r9/10/10/10/10/4R5[Kk] w - - 92 60";
  const std::string round = "e1e2 a6a7 e2e1 a7a6 ";
  EXPECT_EQ(StateAfter(start, round + round), "1/2-1/2 fifty");
}

}  // namespace
}  // namespace khanzero
