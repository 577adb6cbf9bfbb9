// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/pgn_reader.h"

#include <gtest/gtest.h>

#include "env/error.h"
#include "play/pgn.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

std::vector<PgnRecord> ReadAll(const std::string& text) {
  PgnReader reader(text, "test.pgn");
  std::vector<PgnRecord> games;
  while (auto game = reader.Next()) games.push_back(std::move(*game));
  return games;
}

std::vector<std::string> MovesOf(const PgnRecord& game) {
  std::vector<std::string> moves;
  for (const PgnMove& move : game.moves) moves.push_back(move.text);
  return moves;
}

using Texts = std::vector<std::string>;

PgnGame Written(int number) {
  PgnGame game;
  game.round = std::to_string(number);
  game.white = "a \"b\" \\ c]";
  game.black = "{d} ; (e";
  game.variant = "serbest";
  game.moves = {"N@a10", "P@j10", "a10b8", "K@e9"};
  game.comments = {"+0.36/24 1.2s, n=800", "", "-M3; [x] (y) $1 %z"};
  game.outcome = {Result::kBlackWins, EndReason::kNone};
  game.ending = "time forfeit";
  game.termination = "time forfeit";
  game.more_tags = {{"Match", "seed=1"}};
  return game;
}

TEST(PgnReader, ReadsBackWhatWeWrite) {
  const PgnGame written = Written(7);
  const std::string text = ToPgn(written);
  const auto games = ReadAll(text);
  ASSERT_EQ(games.size(), 1U);
  const PgnRecord& game = games[0];
  EXPECT_EQ(game.line, 1);
  EXPECT_EQ(game.begin, 0U);
  EXPECT_EQ(text.substr(game.end), "\n\n");
  EXPECT_EQ(MovesOf(game), written.moves);
  EXPECT_EQ(game.moves[0].comment, written.comments[0]);
  EXPECT_EQ(game.moves[1].comment, "");
  EXPECT_EQ(game.moves[2].comment, written.comments[2]);
  EXPECT_EQ(game.moves[3].comment, "");
  EXPECT_EQ(game.ending, "time forfeit");
  EXPECT_EQ(game.result, "0-1");
  EXPECT_EQ(game.Tag("White"), written.white);
  EXPECT_EQ(game.Tag("Black"), written.black);
  EXPECT_EQ(game.Tag("Match"), "seed=1");
  EXPECT_EQ(game.Tag("TimeControl"), std::nullopt);
}

// A writer may be killed at any byte.
TEST(PgnReader, AGameThatIsCutOffAnywhereIsKnownAsSuch) {
  std::string text;
  std::vector<size_t> ends;
  for (int i = 0; i < 3; ++i) {
    text += ToPgn(Written(i));
    ends.push_back(text.size() - 2);
  }
  for (size_t length = 0; length <= text.size(); ++length) {
    const auto games = ReadAll(text.substr(0, length));
    size_t whole = 0;
    while (whole < ends.size() && ends[whole] <= length) ++whole;
    const bool between = whole == ends.size() || length <= (whole == 0 ? 0 : ends[whole - 1] + 2);
    ASSERT_EQ(games.size(), whole + (between ? 0 : 1)) << length;
    for (size_t i = 0; i < games.size(); ++i) {
      ASSERT_EQ(games[i].cut_off(), i == whole) << length;
      ASSERT_EQ(games[i].begin, i == 0 ? 0 : ends[i - 1] + 2) << length;
    }
  }
}

TEST(PgnReader, AGameWithoutAResultEndsWhereTheNextBegins) {
  const auto games = ReadAll(
      "[Event \"a\"]\n\n1. e2e4 e7e5\n[Event \"b\"]\n[Round \"1\"]\n[Event \"c\"]\n\n2. e2e4 *\n");
  ASSERT_EQ(games.size(), 3U);
  EXPECT_TRUE(games[0].cut_off());
  EXPECT_EQ(MovesOf(games[0]), (Texts{"e2e4", "e7e5"}));
  EXPECT_TRUE(games[1].cut_off());
  EXPECT_EQ(games[1].Tag("Event"), "b");
  EXPECT_EQ(games[2].Tag("Event"), "c");
  EXPECT_EQ(games[2].line, 6);
  EXPECT_EQ(games[2].result, "*");
}

TEST(PgnReader, TakesWhatOtherProgramsWrite) {
  const auto games = ReadAll(
      "\xEF\xBB\xBF% exported\r\n; a remark [Event \"no\"]\r\n{ another } [Event \"a\"] [Site\r\n"
      "\"b\" ]\r\n\r\n{before} 1.e2e4!? {one}{two\r\n  three} $14 (1. d2d4 (1. c2c4 *) d7d5 "
      "{in})\r\n"
      "1...e7e5+ ; four } here\r\n% 2. a2a3\r\n2 . g1f3 !? b8c6# 3.\r\n\r\n{five} {six} 1/2-1/2\r\n"
      "{after} ; all\r\n");
  ASSERT_EQ(games.size(), 1U);
  EXPECT_EQ(games[0].line, 3);
  EXPECT_EQ(games[0].Tag("Site"), "b");
  EXPECT_EQ(MovesOf(games[0]), (Texts{"e2e4", "e7e5", "g1f3", "b8c6"}));
  EXPECT_EQ(games[0].moves[0].comment, "one two three");
  EXPECT_EQ(games[0].moves[1].comment, "four } here");
  EXPECT_EQ(games[0].moves[3].comment, "five");
  EXPECT_EQ(games[0].moves[3].line, 10);
  EXPECT_EQ(games[0].ending, "six");
  EXPECT_EQ(games[0].result, "1/2-1/2");
}

TEST(PgnReader, TextWithoutAGameHasNone) {
  for (const char* const text : {"", "\n \r\n", "% only\n; remarks\n{here}\n"}) {
    EXPECT_TRUE(ReadAll(text).empty()) << text;
  }
}

// Each tag is compared with those before it, so a text full of them would take hours.
TEST(PgnReader, AGameHasAtMostTwoHundredTags) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "[T" + std::to_string(i) + " \"x\"]\n";
  EXPECT_EQ(ReadAll(text + "1. e2e4 *\n").at(0).tags.size(), 200U);
  EXPECT_THROWS_WITH(ReadAll(text + "[More \"x\"]\n1. e2e4 *\n"), InputError,
                     "test.pgn:201: the game has more than 200 tags");
  const std::string name(255, 'n');
  EXPECT_EQ(ReadAll("[" + name + " \"x\"] *").at(0).tags.at(0).first, name);
  EXPECT_THROWS_WITH(ReadAll("[" + name + "n \"x\"] *"), InputError, "is too long");
}

TEST(PgnReader, FaultsAreNamedWithTheirLine) {
  const auto fails = [](const std::string& text, const std::string& what) {
    SCOPED_TRACE(text);
    EXPECT_THROWS_WITH(ReadAll(text), InputError, what);
  };
  fails("hello", "test.pgn:1: the tags of a game are expected, such as [Event \"?\"], not 'hello'");
  fails("\n\n1. e2e4 *", "test.pgn:3: the tags of a game are expected");
  fails("[Event \"a\"]\n*\n1-0\n", "test.pgn:3: the tags of a game");
  fails("[\"a\"]", "test.pgn:1: a tag has no name");
  fails("[Event a]", "test.pgn:1: '\"' is missing before the value of the tag Event");
  fails("[Event \"a\n\"]", "test.pgn:1: the value of the tag Event has no '\"' at its end");
  fails("[Event \"a\" *", "test.pgn:1: ']' is missing at the end of the tag Event");
  fails("[Event \"a\"]\n[Round \"1\"]\n[Round \"1\"]", "test.pgn:3: the tag Round is there twice");
  fails("[Event \"a\"]\n) *", "test.pgn:2: ')' without a variation");
  fails("[Event \"a\"]\n e2e4 (\n e2e3\n[Event \"b\"]", "test.pgn:2: the variation that begins");
  fails("[Event \"a\"]\n e2e4 } *", "test.pgn:2: '}' is out of place");
  fails("[Event \"a\"]\n\n1. e2e4\n<e7e5> *", "test.pgn:4: '<e7e5>' is neither a move");
  fails("[Event \"a\"]\n\n1. e2e4\n\x01\xff *", "test.pgn:4: '\\x01\\xff' is neither a move");
  fails("[Event \"a\"]\n\n12x *", "test.pgn:3: '12x' is neither a move");
}

}  // namespace
}  // namespace khanzero
