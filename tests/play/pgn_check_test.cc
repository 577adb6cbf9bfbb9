// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/pgn_check.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "play/match.h"
#include "play/pgn.h"

namespace khanzero {
namespace {

PgnCheckReport Checked(const std::string& text, const std::string& variant = "") {
  PgnCheckReport report;
  CheckPgn(text, "test.pgn", variant, report);
  return report;
}

// What is wrong with the one game of `text`; "" when nothing is.
std::string Fault(const std::string& text, const std::string& variant = "") {
  const PgnCheckReport report = Checked(text, variant);
  EXPECT_EQ(report.games, 1);
  return report.wrong.empty() ? "" : report.wrong[0].what;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return text.replace(at, from.size(), to);
}

// White brings its king home at the second move.
PgnGame Decided() {
  PgnGame game;
  game.variant = "khans";
  game.start_fen = "8/8/3K4/8/8/7k/8/8 w - - 0 1";
  game.moves = {"d6d7", "h3h4", "d7d8"};
  game.outcome = {Result::kWhiteWins, EndReason::kCampmate};
  return game;
}

// The same, not played to its end.
PgnGame Open(Result result, const std::string& termination) {
  PgnGame game = Decided();
  game.moves.pop_back();
  game.outcome = {result, EndReason::kNone};
  game.ending = termination;
  game.termination = termination;
  return game;
}

TEST(PgnCheck, GamesOfMatchesAreGood) {
  for (const char* const game : {"khans", "serbest"}) {
    std::string text;
    int64_t plies = 0;
    MatchSettings settings;
    settings.pairs = 10;
    settings.game.kings_landing = 8;
    settings.max_plies = 150;
    settings.on_pgn = [&](const FinishedGame&, const std::string& pgn) { text += pgn; };
    const MatchResult result = PlayMatch(game, {.spec = "greedy"}, {.spec = "random"}, settings);
    plies = result.plies;
    const PgnCheckReport report = Checked(text);
    EXPECT_EQ(report.games, 20);
    EXPECT_EQ(report.plies, plies);
    EXPECT_TRUE(report.wrong.empty()) << ToText(report);
    EXPECT_EQ(report.variants, (std::map<std::string, int64_t>{{game, 20}}));
    for (const auto& [reason, count] : result.endings) {
      const std::string by = reason == "cap" ? "off the board" : reason;
      EXPECT_EQ(report.endings.at(by), count) << game << " " << reason;
    }
    EXPECT_EQ(report.results.contains("1/2-1/2") ? report.results.at("1/2-1/2") : 0,
              result.total.draws);
  }
}

TEST(PgnCheck, TheBoardsResultMustStand) {
  const std::string good = ToPgn(Decided());
  EXPECT_EQ(Fault(good), "");
  std::string black_won = Replaced(good, "{campmate} 1-0", "{campmate} 0-1");
  EXPECT_EQ(Fault(black_won), "its tag Result is '1-0', but its moves end with '0-1'");
  black_won = Replaced(black_won, "[Result \"1-0\"]", "[Result \"0-1\"]");
  EXPECT_EQ(Fault(black_won), "its result is '0-1', but the board says '1-0' (campmate)");
  EXPECT_EQ(Fault(Replaced(good, "\"normal\"", "\"time forfeit\"")),
            "its Termination is 'time forfeit', but the board ended it (campmate)");
  EXPECT_EQ(Fault(Replaced(good, "{campmate}", "{checkmate}")),
            "it is said to end by 'checkmate', but the board says 'campmate'");
  EXPECT_EQ(Fault(Replaced(good, "{campmate}", "{a fine game}")), "");
  EXPECT_EQ(Fault(Replaced(good, "\"normal\"", "\"resigned\"")),
            "its Termination is 'resigned', which is none of ours");
}

TEST(PgnCheck, AnOpenBoardNeedsAReasonForAResult) {
  for (const char* const termination :
       {"adjudication", "time forfeit", "illegal move", "abandoned"}) {
    for (const Result result : {Result::kWhiteWins, Result::kBlackWins, Result::kDraw}) {
      EXPECT_EQ(Fault(ToPgn(Open(result, termination))), "");
    }
    EXPECT_EQ(
        Fault(ToPgn(Open(Result::kOngoing, termination))),
        "its result is '*', which does not go with Termination '" + std::string(termination) + "'");
  }
  EXPECT_EQ(Fault(ToPgn(Open(Result::kOngoing, "unterminated"))), "");
  EXPECT_EQ(Fault(ToPgn(Open(Result::kDraw, "unterminated"))),
            "its result is '1/2-1/2', which does not go with Termination 'unterminated'");
  EXPECT_EQ(Fault(ToPgn(Open(Result::kWhiteWins, "normal"))),
            "its Termination is 'normal', but the board leaves the game open after the last move");
}

TEST(PgnCheck, EveryMoveMustBeLegal) {
  const std::string good = ToPgn(Decided());
  EXPECT_EQ(Fault(Replaced(good, "h3h4", "h3h5")),
            "ply 2: move 'h3h5' is not legal in 8/3K4/8/8/8/7k/8/8 b - - 1 1");
  EXPECT_NE(Fault(Replaced(good, "h3h4", "Kh4")).find("ply 2: move 'Kh4' is malformed"),
            std::string::npos);
  EXPECT_EQ(Fault(Replaced(good, "{campmate}", "h4h5")),
            "ply 4: the move 'h4h5' comes after the game's end (campmate)");
  const PgnCheckReport report = Checked(good + Replaced(good, "h3h4", "h3h5"));
  ASSERT_EQ(report.wrong.size(), 1U);
  EXPECT_EQ(report.wrong[0].game, 2);
  EXPECT_EQ(report.wrong[0].line, 31);
}

TEST(PgnCheck, TagsMustFit) {
  const std::string good = ToPgn(Decided());
  EXPECT_EQ(Fault(Replaced(good, "[PlyCount \"3\"]", "[PlyCount \"4\"]")),
            "PlyCount is '4', but the game has 3 moves");
  EXPECT_EQ(Fault(Replaced(good, "[OpeningPlies \"0\"]", "[OpeningPlies \"-1\"]")),
            "OpeningPlies is '-1', but the game has 3 moves");
  EXPECT_EQ(Fault(Replaced(good, "\"khans\"", "\"chess\"")),
            "its Variant is 'chess'; the games are khans, serbest");
  EXPECT_EQ(Fault(good, "serbest"), "its Variant is 'khans', not 'serbest'");
  const std::string nameless = Replaced(good, "[Variant \"khans\"]\n", "");
  EXPECT_EQ(Fault(nameless), "it has no Variant tag, and the game was not named");
  EXPECT_EQ(Fault(nameless, "khans"), "");
  EXPECT_EQ(Fault(Replaced(good, "8/8/3K4", "8/8/9")).find("bad khans FEN: "), 0U);
  const size_t fen = good.find("[FEN");
  std::string no_fen = good;
  no_fen.erase(fen, good.find('\n', fen) + 1 - fen);
  EXPECT_EQ(Fault(no_fen), "SetUp is 1, but there is no FEN");
  EXPECT_EQ(Fault(Replaced(good, "[PlyCount", "[KingsLanding \"7\"]\n[PlyCount")),
            "KingsLanding is not a setting of khans");
  EXPECT_EQ(Fault("[Event \"?\"]\n[Variant \"serbest\"]\n[KingsLanding \"9\"]\n*\n"),
            "KingsLanding is '9'; it must be 7 or 8");
  EXPECT_EQ(Fault("[Event \"?\"]\n[Variant \"serbest\"]\n*\n"), "");
}

// The limit of the king's placement is a matter of the tag.
TEST(PgnCheck, KingsLandingIsKept) {
  const auto game = [](const std::string& landing) {
    return "[Event \"?\"]\n[Variant \"serbest\"]\n" + landing + "K@a8 *\n";
  };
  EXPECT_NE(Fault(game("")).find("ply 1: move 'K@a8' is not legal"), std::string::npos);
  EXPECT_EQ(Fault(game("[KingsLanding \"8\"]\n")), "");
}

TEST(PgnCheck, ACutOffGameIsWrong) {
  const std::string good = ToPgn(Decided());
  EXPECT_EQ(Fault(good.substr(0, good.find("{campmate}"))),
            "it is cut off: there is no result after its moves");
}

TEST(PgnCheck, ReportsAsTextAndJson) {
  const std::string good = ToPgn(Decided());
  const PgnCheckReport report = Checked(good + Replaced(good, "\"3\"", "\"4\""));
  const std::string text = ToText(report);
  EXPECT_EQ(text.find("test.pgn:17: game 2 (round ?,  - ): PlyCount is '4', "), 0U) << text;
  EXPECT_NE(text.find("Games:        2 with 6 plies (khans 2)\nResults:      1-0 2\n"
                      "Terminations: normal 2\nEnded by:     campmate 1\nWrong:        1\n"),
            std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(ToJson(report));
  EXPECT_FALSE(json["sound"].get<bool>());
  EXPECT_EQ(json["games"], 2);
  EXPECT_EQ(json["wrong"][0]["game"], 2);
  EXPECT_EQ(json["wrong"][0]["file"], "test.pgn");
}

}  // namespace
}  // namespace khanzero
