// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a game of Khan's Chess ends: mate, stalemate, campmate, the 50-move rule, repetition.
#include <gtest/gtest.h>

#include "env/khans.h"
#include "env/perft.h"
#include "tests/env/position_text.h"

namespace khanzero {
namespace {

std::string State(std::string_view fen) { return StateOf(At<Khans>(fen)); }
std::string StateAfter(std::string_view fen, const std::string& moves) {
  return StateOf(After<Khans>(fen, moves));
}

TEST(Khans, CheckmateLosesForSideToMove) {
  EXPECT_EQ(State("R6k/8/6K1/8/8/8/8/8 b - - 0 1"), "1-0 checkmate");
  EXPECT_EQ(State("8/8/8/8/8/6k1/8/l6K w - - 0 1"), "0-1 checkmate");
}

TEST(Khans, StalemateLosesForSideToMove) {
  EXPECT_EQ(State("k7/8/1Q6/8/4K3/8/8/8 b - - 0 1"), "1-0 stalemate");
  EXPECT_EQ(State("8/8/8/4k3/8/1q6/8/K7 w - - 0 1"), "0-1 stalemate");
}

TEST(Khans, CampmateWinsForEitherSideAtOnce) {
  const auto white = After<Khans>("8/4K3/8/8/k7/8/8/8 w - - 0 1", "e7e8");
  EXPECT_EQ(StateOf(white), "1-0 campmate");
  EXPECT_EQ(white.CountLegalMoves(), 0);
  EXPECT_EQ(Perft(white, 1), 0U);
  const auto black = After<Khans>("8/8/8/7K/8/8/4k3/8 b - - 0 1", "e2e1");
  EXPECT_EQ(StateOf(black), "0-1 campmate");
  EXPECT_EQ(black.CountLegalMoves(), 0);
}

TEST(Khans, CampmateByCapture) {
  EXPECT_EQ(StateAfter("4a3/3K4/8/8/k7/8/8/8 w - - 0 1", "d7e8"), "1-0 campmate");
}

TEST(Khans, KingDoesNotStepIntoCheckEvenOnItsLastRank) {
  EXPECT_EQ(MovesFrom<Khans>(At<Khans>("l7/4K3/8/8/k7/8/8/8 w - - 0 1"), "e7"),
            Words("d6 d7 e6 f6 f7"));
}

TEST(Khans, CampmateComesBeforeMateOfTheOtherSide) {
  // The king's step uncovers the rook on the seventh rank: Black's king is in check as well.
  const auto won = After<Khans>("8/k2K3R/8/8/8/8/8/8 w - - 0 1", "d7d8");
  EXPECT_TRUE(won.InCheck());
  EXPECT_EQ(StateOf(won), "1-0 campmate");
}

TEST(Khans, AKingOnItsOwnFirstRankIsNoCampmate) {
  EXPECT_EQ(State("lhatkahl/ssssssss/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"), "*");
}

TEST(Khans, GoalMoveIsAKingMoveToTheLastRankOnly) {
  const auto position = At<Khans>("8/R3K3/8/8/1k6/8/8/8 w - - 0 1");
  const auto goal = [&](const char* text) {
    return position.IsGoalMove(Khans::TextToMove(position, text));
  };
  EXPECT_TRUE(goal("e7e8"));
  EXPECT_TRUE(goal("e7d8"));
  EXPECT_FALSE(goal("e7e6"));
  EXPECT_FALSE(goal("a7b7"));
  const auto castling = At<Khans>("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
  EXPECT_FALSE(castling.IsGoalMove(Khans::TextToMove(castling, "e1g1")));
}

TEST(Khans, GameWonBeforeTheFenHasNoMoves) {
  const auto position = At<Khans>("4K3/8/8/8/k7/8/8/8 b - - 0 1");
  EXPECT_EQ(StateOf(position), "1-0 campmate");
  EXPECT_EQ(position.CountLegalMoves(), 0);
}

TEST(Khans, LoneKingsPlayOn) { EXPECT_EQ(State("8/8/8/k7/7K/8/8/8 w - - 0 1"), "*"); }

// --- The 50-move rule ------------------------------------------------------------------------

uint32_t CountAfter(std::string_view fen, const std::string& move) {
  return After<Khans>(fen, move).halfmove_clock();
}

TEST(Khans, CapturesPawnAndScoutMovesResetTheCount) {
  EXPECT_EQ(CountAfter("7k/8/8/3s4/8/4N3/4P3/K7 w - - 42 9", "e3d5"), 0U);
  EXPECT_EQ(CountAfter("7k/8/8/3s4/8/8/4P3/K7 w - - 42 9", "e2e4"), 0U);
  EXPECT_EQ(CountAfter("7k/8/8/3s4/8/8/4P3/K7 b - - 42 9", "d5f4"), 0U);
  EXPECT_EQ(CountAfter("7k/8/8/8/8/1s6/8/4K3 b - - 42 9", "b3a1t"), 0U);
  EXPECT_EQ(CountAfter("7k/P7/8/8/8/8/8/K7 w - - 42 9", "a7a8n"), 0U);
}

TEST(Khans, OtherMovesCountOn) {
  EXPECT_EQ(CountAfter("7k/8/8/3t4/8/8/8/K7 b - - 42 9", "d5e3"), 43U);
  EXPECT_EQ(CountAfter("7k/8/8/3a4/8/8/8/K7 b - - 42 9", "d5e3"), 43U);
  EXPECT_EQ(CountAfter("7k/8/8/3h4/8/8/8/K7 b - - 42 9", "d5e3"), 43U);
  EXPECT_EQ(CountAfter("1k6/8/8/8/8/8/8/R3K2R w KQ - 42 9", "e1g1"), 43U);
}

TEST(Khans, TheHundredthPlyIsADraw) {
  EXPECT_EQ(StateAfter("k7/8/8/8/8/8/8/K6R w - - 98 60", "h1g1"), "*");
  EXPECT_EQ(StateAfter("k7/8/8/8/8/8/8/K6R w - - 99 60", "h1g1"), "1/2-1/2 fifty");
  EXPECT_EQ(State("k7/8/8/8/8/8/8/K6R w - - 100 60"), "1/2-1/2 fifty");
}

TEST(Khans, MateOnTheHundredthPlyWins) {
  EXPECT_EQ(StateAfter("7k/8/6K1/8/8/8/8/R7 w - - 99 60", "a1a8"), "1-0 checkmate");
}

TEST(Khans, StalemateOnTheHundredthPlyIsALoss) {
  EXPECT_EQ(StateAfter("k7/8/8/8/4K3/8/8/1Q6 w - - 99 60", "b1b6"), "1-0 stalemate");
}

TEST(Khans, CampmateOnTheHundredthPlyWins) {
  EXPECT_EQ(StateAfter("8/4K3/8/8/k7/8/8/8 w - - 99 60", "e7e8"), "1-0 campmate");
  EXPECT_EQ(StateAfter("8/8/8/7K/8/8/4k3/8 b - - 99 60", "e2e1"), "0-1 campmate");
}

// --- Repetition ------------------------------------------------------------------------------

TEST(Khans, ThirdOccurrenceIsADraw) {
  const std::string start = "lhatkahl/ssssssss/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1";
  const std::string round = "g1f3 d8e6 f3g1 e6d8 ";
  EXPECT_EQ(StateAfter(start, round), "*");
  EXPECT_EQ(After<Khans>(start, round).repetitions(), 1);
  EXPECT_EQ(StateAfter(start, round + "g1f3 d8e6 f3g1"), "*");
  EXPECT_EQ(StateAfter(start, round + round), "1/2-1/2 repetition");
}

TEST(Khans, OtherCastlingRightsMakeAnotherPosition) {
  // The first round costs a right, so the start does not occur again.
  const std::string start = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
  const std::string round = "a1a2 e8d8 a2a1 d8e8 ";
  EXPECT_EQ(After<Khans>(start, round).repetitions(), 0);
  EXPECT_EQ(StateAfter(start, round + round), "*");
  EXPECT_EQ(StateAfter(start, round + round + round), "1/2-1/2 repetition");
}

TEST(Khans, OtherSideToMoveIsAnotherPosition) {
  EXPECT_NE(At<Khans>("6k1/8/8/8/8/8/8/K6R w - - 0 1").key(),
            At<Khans>("6k1/8/8/8/8/8/8/K6R b - - 0 1").key());
}

TEST(Khans, FiftyMovesIsNamedBeforeRepetition) {
  const std::string round = "h1g1 a8b8 g1h1 b8a8 ";
  const auto drawn = After<Khans>("k7/8/8/8/8/8/8/K6R w - - 92 60", round + round);
  EXPECT_EQ(drawn.repetitions(), 2);
  EXPECT_EQ(StateOf(drawn), "1/2-1/2 fifty");
}

}  // namespace
}  // namespace khanzero
