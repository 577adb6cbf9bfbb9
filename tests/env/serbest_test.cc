// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules of The Serbest that say which placements and moves are legal, each on a position of its
// own. How a game ends is in serbest_end_test.cc.
#include "env/serbest.h"

#include <gtest/gtest.h>

#include "tests/env/position_text.h"

namespace khanzero {
namespace {

WordSet From(std::string_view fen, const std::string& square) {
  return MovesFrom<Serbest>(At<Serbest>(fen), square);
}
WordSet Placed(std::string_view fen, char kind) {
  return PlacementsOf<Serbest>(At<Serbest>(fen), kind);
}
bool Legal(std::string_view fen, std::string_view move) {
  return IsLegal<Serbest>(At<Serbest>(fen), move);
}
// The squares of some placements that the rules leave out, of those in `squares`.
WordSet Refused(std::string_view fen, char kind, const std::string& squares) {
  WordSet refused = Words(squares);
  for (const std::string& square : Placed(fen, kind)) refused.erase(square);
  return refused;
}
// All squares of some ranks.
WordSet Ranks(int first, int last) {
  WordSet squares;
  for (int rank = first; rank <= last; ++rank) {
    for (char file = 'a'; file <= 'j'; ++file) squares.insert(file + std::to_string(rank));
  }
  return squares;
}

// --- Placement -------------------------------------------------------------------------------

TEST(Serbest, TheFirstMoveIsAnyPieceAnywhereAndTheKingWithinItsLanding) {
  EXPECT_EQ(Serbest::Position::Start({.kings_landing = 7}).CountLegalMoves(), 670);
  EXPECT_EQ(Serbest::Position::Start({.kings_landing = 8}).CountLegalMoves(), 680);
}

TEST(Serbest, KingIsPlacedOnOwnRanksOneToItsLanding) {
  const std::string white = "10/10/10/10/10/10/10/10/10/10[Kk] w - - 0 1";
  const std::string black = "10/10/10/10/10/10/10/10/10/10[Kk] b - - 0 1";
  EXPECT_EQ(PlacementsOf<Serbest>(At<Serbest>(white, 7), 'K'), Ranks(1, 7));
  EXPECT_EQ(PlacementsOf<Serbest>(At<Serbest>(white, 8), 'K'), Ranks(1, 8));
  EXPECT_EQ(PlacementsOf<Serbest>(At<Serbest>(black, 7), 'K'), Ranks(4, 10));
  EXPECT_EQ(PlacementsOf<Serbest>(At<Serbest>(black, 8), 'K'), Ranks(3, 10));
}

TEST(Serbest, KingIsNotPlacedOnAnAttackedSquare) {
  // The rook sees e-file and rank 5, the pawn on b3 the squares a2 and c2.
  const std::string fen = "10/10/10/10/10/4r5/10/1p8/10/10[K] w - - 0 1";
  const WordSet placed = Placed(fen, 'K');
  for (const char* const square : {"e1", "e4", "e7", "a5", "j5", "a2", "c2"}) {
    EXPECT_FALSE(placed.contains(square)) << square;
  }
  for (const char* const square : {"d1", "d4", "f6", "b2", "a3", "b1", "a4"}) {
    EXPECT_TRUE(placed.contains(square)) << square;
  }
  EXPECT_EQ(placed.size(), 70U - 16 - 2 - 1);  // less rook's own square, its lines, c2 a2, b3
}

TEST(Serbest, KingIsNotPlacedBesideTheOtherKing) {
  EXPECT_EQ(
      Refused("10/10/10/10/10/4k5/10/10/10/10[K] w - - 0 1", 'K', "d4 e4 f4 d5 f5 d6 e6 f6 g5 c3"),
      Words("d4 e4 f4 d5 f5 d6 e6 f6"));
}

// The neighbours of the black king on e5, and a knight's jump from it.
constexpr const char* kNear = "d4 e4 f4 d5 f5 d6 e6 f6 c4 d3";

TEST(Serbest, APlacedPieceGivesNoCheckFromAnAdjacentSquare) {
  const auto refused = [](const std::string& hand, char kind) {
    return Refused("10/10/10/10/10/4k5/10/10/10/10[" + hand + "] w - - 0 1", kind, kNear);
  };
  EXPECT_EQ(refused("Q", 'Q'), Words("d4 e4 f4 d5 f5 d6 e6 f6"));
  EXPECT_EQ(refused("R", 'R'), Words("e4 d5 f5 e6"));
  EXPECT_EQ(refused("B", 'B'), Words("d4 f4 d6 f6"));
  EXPECT_EQ(refused("N", 'N'), WordSet{});
  EXPECT_EQ(refused("P", 'P'), Words("d4 f4"));
  EXPECT_EQ(refused("S", 'S'), Words("d4 f4 d6 f6"));
}

TEST(Serbest, TheBanOnAdjacentChecksHoldsForBlackTowardsItsOwnForward) {
  const auto refused = [](const std::string& hand, char kind) {
    return Refused("10/10/10/10/10/4K5/10/10/10/10[" + hand + "] b - - 0 1", kind, kNear);
  };
  EXPECT_EQ(refused("q", 'Q'), Words("d4 e4 f4 d5 f5 d6 e6 f6"));
  EXPECT_EQ(refused("r", 'R'), Words("e4 d5 f5 e6"));
  EXPECT_EQ(refused("b", 'B'), Words("d4 f4 d6 f6"));
  EXPECT_EQ(refused("n", 'N'), WordSet{});
  EXPECT_EQ(refused("p", 'P'), Words("d6 f6"));
  EXPECT_EQ(refused("s", 'S'), Words("d4 f4 d6 f6"));
}

TEST(Serbest, APlacedPieceMayCheckFromFartherOff) {
  for (const char* const move : {"Q@e7", "Q@g7", "R@e3", "R@a5", "B@c3", "N@d3", "N@g6"}) {
    const auto position = After<Serbest>("10/10/10/10/10/4k5/10/10/10/10[QRBN] w - - 0 1", move);
    EXPECT_TRUE(position.InCheck()) << move;
  }
}

TEST(Serbest, PawnsArePlacedOnAnyRank) {
  EXPECT_EQ(Placed("10/10/10/10/10/10/10/10/10/10[Pp] w - - 0 1", 'P'), Ranks(1, 10));
  EXPECT_EQ(Placed("10/10/10/10/10/10/10/10/10/10[Ss] b - - 0 1", 'S'), Ranks(1, 10));
}

TEST(Serbest, BothBishopsMayStandOnOneColor) {
  EXPECT_TRUE(Legal("10/10/10/10/10/10/10/10/10/B9[B] w - - 0 1", "B@c1"));
  EXPECT_TRUE(Legal("10/10/10/10/10/10/10/10/10/B9[B] w - - 0 1", "B@b1"));
}

TEST(Serbest, PlacementNeedsThePieceInHandAndAnEmptySquare) {
  EXPECT_EQ(Placed("10/10/10/10/10/10/10/10/4p5/N9[Nq] w - - 0 1", 'N').size(), 98U);
  EXPECT_EQ(Placed("10/10/10/10/10/10/10/10/4p5/N9[Nq] w - - 0 1", 'Q').size(), 0U);
  EXPECT_EQ(After<Serbest>("10/10/10/10/10/10/10/10/10/10[NNp] w - - 7 3", "N@j10").Fen(),
            "9N/10/10/10/10/10/10/10/10/10[Np] b - - 0 3");
}

TEST(Serbest, TheKingNeedNeverBePlacedAndAnyOrderIsGood) {
  const auto position = After<Serbest>(Serbest::Spec::kStartFen, "Q@e5 S@e9");
  EXPECT_TRUE(IsLegal<Serbest>(position, "K@a1"));
  EXPECT_TRUE(IsLegal<Serbest>(position, "e5e9"));
}

// --- Check -----------------------------------------------------------------------------------

TEST(Serbest, AKingInHandIsNeverInCheck) {
  const auto position = At<Serbest>("4q5/10/10/10/10/10/10/10/10/R9[KN] w - - 0 1");
  EXPECT_FALSE(position.InCheck());
  EXPECT_EQ(position.CountLegalMoves(),
            18 + 98 + static_cast<int>(PlacementsOf<Serbest>(position, 'K').size()));
}

TEST(Serbest, PlacingBetweenAnswersACheckAlsoBesideEitherKing) {
  // The rook on e4 checks e1. Beside e2 and e3 stands Black's king on d3: diagonally and straight.
  const std::string fen = "10/10/10/10/10/10/4r5/3k6/10/4K5[QRBNPS] w - - 0 1";
  ASSERT_TRUE(At<Serbest>(fen).InCheck());
  EXPECT_EQ(Placed(fen, 'Q'), WordSet{});
  EXPECT_EQ(Placed(fen, 'R'), Words("e2"));
  EXPECT_EQ(Placed(fen, 'B'), Words("e3"));
  EXPECT_EQ(Placed(fen, 'N'), Words("e2 e3"));
  EXPECT_EQ(Placed(fen, 'P'), Words("e3"));
  EXPECT_EQ(Placed(fen, 'S'), Words("e3"));
}

TEST(Serbest, NoPlacementAnswersACheckFromNearOrADoubleCheck) {
  EXPECT_EQ(Placed("10/10/10/10/10/10/10/10/3p6/4K5[QN] w - - 0 1", 'N'), WordSet{});  // pawn
  EXPECT_EQ(Placed("10/10/10/10/10/10/10/3n6/10/4K5[QN] w - - 0 1", 'Q'), WordSet{});  // knight
  const std::string twice = "10/10/10/10/4r5/b9/10/10/10/4K5[QN] w - - 0 1";
  EXPECT_EQ(Placed(twice, 'N'), WordSet{});
  EXPECT_EQ(Placed(twice, 'Q'), WordSet{});
}

TEST(Serbest, KingDoesNotMoveIntoAnAttack) {
  EXPECT_EQ(From("10/10/10/10/10/10/10/10/7r2/K9[] w - - 0 1", "a1"), Words("b1"));
  EXPECT_EQ(From("10/10/10/10/10/10/10/K1k7/10/10[] w - - 0 1", "a3"), Words("a2 a4"));
}

TEST(Serbest, PinnedPieceMovesOnlyOnItsLine) {
  EXPECT_EQ(From("10/10/10/10/4r5/10/4R5/10/10/4K5[] w - - 0 1", "e4"), Words("e2 e3 e5 e6"));
  EXPECT_EQ(From("10/10/10/10/4r5/10/4P5/10/10/4K5[] w - - 0 1", "e4"), Words("e2 e3 e5"));
  EXPECT_EQ(From("10/10/10/10/4r5/10/4N5/10/10/4K5[] w - - 0 1", "e4"), WordSet{});
}

// --- Moves -----------------------------------------------------------------------------------

TEST(Serbest, KingQueenRookBishopAndKnightMoveAsInChess) {
  const auto moves = [](const std::string& piece) {
    return From("10/10/10/10/10/4" + piece + "5/10/10/10/10[] w - - 0 1", "e5");
  };
  EXPECT_EQ(moves("K"), Words("d4 e4 f4 d5 f5 d6 e6 f6"));
  EXPECT_EQ(moves("N"), Words("c4 c6 d3 d7 f3 f7 g4 g6"));
  EXPECT_EQ(moves("R"), Words("a5 b5 c5 d5 f5 g5 h5 i5 j5 e1 e2 e3 e4 e6 e7 e8 e9 e10"));
  EXPECT_EQ(moves("B"), Words("d4 c3 b2 a1 f6 g7 h8 i9 j10 d6 c7 b8 a9 f4 g3 h2 i1"));
  EXPECT_EQ(moves("Q").size(), 35U);
}

TEST(Serbest, SlidersStopAtPieces) {
  EXPECT_EQ(From("10/10/10/10/4p5/2P1R1p3/10/4p5/10/10[] w - - 0 1", "e5"),
            Words("d5 f5 g5 e6 e4 e3"));
}

TEST(Serbest, PawnMovesOneOrTwoInFourDirectionsFromAnywhere) {
  for (const char* const piece : {"P", "S"}) {
    const std::string letter = piece;
    EXPECT_EQ(From("10/10/10/10/10/4" + letter + "5/10/10/10/10[] w - - 0 1", "e5"),
              Words("e6 e7 e4 e3 d5 c5 f5 g5"));
    EXPECT_EQ(From("10/10/10/10/10/10/10/10/10/" + letter + "9[] w - - 0 1", "a1"),
              Words("a2 a3 b1 c1"));
    EXPECT_EQ(From("10/9" + letter + "/10/10/10/10/10/10/10/10[] w - - 0 1", "j9"),
              Words("j10 j8 j7 i9 h9"));
  }
}

TEST(Serbest, PawnDoesNotMoveOverOrOntoAPiece) {
  // Own piece one ahead, an enemy two behind, one beside, own two to the left.
  EXPECT_EQ(From("10/10/10/10/4N5/2N1Pp4/10/4p5/10/10[] w - - 0 1", "e5"), Words("e4 d5"));
}

TEST(Serbest, PawnCapturesOneStepDiagonallyForward) {
  const std::string board = "10/10/10/10/3r1r4/4P5/3n1n4/10/10/10[] w - - 0 1";
  EXPECT_EQ(From(board, "e5"), Words("d6 f6 e6 e7 e4 e3 d5 c5 f5 g5"));
  EXPECT_EQ(From("10/10/10/10/3R1R4/4p5/3N1N4/10/10/10[] b - - 0 1", "e5"),
            Words("d4 f4 e6 e7 e4 e3 d5 c5 f5 g5"));
}

TEST(Serbest, SubedeiCapturesForwardAndBackward) {
  EXPECT_EQ(From("10/10/10/10/3r1r4/4S5/3n1n4/10/10/10[] w - - 0 1", "e5"),
            Words("d6 f6 d4 f4 e6 e7 e4 e3 d5 c5 f5 g5"));
  EXPECT_EQ(From("10/10/10/10/3R1R4/4s5/3N1N4/10/10/10[] b - - 0 1", "e5"),
            Words("d6 f6 d4 f4 e6 e7 e4 e3 d5 c5 f5 g5"));
}

TEST(Serbest, PawnsDoNotMoveDiagonallyOntoAnEmptySquare) {
  EXPECT_FALSE(Legal("10/10/10/10/10/4P5/10/10/10/10[] w - - 0 1", "e5d6"));
  EXPECT_FALSE(Legal("10/10/10/10/10/4S5/10/10/10/10[] w - - 0 1", "e5d4"));
}

TEST(Serbest, PawnsNeverPromote) {
  EXPECT_EQ(From("10/4P5/10/10/10/10/10/10/10/10[] w - - 0 1", "e9"),
            Words("e10 e8 e7 d9 c9 f9 g9"));
  EXPECT_EQ(From("10/10/10/10/10/10/10/10/4s5/10[] b - - 0 1", "e2"),
            Words("e1 e3 e4 d2 c2 f2 g2"));
}

TEST(Serbest, OnlyCapturesOfPawnsGiveCheck) {
  const auto checked = [](const std::string& ranks) {
    return At<Serbest>("10/10/10/" + ranks + "/10/10/10[] w - - 0 1").InCheck();
  };
  EXPECT_FALSE(checked("10/4p5/4K5/10"));  // straight ahead
  EXPECT_FALSE(checked("4p5/10/4K5/10"));
  EXPECT_TRUE(checked("10/3p6/4K5/10"));
  EXPECT_FALSE(checked("10/10/4K5/3p6"));  // a pawn does not look back
  EXPECT_TRUE(checked("10/10/4K5/3s6"));   // a Subedei does
  EXPECT_TRUE(checked("10/5s4/4K5/10"));
  EXPECT_FALSE(checked("10/10/3sK5/10"));
}

TEST(Serbest, ACapturedPieceLeavesTheGame) {
  EXPECT_EQ(After<Serbest>("10/10/10/10/4q5/10/10/10/10/4R5[KNkn] w - - 8 20", "e1e6").Fen(),
            "10/10/10/10/4R5/10/10/10/10/10[KNkn] b - - 0 20");
}

TEST(Serbest, ThereIsNoCastling) {
  EXPECT_EQ(From("10/10/10/10/10/10/10/10/10/R3K4R[] w - - 0 1", "e1"), Words("d1 f1 d2 e2 f2"));
}

}  // namespace
}  // namespace khanzero
