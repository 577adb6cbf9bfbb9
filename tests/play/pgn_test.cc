// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/pgn.h"

#include <gtest/gtest.h>

#include <sstream>

namespace khanzero {
namespace {

PgnGame Sample() {
  PgnGame game;
  game.event = "test";
  game.date = "2024.05.01";
  game.round = "3.1";
  game.white = "A \"quoted\"";
  game.black = "B";
  game.variant = "serbest";
  game.kings_landing = 7;
  game.moves = {"N@a10", "P@j10", "a10b8"};
  game.outcome = {Result::kWhiteWins, EndReason::kKhan};
  return game;
}

TEST(Pgn, HasTheTagsAndTheMoves) {
  EXPECT_EQ(ToPgn(Sample()),
            "[Event \"test\"]\n[Site \"?\"]\n[Date \"2024.05.01\"]\n[Round \"3.1\"]\n"
            "[White \"A \\\"quoted\\\"\"]\n[Black \"B\"]\n[Result \"1-0\"]\n"
            "[Variant \"serbest\"]\n[KingsLanding \"7\"]\n[Termination \"normal\"]\n"
            "[PlyCount \"3\"]\n[OpeningPlies \"0\"]\n\n"
            "1. N@a10 P@j10 2. a10b8 {khan} 1-0\n\n");
}

TEST(Pgn, NumbersAGameThatBlackBegins) {
  PgnGame game = Sample();
  game.first_mover = Color::kBlack;
  game.first_move_number = 7;
  game.start_fen = "8/8 b";
  game.outcome = {Result::kDraw, EndReason::kPlyCap};
  const std::string text = ToPgn(game);
  EXPECT_NE(text.find("\n7... N@a10 8. P@j10 a10b8 {cap} 1/2-1/2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("[SetUp \"1\"]\n[FEN \"8/8 b\"]\n"), std::string::npos);
  EXPECT_NE(text.find("[Termination \"adjudication\"]"), std::string::npos);
}

TEST(Pgn, HasCommentsAndTheReasonOfAnEndOffTheBoard) {
  PgnGame game = Sample();
  game.comments = {"+0.36/24 1.2s, n=800", "", "a } { b"};
  game.outcome = {Result::kBlackWins, EndReason::kNone};
  game.ending = "illegal move";
  game.termination = "illegal move";
  game.time_control = "60+0.5";
  game.more_tags = {{"Match", "a \"b\""}};
  const std::string text = ToPgn(game);
  EXPECT_NE(text.find("\n1. N@a10 {+0.36/24 1.2s, n=800} 1... P@j10 2. a10b8 {a ) { b} {illegal "
                      "move} 0-1\n"),
            std::string::npos)
      << text;
  for (const char* const tag : {"[Result \"0-1\"]", "[Termination \"illegal move\"]",
                                "[TimeControl \"60+0.5\"]", "[Match \"a \\\"b\\\"\"]\n\n1."}) {
    EXPECT_NE(text.find(tag), std::string::npos) << text;
  }
}

TEST(Pgn, KeepsLinesShort) {
  PgnGame game = Sample();
  game.moves.assign(301, "a10b10");
  game.comments.assign(301, "-12.34/24 1.2s, n=800");
  std::istringstream lines(ToPgn(game));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U);
}

}  // namespace
}  // namespace khanzero
