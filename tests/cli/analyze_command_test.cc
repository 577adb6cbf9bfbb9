// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero analyze and play with the network of a tiny run.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"
#include "tests/cli/scratch_run.h"

namespace khanzero {
namespace {

using nlohmann::json;

class AnalyzeCommand : public testing::TestWithParam<std::string> {
 protected:
  AnalyzeCommand() : run_(GetParam()) {
    const RunResult result = RunKhanzero(run_.TrainShortest());
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  bool khans() const { return GetParam() == "khans"; }
  std::string latest() const { return "latest:" + run_.path().string(); }
  std::vector<std::string> Command(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"analyze", "--weights", latest()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  ScratchRun run_;
};

TEST_P(AnalyzeCommand, ReportsTheBestMovesAsJson) {
  const RunResult result =
      RunKhanzero(Command({"--nodes", "60", "--multipv", "3", "--json", "--moves",
                           khans() ? "e2e4" : "N@j10", khans() ? "Scd5" : "P@a1"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report.at("game"), GetParam());
  EXPECT_EQ(report.at("side_to_move"), "white");
  EXPECT_EQ(report.at("result"), "*");
  EXPECT_EQ(report.at("nodes"), 60);
  EXPECT_EQ(report.contains("kings_landing"), !khans());
  ASSERT_EQ(report.at("lines").size(), 3U);
  int64_t visits = 0;
  for (const json& line : report.at("lines")) {
    EXPECT_NEAR(line.at("win").get<double>() + line.at("draw").get<double>() +
                    line.at("loss").get<double>(),
                1.0, 1e-3);
    EXPECT_TRUE(line.at("cp").is_number_integer() != line.at("mate").is_number_integer());
    EXPECT_EQ(line.at("pv").at(0), line.at("move"));
    EXPECT_EQ(line.at("pv_san").at(0), line.at("san"));
    EXPECT_EQ(line.at("pv").size(), line.at("pv_san").size());
    visits += line.at("visits").get<int64_t>();
  }
  EXPECT_LE(visits, 60);
  // The same again but for the time it took.
  json again = json::parse(RunKhanzero(Command({"--nodes", "60", "--multipv", "3", "--json",
                                                "--moves", khans() ? "e2e4 Scd5" : "N@j10 P@a1"}))
                               .out);
  EXPECT_EQ(again.at("lines"), report.at("lines"));
}

// As a script that talks to it needs it.
TEST_P(AnalyzeCommand, ReportsEachPositionBeforeTheNextIsRead) {
  for (const bool as_json : {false, true}) {
    std::vector<std::string> words = Command({"--fen", "-", "--nodes", "5"});
    if (as_json) words.push_back("--json");
    RunningKhanzero program(words);
    for (int i = 0; i < 2; ++i) {
      program.Send("startpos\n");
      EXPECT_TRUE(program.WaitFor(as_json ? "\"pv_san\"" : " visits")) << program.printed();
    }
  }
}

TEST_P(AnalyzeCommand, ReadsPositionsFromTheStandardInput) {
  const std::string end =
      khans() ? "3K3k/8/8/8/8/8/8/8 b - - 0 1" : "3K6/10/10/10/10/9k/10/10/10/10[] b - - 0 1";
  const std::string input = "# a comment\n\nstartpos moves " +
                            std::string(khans() ? "e2e4" : "N@j10") + "\r\n" + end + "\n";
  const RunResult result = RunKhanzero(Command({"--fen", "-", "--nodes", "5", "--json"}), input);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream lines(result.out);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(json::parse(line).at("side_to_move"), "black");
  ASSERT_TRUE(std::getline(lines, line));
  const json over = json::parse(line);
  EXPECT_EQ(over.at("result"), "1-0");
  EXPECT_EQ(over.at("reason"), khans() ? "campmate" : "khan");
  EXPECT_TRUE(over.at("lines").empty());
  EXPECT_FALSE(std::getline(lines, line));
  // A line that is none is named, after what came before it.
  const RunResult bad =
      RunKhanzero(Command({"--fen", "-", "--nodes", "5"}), "startpos\n\n8/8 w - - 0 1\n");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.out.find("White to move"), std::string::npos) << bad.out;
  EXPECT_NE(bad.err.find("standard input:3: "), std::string::npos) << bad.err;
}

TEST_P(AnalyzeCommand, SaysTheSameInWords) {
  const std::string fen =
      khans() ? "7k/3K4/8/8/8/8/8/8 w - - 0 1" : "9k/3K6/10/10/10/10/10/10/10/10[] w - - 0 1";
  const RunResult result = RunKhanzero(Command({"--fen", fen, "--nodes", "20"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string& part : {fen + "\n", std::string("White to move; "),
                                  std::string("mate 1  win 100.0 %, draw 0.0 %, loss 0.0 %")}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
  EXPECT_EQ(RunKhanzero(Command({"--movetime", "30", "--threads", "2"})).exit_code, 0);
}

TEST_P(AnalyzeCommand, BadInputIsRefused) {
  ExpectRefused(Command({"--fen", "8/8 w"}), "FEN");
  ExpectRefused(Command({"--moves", "e2e19"}), "there is no square e19");
  ExpectRefused(Command({"--moves", khans() ? "e2e5" : "K@e9"}), "is not legal: ");
  ExpectRefused(Command({"--nodes", "0"}), "--nodes");
  ExpectRefused(Command({"--multipv", "0"}), "--multipv");
  ExpectRefused(Command({"--fen", "-", "--moves", "e2e4"}), "--moves does not go with --fen -");
  ExpectRefused(Command({"--game", khans() ? "serbest" : "khans"}), GetParam());
  ExpectRefused({"analyze"}, "either --weights or --game is needed");
  ExpectRefused({"analyze", "--weights", "/none"}, "/none");
  ExpectRefused({"analyze", "--weights", "latest:/none"}, "has no checkpoint yet");
  const std::string over =
      khans() ? "3K3k/8/8/8/8/8/8/8 b - - 0 1" : "3K6/10/10/10/10/9k/10/10/10/10[] b - - 0 1";
  ExpectRefused(Command({"--fen", over, "--moves", "h8h7"}), "comes after the game's end");
}

TEST_P(AnalyzeCommand, PlayShowsWhatTheNetworkThinks) {
  const std::string moves = khans() ? "e4\n" : "N@e4\n";
  const RunResult result = RunKhanzero(
      {"play", "--weights", latest(), "--nodes", "30", "--skill", "9", "--color", "always"},
      moves + "eval\nhint\nresign\nquit\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* const part :
       {" plays ", "White ", " %, draw ", "Perhaps ", "\x1b[7m", "White resigns. Black wins."}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
  const RunResult silent =
      RunKhanzero({"play", "--weights", latest(), "--nodes", "5", "--no-eval"}, moves + "quit\n");
  EXPECT_EQ(silent.out.find(" %, draw "), std::string::npos) << silent.out;
  EXPECT_EQ(silent.out.find('\x1b'), std::string::npos) << silent.out;
  ExpectRefused({"play", "--weights", latest(), "--skill", "21"}, "--skill");
  ExpectRefused({"play", "--game", GetParam(), "--against", "greedy", "--skill", "3"}, "--skill");
  ExpectRefused({"play", "--weights", latest(), "--against", "greedy"}, "not both");
}

INSTANTIATE_TEST_SUITE_P(Games, AnalyzeCommand, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace khanzero
