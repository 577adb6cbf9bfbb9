// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ends of games that the rules do not know, and what time controls do.
#include "play/referee.h"

#include <gtest/gtest.h>

#include "env/error.h"
#include "play/time_control.h"

namespace khanzero {
namespace {

using std::chrono::milliseconds;

TEST(TimeControl, ReadsWhatUsersWrite) {
  EXPECT_EQ(ParseTimeControl("10+0.1"), (TimeControl{10'000, 100, 0}));
  EXPECT_EQ(ParseTimeControl("300"), (TimeControl{300'000, 0, 0}));
  EXPECT_EQ(ParseTimeControl("40/60+0.5"), (TimeControl{60'000, 500, 40}));
  EXPECT_EQ(ParseTimeControl("0.05"), (TimeControl{50, 0, 0}));
  for (const char* const text : {"10+0.1", "300", "40/60+0.5", "0.05"}) {
    EXPECT_EQ(Text(ParseTimeControl(text)), text);
  }
}

TEST(TimeControl, RefusesWhatIsNone) {
  for (const char* const text :
       {"", "ten", "10+", "+1", "0", "-3", "10+-1", "/60", "0/60", "1.5/60", "10 + 1", "nan", "inf",
        "1e3", "99999999999", "10+0.1x", "40/"}) {
    EXPECT_THROW(ParseTimeControl(text), InputError) << text;
  }
}

TEST(TimeControl, PgnTagSaysWhatWasGiven) {
  EXPECT_EQ(TimeControlTag({}), "-");
  EXPECT_EQ(TimeControlTag({.nodes = 800}), "-");
  EXPECT_EQ(TimeControlTag({.movetime_ms = 500}), "1/0.5");
  EXPECT_EQ(TimeControlTag({.clock = TimeControl{10'000, 100, 0}}), "10+0.1");
}

TEST(GameClock, AddsTheIncrementAfterTheMove) {
  GameClock clock({1000, 100, 0});
  EXPECT_TRUE(clock.Spend(milliseconds(300), 0));
  EXPECT_EQ(clock.left_ms(), 800);
  EXPECT_TRUE(clock.Spend(milliseconds(800), 0));
  EXPECT_EQ(clock.left_ms(), 100);
  EXPECT_FALSE(clock.Spend(milliseconds(101), 0));
}

TEST(GameClock, AMarginForgivesButGivesNoTime) {
  GameClock clock({1000, 0, 0});
  EXPECT_TRUE(clock.Spend(milliseconds(1050), 50));
  EXPECT_EQ(clock.left_ms(), 0);
  EXPECT_FALSE(clock.Spend(milliseconds(51), 50));
}

TEST(GameClock, BeginsAnewAfterItsMoves) {
  GameClock clock({1000, 0, 2});
  EXPECT_EQ(clock.moves_to_go(), 2);
  EXPECT_TRUE(clock.Spend(milliseconds(400), 0));
  EXPECT_EQ(clock.moves_to_go(), 1);
  EXPECT_TRUE(clock.Spend(milliseconds(400), 0));
  EXPECT_EQ(clock.moves_to_go(), 2);
  EXPECT_EQ(clock.left_ms(), 1200);
}

TEST(Referee, AFaultLosesForItsSide) {
  const GameEnding ending = EndingByFault(Fault::kIllegalMove, Color::kBlack, "played a1a1");
  EXPECT_EQ(ending.result, Result::kWhiteWins);
  EXPECT_EQ(ending.reason, "illegal move");
  EXPECT_EQ(ending.termination, "illegal move");
  EXPECT_EQ(ending.detail, "Black: played a1a1");
  EXPECT_EQ(EndingByFault(Fault::kTime, Color::kWhite, "").result, Result::kBlackWins);
  EXPECT_EQ(EndingByFault(Fault::kTime, Color::kWhite, "").termination, "time forfeit");
  for (const Fault fault : {Fault::kCrash, Fault::kHang, Fault::kGarbage}) {
    EXPECT_EQ(EndingByFault(fault, Color::kWhite, "").termination, "abandoned");
  }
}

TEST(Referee, TheRulesEndGamesNormally) {
  EXPECT_FALSE(EndingByRules({}).over());
  const GameEnding mate = EndingByRules({Result::kBlackWins, EndReason::kCheckmate});
  EXPECT_EQ(mate.result, Result::kBlackWins);
  EXPECT_EQ(mate.reason, "checkmate");
  EXPECT_EQ(mate.termination, "normal");
  EXPECT_EQ(EndingByRules({Result::kDraw, EndReason::kPlyCap}).termination, "adjudication");
}

constexpr Color kWhite = Color::kWhite;
constexpr Color kBlack = Color::kBlack;

TEST(ScoreAdjudicator, ResignsAfterLowScoresInARow) {
  ScoreAdjudicator referee({.resign = ResignRule{.centipawns = 500, .moves = 2}});
  EXPECT_FALSE(referee.Note(kWhite, -600, 1));
  EXPECT_FALSE(referee.Note(kBlack, 0, 1));
  EXPECT_FALSE(referee.Note(kWhite, -499, 2));  // the row is broken
  EXPECT_FALSE(referee.Note(kBlack, 0, 2));
  EXPECT_FALSE(referee.Note(kWhite, -500, 3));
  EXPECT_FALSE(referee.Note(kBlack, 0, 3));
  const auto ending = referee.Note(kWhite, -500, 4);
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->result, Result::kBlackWins);
  EXPECT_EQ(ending->termination, "adjudication");
}

TEST(ScoreAdjudicator, BothMustAgreeWhereAsked) {
  ScoreAdjudicator referee({.resign = ResignRule{.centipawns = 500, .moves = 2, .both = true}});
  for (int move = 1; move <= 5; ++move) {
    EXPECT_FALSE(referee.Note(kWhite, -600, move));
    EXPECT_FALSE(referee.Note(kBlack, 499, move));
  }
  EXPECT_FALSE(referee.Note(kWhite, -600, 6));
  EXPECT_FALSE(referee.Note(kBlack, 500, 6));
  EXPECT_FALSE(referee.Note(kWhite, -600, 7));
  const auto ending = referee.Note(kBlack, 700, 7);
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->result, Result::kBlackWins);
}

TEST(ScoreAdjudicator, AMoveWithoutAScoreBreaksEveryRow) {
  ScoreAdjudicator referee({.resign = ResignRule{.centipawns = 1, .moves = 2},
                            .draw = DrawRule{.centipawns = 10, .moves = 1, .from_move = 1}});
  for (int move = 1; move < 10; ++move) {
    EXPECT_FALSE(referee.Note(kWhite, move % 2 == 0 ? std::optional(-5) : std::nullopt, move));
    EXPECT_FALSE(referee.Note(kBlack, std::nullopt, move));
  }
}

TEST(ScoreAdjudicator, DrawsOnlyFromItsMoveOn) {
  ScoreAdjudicator referee({.draw = DrawRule{.centipawns = 10, .moves = 2, .from_move = 30}});
  for (int move = 1; move < 30; ++move) {
    EXPECT_FALSE(referee.Note(kWhite, 0, move));
    EXPECT_FALSE(referee.Note(kBlack, -10, move));
  }
  EXPECT_FALSE(referee.Note(kWhite, 10, 30));
  EXPECT_FALSE(referee.Note(kBlack, -10, 30));
  EXPECT_FALSE(referee.Note(kWhite, 10, 31));
  const auto ending = referee.Note(kBlack, 0, 31);
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->result, Result::kDraw);
}

TEST(ScoreAdjudicator, DoesNothingUnlessAsked) {
  ScoreAdjudicator referee({});
  for (int move = 1; move < 200; ++move) {
    EXPECT_FALSE(referee.Note(kWhite, -30'000, move));
    EXPECT_FALSE(referee.Note(kBlack, 0, move));
  }
}

TEST(MoveReport, ReadsAsInPgn) {
  EXPECT_EQ(Text(MoveReport{.centipawns = 36, .depth = 24, .nodes = 800}, 1230),
            "+0.36/24 1.2s, n=800");
  EXPECT_EQ(Text(MoveReport{.centipawns = -5}, 12), "-0.05 0.012s");
  EXPECT_EQ(Text(MoveReport{.mate = 3, .depth = 5}, 0), "+M3/5 0.000s");
  EXPECT_EQ(Text(MoveReport{.mate = -2}, 0), "-M2 0.000s");
  EXPECT_EQ(Text(MoveReport{.nodes = 7}, 1000), "1.0s, n=7");
  EXPECT_EQ(MoveReport{.mate = 3}.score(), 29'997);
  EXPECT_EQ(MoveReport{.mate = -3}.score(), -29'997);
  EXPECT_LT(*MoveReport{.mate = 0}.score(), -29'000);
}

}  // namespace
}  // namespace khanzero
