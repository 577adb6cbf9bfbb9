// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/suite.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "env/games.h"
#include "model/files.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

using Texts = std::vector<std::string>;

SuiteSettings SettingsFor(const std::string& game, const std::string& player,
                          const std::string& source = "s.epd") {
  SuiteSettings settings;
  settings.game = game;
  settings.player = player;
  settings.source = source;
  return settings;
}

std::vector<SuitePosition> Read(const std::string& text) { return ReadSuite(text, "s.epd", {}); }

SuiteReport RunOn(const std::string& text, const std::string& player,
                  const std::string& game = "khans") {
  return RunSuite(Read(text), SettingsFor(game, player));
}

// White's king goes to d8, c8 or e8 and wins.
constexpr const char* kGoal = "8/3K4/8/8/8/7k/8/8 w - -";

TEST(Suite, ReadsEpd) {
  const auto suite = Read(
      "# comment\n\n"
      "8/3K4/8/8/8/7k/8/8 w - - bm d7d8 d7c8; am d7d6; id \"a; b\"; tag goals; kl 8;\n"
      "8/3K4/8/8/8/7k/8/8 w - - 3 9; result win\r\n"
      "startpos moves e2e4; result draw; c0 \"ignored\";\n");
  ASSERT_EQ(suite.size(), 3U);
  EXPECT_EQ(suite[0].line, 3);
  EXPECT_EQ(suite[0].fen, "8/3K4/8/8/8/7k/8/8 w - - 0 1");
  EXPECT_EQ(suite[0].best, (Texts{"d7d8", "d7c8"}));
  EXPECT_EQ(suite[0].avoid, Texts{"d7d6"});
  EXPECT_EQ(suite[0].id, "a; b");
  EXPECT_EQ(suite[0].group, "goals");
  EXPECT_EQ(suite[0].settings.kings_landing, 8);
  EXPECT_EQ(suite[0].result, std::nullopt);
  EXPECT_EQ(suite[1].fen, "8/3K4/8/8/8/7k/8/8 w - - 3 9");
  EXPECT_EQ(suite[1].result, SuiteResult::kWin);
  EXPECT_EQ(suite[1].settings.kings_landing, 7);
  EXPECT_EQ(suite[2].fen, "");
  EXPECT_EQ(suite[2].moves, Texts{"e2e4"});
  EXPECT_EQ(suite[2].result, SuiteResult::kDraw);
}

TEST(Suite, ReadsTheTacticalSuites) {
  for (const std::string game : {"khans", "serbest"}) {
    const std::string path = std::string(KHANZERO_TEST_DATA) + "/tactics/" + game + ".txt";
    const auto suite = ReadSuite(ReadFile(path), path, {});
    EXPECT_EQ(suite.size(), 546U);
    int landing_of_8 = 0;
    for (const SuitePosition& position : suite) {
      EXPECT_FALSE(position.best.empty());
      EXPECT_TRUE(position.group.starts_with("plies ")) << position.group;
      landing_of_8 += position.settings.kings_landing == 8 ? 1 : 0;
    }
    EXPECT_EQ(landing_of_8 > 0, game == "serbest");
  }
}

TEST(Suite, AGreedyPlayerFindsEveryWinInOnePly) {
  for (const std::string game : {"khans", "serbest"}) {
    const std::string path = std::string(KHANZERO_TEST_DATA) + "/tactics/" + game + ".txt";
    const SuiteReport report =
        RunSuite(ReadSuite(ReadFile(path), path, {}), SettingsFor(game, "greedy", path));
    const auto groups = report.Groups();
    EXPECT_EQ(groups.at("plies 1").solved, groups.at("plies 1").total);
    EXPECT_GT(groups.at("plies 1").total, 200);
    EXPECT_LT(groups.at("plies 5").value(), 0.9);
    EXPECT_EQ(groups.at("plies 1").total + groups.at("plies 3").total + groups.at("plies 5").total,
              546);
    EXPECT_EQ(report.Total().total, 546);
  }
}

TEST(Suite, BestAndBadMovesDecide) {
  const std::string fen = kGoal;
  EXPECT_TRUE(RunOn(fen + " bm d7d8 d7c8 d7e8;", "greedy").answers[0].solved);
  EXPECT_FALSE(RunOn(fen + " bm d7d6;", "greedy").answers[0].solved);
  EXPECT_TRUE(RunOn(fen + " am d7d6;", "greedy").answers[0].solved);
  EXPECT_FALSE(RunOn(fen + " am d7d8 d7c8 d7e8;", "greedy").answers[0].solved);
  EXPECT_FALSE(RunOn(fen + " bm d7d8 d7c8 d7e8; am d7d8 d7c8 d7e8;", "greedy").answers[0].solved);
}

TEST(Suite, AResultIsPlayedOut) {
  const std::string fen = kGoal;
  const SuiteReport win = RunOn(fen + " result win;", "greedy");
  EXPECT_TRUE(win.answers[0].solved);
  EXPECT_EQ(win.answers[0].ending, "1-0 campmate");
  EXPECT_FALSE(RunOn(fen + " result draw;", "greedy").answers[0].solved);
  EXPECT_FALSE(RunOn(fen + " result win; bm d7d6;", "greedy").answers[0].solved);
  // Black moves away, and White's king goes home: a loss for the side to move.
  const SuiteReport loss = RunOn("8/3K4/8/8/8/7k/8/8 b - - result loss;", "greedy");
  EXPECT_TRUE(loss.answers[0].solved) << loss.answers[0].ending;
  EXPECT_EQ(loss.answers[0].ending, "1-0 campmate");
}

TEST(Suite, AGameThatIsPlayedOutForLongIsADraw) {
  SuiteSettings settings = SettingsFor("serbest", "random");
  settings.max_plies = 10;
  const SuiteReport report = RunSuite(Read("startpos result draw;"), settings);
  EXPECT_TRUE(report.answers[0].solved);
  EXPECT_EQ(report.answers[0].ending, "1/2-1/2 cap");
}

TEST(Suite, AnEngineIsAPlayerAndItsFaultsSolveNothing) {
  const std::string fen = kGoal;
  const std::string text = fen + " am d7d6;\n" + fen + " am d7d6; kl 8;\nstartpos am a2a3;";
  const auto run = [&](const std::string& behaviour) {
    SuiteSettings settings = SettingsFor("khans", "uci:" FAKE_ENGINE " " + behaviour);
    settings.player_settings.engine.search_moves = SearchMoves::kOn;
    return RunSuite(Read(text), settings);
  };
  const SuiteReport good = run("good");
  EXPECT_EQ(good.Total().total, 3);
  for (const SuiteAnswer& answer : good.answers) {
    EXPECT_EQ(answer.move.find("nothing"), std::string::npos) << answer.move;
  }
  const SuiteReport bad = run("illegal");
  EXPECT_EQ(bad.Total().solved, 0);
  for (const SuiteAnswer& answer : bad.answers) {
    EXPECT_TRUE(answer.move.starts_with("nothing (")) << answer.move;
  }
}

TEST(Suite, ConcurrencyDoesNotChangeTheAnswers) {
  const std::string text = "startpos result win;\nstartpos result draw;\nstartpos result loss;\n";
  std::vector<Texts> runs;
  for (const int concurrency : {1, 2, 64}) {
    SuiteSettings settings = SettingsFor("khans", "random");
    settings.concurrency = concurrency;
    const SuiteReport report = RunSuite(Read(text), settings);
    Texts answers;
    for (const SuiteAnswer& answer : report.answers) {
      answers.push_back(answer.move + " " + answer.ending);
    }
    runs.push_back(answers);
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0], runs[2]);
}

TEST(Suite, FaultsAreNamedWithTheirLine) {
  EXPECT_THROWS_WITH(Read(""), InputError, "s.epd has no positions");
  EXPECT_THROWS_WITH(Read("\nstartpos\n"), InputError, "s.epd:2: the position asks for nothing");
  EXPECT_THROWS_WITH(Read("startpos result won;"), InputError, "s.epd:1: the result is 'won'");
  EXPECT_THROWS_WITH(Read("startpos result;"), InputError, "result has 0 operands");
  EXPECT_THROWS_WITH(Read("startpos bm a1a2; kl 9;"), InputError, "King's Landing is '9'");
  EXPECT_THROWS_WITH(RunOn("startpos bm a1a9;", "random"), InputError, "s.epd:1: move 'a1a9' is");
  EXPECT_THROWS_WITH(RunOn("startpos bm a2a3;\n8/8 w - - bm a1a2;", "random"), InputError,
                     "s.epd:2: bad khans FEN");
  EXPECT_THROWS_WITH(RunOn("3K4/8/8/8/8/7k/8/8 b - - result loss;", "random"), InputError,
                     "s.epd:1: the game is over in this position");
  EXPECT_THROWS_WITH(RunOn("startpos bm a2a3;", "strong"), InputError, "player 'strong'");
  EXPECT_THROWS_WITH(RunOn("startpos bm a2a3;", "random", "chess"), InputError, "unknown game");
}

TEST(Suite, ReportsAsTextAndJson) {
  const std::string fen = kGoal;
  const SuiteReport report = RunOn(fen + " bm d7d8 d7c8 d7e8; tag goals;\n" + fen +
                                       " bm d7d6; id \"odd\"; tag goals;\n" + fen + " result draw;",
                                   "greedy");
  const std::string totals = ToText(report, SuiteDetail::kTotals);
  EXPECT_EQ(totals, "greedy on s.epd (khans): solved 1 of 3 (33.3 %)\n  goals: 1 of 2 (50.0 %)\n");
  const std::string unsolved = ToText(report, SuiteDetail::kUnsolved);
  EXPECT_TRUE(unsolved.starts_with(totals));
  EXPECT_NE(unsolved.find("line 2 (odd): 8/3K4/8/8/8/7k/8/8 w - - 0 1: played d7"),
            std::string::npos)
      << unsolved;
  EXPECT_NE(unsolved.find("; best d7d6\n"), std::string::npos) << unsolved;
  EXPECT_NE(unsolved.find(", ended 1-0 campmate; result draw\n"), std::string::npos) << unsolved;
  const auto json = nlohmann::json::parse(ToJson(report));
  EXPECT_EQ(json["solved"], 1);
  EXPECT_EQ(json["total"], 3);
  EXPECT_EQ(json["groups"]["goals"]["total"], 2);
  EXPECT_EQ(json["unsolved"].size(), 2U);
  EXPECT_EQ(json["unsolved"][0]["line"], 2);
  EXPECT_EQ(json["unsolved"][1]["result"], "draw");
}

}  // namespace
}  // namespace khanzero
