// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero match as a user runs it. The engine is tests/play/fake_engine.cc.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"

namespace khanzero {
namespace {

std::string Fake(const std::string& arguments) { return "uci:" FAKE_ENGINE " " + arguments; }

std::vector<std::string> Match(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"match", "--game", "khans", "--threads", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

nlohmann::json JsonOf(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = Match(arguments);
  all.push_back("--json");
  const RunResult result = RunKhanzero(all);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

// A file that goes with the test.
class TempFile {
 public:
  explicit TempFile(const std::string& name)
      : path_(testing::TempDir() + name + std::to_string(getpid())) {
    std::filesystem::remove(path_);
  }
  ~TempFile() { std::filesystem::remove(path_); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  const std::string& path() const { return path_; }
  std::string Content() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

 private:
  std::string path_;
};

TEST(MatchCommand, PrintsTheStatisticsAsItPlaysAndAtTheEnd) {
  const RunResult result = RunKhanzero(
      Match({"--a", "greedy", "--b", "random", "--pairs", "6", "--interval", "2", "--seed", "2"}));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.find("Results of greedy vs random (khans, 4 random plies):\nElo: "), 0U)
      << result.out;
  for (const char* const part : {"LOS: ", "Games: 12, ", "Ptnml(0-2): [",
                                 "As White: ", "Endings: ", "Unique games: 12 of 12"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part;
  }
  size_t blocks = 0;
  for (size_t at = 0; (at = result.err.find("Ptnml", at)) != std::string::npos; ++at) ++blocks;
  EXPECT_EQ(blocks, 3U) << result.err;
}

TEST(MatchCommand, AFaultLosesTheGameAndTheMatchGoesOn) {
  const auto json =
      JsonOf({"--a", Fake("crash"), "--b", Fake("good"), "--searchmoves", "on", "--pairs", "2"});
  EXPECT_EQ(json["games"], 4);
  EXPECT_EQ(json["total"]["losses"], 4);
  EXPECT_EQ(json["faults_of_a"], nlohmann::json({{"crash", 4}}));
  EXPECT_TRUE(json["faults_of_b"].empty());
}

TEST(MatchCommand, AnEngineThatDoesNotStartIsRefused) {
  ExpectRefused(Match({"--a", "uci:/no/such/engine", "--b", "random"}),
                "the engine '/no/such/engine' cannot be run: No such file or directory");
  ExpectRefused(Match({"--a", "random", "--b", Fake("says_nothing"), "--start-timeout", "0.2"}),
                "did not answer uci with uciok");
  ExpectRefused(Match({"--a", "random", "--b", Fake("exits_at_once")}), "exit code 3");
  ExpectRefused(Match({"--a", "random", "--b", Fake("good"), "--option-b", "Nope=1"}),
                "has no option 'Nope'");
}

TEST(MatchCommand, RefusesWhatDoesNotGoTogether) {
  ExpectRefused(Match({"--a", "random"}), "give both --a and --b, or --self alone");
  ExpectRefused(Match({"--a", "random", "--b", "random", "--self", "random"}), "--self alone");
  ExpectRefused(Match({"--self", "random", "--sprt", "0", "5"}), "not --self");
  ExpectRefused(Match({"--a", "random", "--b", "random", "--tc", "soon"}), "time control 'soon'");
  ExpectRefused(Match({"--a", "random", "--b", "random", "--resign-both"}), "needs --resign");
  ExpectRefused(Match({"--a", "random", "--b", Fake("good"), "--option", "Hash"}), "NAME=VALUE");
  ExpectRefused(Match({"--a", "random", "--b", "uci:"}), "the command of an engine is empty");
  ExpectRefused(Match({"--a", "random", "--b", "random", "--sprt", "5", "0"}), "first Elo bound");
}

TEST(MatchCommand, LimitsAreForBothOrForEach) {
  const TempFile log("match_log_");
  const auto json = JsonOf({"--a", Fake("good"), "--b", Fake("good"), "--searchmoves", "on",
                            "--pairs", "1", "--max-plies", "8", "--nodes-a", "5", "--tc-b",
                            "600+0.5", "--option-b", "Hash=32", "--engine-log", log.path()});
  EXPECT_EQ(json["conditions"], "A 5 nodes, B 600+0.5, 4 random plies");
  const std::string text = log.Content();
  EXPECT_NE(text.find("A > go nodes 5 searchmoves "), std::string::npos);
  EXPECT_NE(text.find("B > go btime 600000 binc 500 searchmoves "), std::string::npos);
  EXPECT_NE(text.find("B > setoption name Hash value 32"), std::string::npos);
  EXPECT_EQ(text.find("A > setoption name Hash"), std::string::npos);
}

TEST(MatchCommand, SelfTellsTheBalance) {
  const auto json = JsonOf({"--self", "greedy", "--pairs", "9"});
  EXPECT_EQ(json["games"], 9);
  EXPECT_EQ(json["player"], "greedy");
  EXPECT_EQ(
      json["white_wins"].get<int>() + json["draws"].get<int>() + json["black_wins"].get<int>(), 9);
  EXPECT_EQ(json["unique_games"], 9);
  int games = 0;
  for (const auto& [plies, count] : json["games_by_plies"].items()) games += count.get<int>();
  EXPECT_EQ(games, 9);
  // Without an opening, a player that never throws dice plays one game again and again.
  const RunResult same =
      RunKhanzero(Match({"--self", Fake("good"), "--searchmoves", "on", "--opening-plies", "0",
                         "--pairs", "3", "--max-plies", "30"}));
  EXPECT_NE(same.out.find("Unique games: 1 of 3"), std::string::npos) << same.out;
  EXPECT_NE(same.out.find("White's score: "), std::string::npos) << same.out;
}

TEST(MatchCommand, SprtStopsTheMatch) {
  for (const char* const model : {"logistic", "normalized"}) {
    const auto json = JsonOf({"--a", "greedy", "--b", "random", "--pairs", "1000", "--sprt", "0",
                              "60", "--sprt-model", model, "--concurrency", "8"});
    EXPECT_LT(json["games"], 400) << model;
    EXPECT_EQ(json["sprt"]["accepted"], "elo1") << model;
    EXPECT_EQ(json["sprt"]["model"], model);
  }
}

TEST(MatchCommand, ASignalEndsTheWaitForAnEngine) {
  RunningKhanzero match(
      Match({"--a", Fake("hang 2"), "--b", "random", "--searchmoves", "on", "--answer-timeout",
             "100000", "--interval", "1", "--pairs", "3", "--engine-log", "/dev/stderr"}));
  ASSERT_TRUE(match.WaitFor("A < bestmove"));
  ASSERT_TRUE(match.WaitFor("A > go"));
  match.Signal(SIGINT);
  EXPECT_EQ(match.Wait(), 0);
  EXPECT_NE(match.printed().find("stopped early"), std::string::npos) << match.printed();
}

}  // namespace
}  // namespace khanzero
