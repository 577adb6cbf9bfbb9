// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules of Khan's Chess that say which moves are legal, each on a position of its own. How a
// game ends is in khans_end_test.cc.
#include "env/khans.h"

#include <gtest/gtest.h>

#include "tests/env/position_text.h"

namespace khanzero {
namespace {

WordSet From(std::string_view fen, const std::string& square) {
  return MovesFrom<Khans>(At<Khans>(fen), square);
}
bool Legal(std::string_view fen, std::string_view move) {
  return IsLegal<Khans>(At<Khans>(fen), move);
}
bool Checked(std::string_view fen) { return At<Khans>(fen).InCheck(); }

// --- Pieces ----------------------------------------------------------------------------------

TEST(Khans, KingdomPiecesMoveAndCaptureAsInChess) {
  EXPECT_EQ(From("7k/8/2s5/8/3N4/8/2P5/7K w - - 0 1", "d4"), Words("b3 b5 c6 e2 e6 f3 f5"));
  EXPECT_EQ(From("6k1/8/1s6/8/3B4/8/1P6/K7 w - - 0 1", "d4"),
            Words("c3 e3 f2 g1 c5 b6 e5 f6 g7 h8"));
  EXPECT_EQ(From("7k/8/3s4/8/1P1R4/8/8/K7 w - - 0 1", "d4"),
            Words("c4 e4 f4 g4 h4 d5 d6 d3 d2 d1"));
  EXPECT_EQ(From("7k/8/8/2sss3/2PQP3/2PPP3/8/K7 w - - 0 1", "d4"), Words("c5 d5 e5"));
  EXPECT_EQ(From("7k/8/8/8/3K4/2P5/8/8 w - - 0 1", "d4"), Words("c4 c5 d5 e5 e4 e3 d3"));
}

TEST(Khans, PawnMovesOneOrFromRankTwoTwoAndCapturesDiagonally) {
  EXPECT_EQ(From("7k/8/8/8/8/3s1s2/4P3/K7 w - - 0 1", "e2"), Words("e3 e4 d3 f3"));
  EXPECT_EQ(From("7k/8/8/8/8/4P3/8/K7 w - - 0 1", "e3"), Words("e4"));
}

TEST(Khans, PawnDoesNotStepOverOrOntoAPiece) {
  EXPECT_EQ(From("7k/8/8/8/8/4s3/4P3/K7 w - - 0 1", "e2"), Words(""));
  EXPECT_EQ(From("7k/8/8/8/4s3/8/4P3/K7 w - - 0 1", "e2"), Words("e3"));
}

TEST(Khans, PawnPromotesToQueenRookBishopOrKnightByMoveAndByCapture) {
  EXPECT_EQ(From("1l5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7"), Words("a8q a8r a8b a8n b8q b8r b8b b8n"));
}

TEST(Khans, ScoutJumpsForwardAndCapturesStraightAhead) {
  EXPECT_EQ(From("4k3/8/8/3s4/8/8/8/4K3 b - - 0 1", "d5"), Words("b4 f4 c3 e3"));
  EXPECT_EQ(From("4k3/8/8/3s4/2PPP3/4P3/8/4K3 b - - 0 1", "d5"), Words("b4 f4 c3 d4"));
  EXPECT_EQ(From("4k3/8/8/3s4/3t4/8/8/4K3 b - - 0 1", "d5"), Words("b4 f4 c3 e3"));
}

TEST(Khans, ScoutPromotesOnlyToKhatunByMoveAndByCapture) {
  EXPECT_EQ(From("4k3/8/8/8/8/1s6/8/4K3 b - - 0 1", "b3"), Words("d2 a1t c1t"));
  EXPECT_EQ(From("4k3/8/8/8/8/8/1s6/1R2K3 b - - 0 1", "b2"), Words("b1t d1t"));
  EXPECT_EQ(After<Khans>("4k3/8/8/8/8/8/1s6/1R2K3 b - - 5 1", "b2b1t").Fen(),
            "4k3/8/8/8/8/8/8/1t2K3 w - - 0 2");
}

TEST(Khans, KhatunJumpsAndCapturesOneStep) {
  EXPECT_EQ(From("4k3/8/2N5/3t4/3P4/2P5/8/4K3 b - - 0 1", "d5"),
            Words("b4 b6 c7 e3 e7 f4 f6 c6 d4"));
}

TEST(Khans, ArcherJumpsAndCapturesAsABishop) {
  EXPECT_EQ(From("4k3/8/8/3a4/8/5P2/2P3P1/4K3 b - - 0 1", "d5"),
            Words("b4 b6 c3 c7 e3 e7 f4 f6 f3"));
  // Its own scout on e4 shuts the diagonal.
  EXPECT_EQ(From("4k3/8/8/3a4/4s3/5P2/8/4K3 b - - 0 1", "d5"), Words("b4 b6 c3 c7 e3 e7 f4 f6"));
}

TEST(Khans, LancerJumpsAndCapturesAsARook) {
  EXPECT_EQ(From("4k3/8/8/3l2P1/8/8/3P4/4K3 b - - 0 1", "d5"),
            Words("b4 b6 c3 c7 e3 e7 f4 f6 g5 d2"));
  EXPECT_EQ(From("4k3/8/8/3lsP2/8/8/8/4K3 b - - 0 1", "d5"), Words("b4 b6 c3 c7 e3 e7 f4 f6"));
}

TEST(Khans, KheshigMovesAndCapturesAsKnightAndAsKing) {
  EXPECT_EQ(From("4k3/8/8/3h4/2s1PP2/8/8/4K3 b - - 0 1", "d5"),
            Words("b4 b6 c3 c7 e3 e7 f4 f6 c5 c6 d4 d6 e4 e5 e6"));
}

TEST(Khans, PiecesOfTheOtherArmyMoveByTheirOwnType) {
  EXPECT_EQ(From("7k/8/8/3H4/8/8/8/K7 w - - 0 1", "d5").size(), 16U);
  EXPECT_EQ(From("7k/8/8/3L2s1/8/8/8/K7 w - - 0 1", "d5"), Words("b4 b6 c3 c7 e3 e7 f4 f6 g5"));
  EXPECT_EQ(From("7k/8/8/3q4/8/8/8/1K6 b - - 0 1", "d5").size(), 27U);
  EXPECT_EQ(From("7k/8/8/3n4/8/8/8/1K6 b - - 0 1", "d5").size(), 8U);
  // A white khatun or a black bishop does not care which way is forward.
  EXPECT_EQ(From("7k/8/4s3/3T4/8/8/8/K7 w - - 0 1", "d5"), Words("b4 b6 c3 c7 e3 e7 f4 f6 e6"));
}

// --- Check -----------------------------------------------------------------------------------

TEST(Khans, OnlyCapturePatternsGiveCheck) {
  EXPECT_FALSE(Checked("7k/8/8/8/8/4s3/8/3K4 w - - 0 1"));    // scout's jump
  EXPECT_TRUE(Checked("7k/8/8/8/8/3s4/3K4/8 w - - 0 1"));     // scout straight ahead
  EXPECT_FALSE(Checked("7k/8/8/8/8/3K4/3s4/8 w - - 0 1"));    // not backwards
  EXPECT_FALSE(Checked("7k/8/8/8/8/4t3/8/3K4 w - - 0 1"));    // khatun's jump
  EXPECT_TRUE(Checked("7k/8/8/8/8/8/4t3/3K4 w - - 0 1"));     // khatun's step
  EXPECT_FALSE(Checked("7k/8/8/8/8/4a3/8/3K4 w - - 0 1"));    // archer's jump
  EXPECT_TRUE(Checked("7k/8/8/6a1/8/8/8/2K5 w - - 0 1"));     // archer's diagonal
  EXPECT_FALSE(Checked("7k/8/8/6a1/5P2/8/8/2K5 w - - 0 1"));  // blocked
  EXPECT_FALSE(Checked("7k/8/8/8/8/4l3/8/3K4 w - - 0 1"));    // lancer's jump
  EXPECT_TRUE(Checked("7k/8/8/8/3l4/8/8/3K4 w - - 0 1"));     // lancer's file
  EXPECT_TRUE(Checked("7k/8/8/8/8/4h3/8/3K4 w - - 0 1"));     // kheshig's jump
  EXPECT_TRUE(Checked("7k/8/8/8/8/8/4h3/3K4 w - - 0 1"));     // kheshig's step
}

TEST(Khans, KingMayStepWhereOnlyAQuietMoveReaches) {
  // The archer on d4 jumps to c2 and e2; its diagonals are c3-b2-a1, e3-f2-g1.
  EXPECT_EQ(From("7k/8/8/8/3a4/8/8/3K4 w - - 0 1", "d1"), Words("c1 c2 d2 e1 e2"));
}

TEST(Khans, KingDoesNotStepIntoOrAlongACheck) {
  EXPECT_EQ(From("7k/8/8/8/3l4/8/8/3K4 w - - 0 1", "d1"), Words("c1 c2 e1 e2"));
  EXPECT_EQ(From("7k/8/8/8/8/8/3K3l/8 w - - 0 1", "d2"), Words("c1 d1 e1 c3 d3 e3"));
}

TEST(Khans, KingMayCaptureAnUnguardedPieceOnly) {
  EXPECT_TRUE(Legal("7k/8/8/8/8/8/3h4/3K4 w - - 0 1", "d1d2"));
  EXPECT_FALSE(Legal("7k/8/8/8/3l4/8/3h4/3K4 w - - 0 1", "d1d2"));
}

TEST(Khans, CheckIsAnsweredByBlockingQuietlyOrCapturing) {
  // The rook on e1 checks e8: the archer may jump between, and does not reach the rook.
  EXPECT_EQ(From("4k3/8/8/8/3a4/8/8/1K2R3 b - - 0 1", "d4"), Words("e2 e6"));
  EXPECT_EQ(From("4k3/8/8/8/4P3/8/8/K3R2l b - - 0 1", "h1"), Words("e1 f2 g3"));
  EXPECT_EQ(From("4k3/8/8/8/8/8/8/K3R2l b - - 0 1", "h1"), Words("e1"));
}

TEST(Khans, DoubleCheckLeavesOnlyTheKing) {
  const auto twice = At<Khans>("k7/8/8/4l3/8/2a5/8/4K2R w K - 0 1");
  EXPECT_EQ(SortedMoves<Khans>(twice), (std::vector<std::string>{"e1d1", "e1f1", "e1f2"}));
}

TEST(Khans, PinnedPieceMovesOnlyOnItsLine) {
  // The lancer may take the rook that pins it, and its jumps would leave the line.
  EXPECT_EQ(From("4k3/8/4l3/8/8/8/8/K3R3 b - - 0 1", "e6"), Words("e1"));
  EXPECT_EQ(From("4k3/8/4h3/8/8/8/8/K3R3 b - - 0 1", "e6"), Words("e5 e7"));
  EXPECT_EQ(From("7k/8/8/8/4l3/8/4P3/4K3 w - - 0 1", "e2"), Words("e3"));
  EXPECT_EQ(From("7k/8/8/8/7a/8/5P2/4K3 w - - 0 1", "f2"), Words(""));
  EXPECT_EQ(From("7k/8/8/8/8/6a1/5P2/4K3 w - - 0 1", "f2"), Words("g3"));
}

TEST(Khans, APieceThatOnlyJumpsAlongALineDoesNotPin) {
  // A khatun on e4 and a knight on e5 attack no line.
  EXPECT_EQ(From("7k/8/8/4n3/4t3/8/3P4/4K3 w - - 0 1", "d2"), Words("d3 d4"));
}

// --- Castling --------------------------------------------------------------------------------

bool Castles(std::string_view fen, std::string_view side) {
  return Legal(fen, side == "king" ? "e1g1" : "e1c1");
}

TEST(Khans, WhiteCastlesBothSides) {
  const std::string fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 3 7";
  EXPECT_TRUE(Castles(fen, "king"));
  EXPECT_TRUE(Castles(fen, "queen"));
  EXPECT_EQ(After<Khans>(fen, "e1g1").Fen(), "4k3/8/8/8/8/8/8/R4RK1 b - - 4 7");
  EXPECT_EQ(After<Khans>(fen, "e1c1").Fen(), "4k3/8/8/8/8/8/8/2KR3R b - - 4 7");
}

TEST(Khans, CastlingNeedsItsRight) {
  EXPECT_FALSE(Castles("4k3/8/8/8/8/8/8/R3K2R w K - 0 1", "queen"));
  EXPECT_TRUE(Castles("4k3/8/8/8/8/8/8/R3K2R w K - 0 1", "king"));
  EXPECT_FALSE(Castles("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "king"));
  EXPECT_FALSE(Castles("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "king"));
}

TEST(Khans, CastlingNeedsEmptySquaresBetween) {
  for (const char* const rank : {"RN2K2R", "R1B1K2R", "R2QK2R", "Rt2K2R"}) {
    const std::string fen = std::string("4k3/8/8/8/8/8/8/") + rank + " w KQ - 0 1";
    EXPECT_FALSE(Castles(fen, "queen")) << fen;
  }
  for (const char* const rank : {"R3KB1R", "R3K1NR"}) {
    const std::string fen = std::string("4k3/8/8/8/8/8/8/") + rank + " w KQ - 0 1";
    EXPECT_FALSE(Castles(fen, "king")) << fen;
    EXPECT_TRUE(Castles(fen, "queen")) << fen;
  }
}

TEST(Khans, CastlingIsNoAnswerToCheck) {
  const std::string fen = "4k3/4l3/8/8/8/8/8/R3K2R w KQ - 0 1";
  EXPECT_FALSE(Castles(fen, "king"));
  EXPECT_FALSE(Castles(fen, "queen"));
}

TEST(Khans, CastlingDoesNotCrossOrReachAnAttackedSquare) {
  const auto fen = [](const std::string& eighth) {
    return eighth + "/8/8/8/8/8/8/R3K2R w KQ - 0 1";
  };
  EXPECT_FALSE(Castles(fen("1k3l2"), "king"));   // f1
  EXPECT_FALSE(Castles(fen("1k4l1"), "king"));   // g1
  EXPECT_FALSE(Castles(fen("1k1l4"), "queen"));  // d1
  EXPECT_FALSE(Castles(fen("1kl5"), "queen"));   // c1
  // A scout attacks straight ahead, a khatun its neighbours.
  EXPECT_FALSE(Castles("1k6/8/8/8/8/8/6s1/R3K2R w KQ - 0 1", "king"));
  EXPECT_FALSE(Castles("1k6/8/8/8/8/8/6t1/R3K2R w KQ - 0 1", "king"));
  EXPECT_FALSE(Castles("1k6/8/8/8/8/4a3/8/R3K2R w KQ - 0 1", "king"));  // g1 over f2
}

TEST(Khans, CastlingMayCrossWhatOnlyQuietMovesReach) {
  // A khatun on e3 jumps to d1 and f1, a scout on g3 to f1 and h1, and neither captures there.
  EXPECT_TRUE(Castles("1k6/8/8/8/8/4t3/8/R3K2R w KQ - 0 1", "king"));
  EXPECT_TRUE(Castles("1k6/8/8/8/8/4t3/8/R3K2R w KQ - 0 1", "queen"));
  EXPECT_TRUE(Castles("1k6/8/8/8/8/6s1/8/R3K2R w KQ - 0 1", "king"));
  // A lancer on b3 jumps to c1, an archer on f3 to g1; neither attacks the king's way.
  EXPECT_TRUE(Castles("1k6/8/8/8/8/1l6/8/R3K2R w KQ - 0 1", "queen"));
}

TEST(Khans, CastlingMayPassAnAttackedRookAndAnAttackedB1) {
  EXPECT_TRUE(Castles("1l2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "queen"));
  EXPECT_TRUE(Castles("l3k2l/8/8/8/8/8/8/R3K2R w KQ - 0 1", "queen"));
  EXPECT_TRUE(Castles("l3k2l/8/8/8/8/8/8/R3K2R w KQ - 0 1", "king"));
}

TEST(Khans, CastlingRightsAreLostForGood) {
  const std::string fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
  EXPECT_EQ(After<Khans>(fen, "e1e2 e8d8 e2e1 d8e8").castling(), 0);
  EXPECT_EQ(After<Khans>(fen, "a1a2 e8d8 a2a1 d8e8").castling(), Khans::Position::kKingSide);
  EXPECT_EQ(After<Khans>(fen, "h1h2 e8d8 h2h1 d8e8").castling(), Khans::Position::kQueenSide);
  // A rook taken on its corner takes its right with it.
  EXPECT_EQ(After<Khans>("l3k3/8/8/8/8/8/8/R3K2R b KQ - 0 1", "a8a1").castling(),
            Khans::Position::kKingSide);
  EXPECT_EQ(After<Khans>("4k2l/8/8/8/8/8/8/R3K2R b KQ - 0 1", "h8h1").castling(),
            Khans::Position::kQueenSide);
}

TEST(Khans, BlackNeverCastles) {
  EXPECT_EQ(From("r3k2r/8/8/8/8/8/8/1K6 b - - 0 1", "e8"), Words("d8 f8 d7 e7 f7"));
}

}  // namespace
}  // namespace khanzero
