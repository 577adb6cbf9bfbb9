// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero study and the scripts that ship and measure an agent, with the network of a tiny run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/files.h"
#include "tests/cli/run_binary.h"
#include "tests/cli/scratch_run.h"

namespace khanzero {
namespace {

using nlohmann::json;

// A tiny run for all tests of a game.
class StudyCommandTest : public testing::TestWithParam<std::string> {
 protected:
  StudyCommandTest() : run_(GetParam()) {
    const RunResult result = RunKhanzero(run_.TrainShortest());
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  bool khans() const { return GetParam() == "khans"; }
  std::string Path(const std::string& name) const { return (run_.folder() / name).string(); }
  std::vector<std::string> Study(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"study", "--games", "3", "--max-plies", "101", "--positions",
                                      "2",     "--nodes", "8", "--resamples", "100", "--replies",
                                      "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Runs a script of ours with the binary under test; returns its exit code.
  int Script(const std::string& words) const {
    const std::string command = std::string("KHANZERO_BINARY='") + KHANZERO_BINARY + "' '" +
                                KHANZERO_SCRIPTS + "'/" + words + " >'" + Path("out.txt") +
                                "' 2>'" + Path("err.txt") + "'";
    return WEXITSTATUS(std::system(command.c_str()));
  }

  ScratchRun run_;
};

TEST_P(StudyCommandTest, WritesAPageOfARunAndOfItsNetworksOwnGames) {
  const std::string run = run_.path().string();
  const RunResult of_run = RunKhanzero(Study({"--run", run, "--out", Path("a"), "--json"}));
  ASSERT_EQ(of_run.exit_code, 0) << of_run.err;
  const json first = json::parse(of_run.out);
  EXPECT_EQ(first.at("game"), GetParam());
  EXPECT_EQ(first.at("games").at("games"), 2);
  EXPECT_EQ(first.at("first_moves").at("positions").size(), 2U);
  EXPECT_EQ(first.at("first_moves").contains("placements_by_policy"), !khans());
  EXPECT_EQ(json::parse(ReadFile(Path("a/study.json"))), first);

  const std::vector<std::string> own =
      Study({"--weights", "latest:" + run, "--out", Path("b"), "--game-nodes", "2", "--json"});
  const RunResult result = RunKhanzero(own);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("games played: 3 of 3\n"), std::string::npos) << result.err;
  EXPECT_EQ(json::parse(result.out).at("games").at("games"), 3);
  EXPECT_TRUE(std::filesystem::exists(Path("b/endings.svg")));
  EXPECT_NE(ReadFile(Path("b/study.md")).find("# What the network knows: " + GetParam()),
            std::string::npos);
  std::vector<std::string> again = own;
  again.insert(again.end(), {"--threads", "2"});
  EXPECT_EQ(RunKhanzero(again).out, result.out);
}

TEST_P(StudyCommandTest, BadInputIsRefused) {
  const std::string run = run_.path().string();
  ExpectRefused({"study", "--weights", "latest:" + run}, "--out is required");
  ExpectRefused(Study({"--out", Path("c")}), "either --weights or --game is needed");
  ExpectRefused(Study({"--run", "/none", "--out", Path("c")}), "/none");
  ExpectRefused(Study({"--weights", "/none", "--out", Path("c")}), "/none");
  ExpectRefused(Study({"--run", run, "--game", khans() ? "serbest" : "khans", "--out", Path("c")}),
                "--run is a run of " + GetParam());
  ExpectRefused(Study({"--run", run, "--out", Path("c"), "--least-score", "0.6"}), "--least-score");
  EXPECT_FALSE(std::filesystem::exists(Path("c")));
  const RunResult failed = RunKhanzero(Study({"--run", run, "--out", "/proc/none/x"}));
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.err.find("/proc/none/x"), std::string::npos) << failed.err;
}

TEST_P(StudyCommandTest, TheAgentIsShippedAndMeasured) {
  const std::string run = run_.path().string();
  const std::string game = GetParam();
  ASSERT_EQ(Script("ship_model.sh '" + run + "' " + game + " --models '" + Path("models") + "'"), 0)
      << ReadFile(Path("err.txt"));
  const std::string model = Path("models/" + game + ".safetensors");
  EXPECT_TRUE(std::filesystem::exists(model));
  EXPECT_NE(ReadFile(Path("models/" + game + ".md")).find("uniform_games"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(Path("models/" + game + "-losses.svg")));
  EXPECT_NE(ReadFile(Path("models/README.md")).find("[" + game + "](" + game + ".md)"),
            std::string::npos);
  EXPECT_EQ(Script("ship_model.sh '" + run + "' " + (khans() ? "serbest" : "khans")), 2);
  EXPECT_EQ(Script("ship_model.sh '" + run + "'"), 2);

  const std::string measure = "strength.sh --game " + game + " --weights '" + model + "' --out '" +
                              Path("strength") +
                              "' --simulations 1,2 --opponents random,greedy --pairings '*:random'";
  const std::string more = " -- --max-plies 40 --threads 1";
  EXPECT_EQ(Script(measure + " --games 2 --pairings '1:greedy' --list"), 0);
  ASSERT_EQ(Script(measure + " --games 2" + more), 0) << ReadFile(Path("err.txt"));
  const std::string table = ReadFile(Path("strength/strength.md"));
  EXPECT_NE(table.find("| 1 | random | 2 | "), std::string::npos) << table;
  EXPECT_NE(table.find("| 2 | random | 2 | "), std::string::npos) << table;
  // It goes on with what is there.
  ASSERT_EQ(Script(measure + " --games 4" + more), 0) << ReadFile(Path("err.txt"));
  EXPECT_NE(ReadFile(Path("err.txt")).find("2 of 4 games are played already"), std::string::npos);
  const json results = json::parse(ReadFile(Path("strength/strength.json")));
  ASSERT_EQ(results.at("pairings").size(), 2U);
  EXPECT_EQ(results.at("pairings").at(0).at("result").at("games"), 4);
  EXPECT_EQ(Script(measure + " --games 3"), 2);
  EXPECT_EQ(Script("strength.sh --game chess"), 2);
  EXPECT_EQ(Script(measure + " --games 4 --seed 2" + more), 2);  // it is another match
}

INSTANTIATE_TEST_SUITE_P(Games, StudyCommandTest, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace khanzero
