// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero study and the scripts that ship and measure an agent, with the network of a tiny run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/files.h"
#include "tests/cli/run_binary.h"
#include "tests/cli/scratch_run.h"

namespace khanzero {
namespace {

using nlohmann::json;

// A tiny run with a network.
class StudyRun {
 public:
  explicit StudyRun(const std::string& game) : run_(game) {
    const RunResult result = RunKhanzero(run_.TrainShortest());
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  std::string run() const { return run_.path().string(); }
  int64_t stored_games() const { return run_.StoredGames(); }
  std::string Path(const std::string& name) const { return (run_.folder() / name).string(); }
  // Runs a script of ours with the binary under test; returns its exit code.
  int Script(const std::string& words) const {
    const std::string command = std::string("KHANZERO_BINARY='") + KHANZERO_BINARY + "' '" +
                                KHANZERO_SCRIPTS + "'/" + words + " >'" + Path("out.txt") +
                                "' 2>'" + Path("err.txt") + "'";
    return WEXITSTATUS(std::system(command.c_str()));
  }

 private:
  ScratchRun run_;
};

std::vector<std::string> Study(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"study", "--games", "3", "--max-plies", "101", "--positions",
                                    "2",     "--nodes", "8", "--resamples", "100", "--replies",
                                    "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class StudyCommandTest : public testing::TestWithParam<std::string> {};

TEST_P(StudyCommandTest, WritesAPageOfARunAndOfItsNetworksOwnGames) {
  const StudyRun tiny(GetParam());
  const std::string run = tiny.run();
  const bool khans = GetParam() == "khans";
  const RunResult of_run = RunKhanzero(Study({"--run", run, "--out", tiny.Path("a"), "--json"}));
  ASSERT_EQ(of_run.exit_code, 0) << of_run.err;
  const json first = json::parse(of_run.out);
  EXPECT_EQ(first.at("game"), GetParam());
  EXPECT_EQ(first.at("games").at("games"), std::min<int64_t>(3, tiny.stored_games()));
  EXPECT_EQ(first.at("first_moves").at("positions").size(), 2U);
  EXPECT_EQ(first.at("first_moves").contains("placements_by_policy"), !khans);
  EXPECT_EQ(json::parse(ReadFile(tiny.Path("a/study.json"))), first);

  const std::vector<std::string> own =
      Study({"--weights", "latest:" + run, "--out", tiny.Path("b"), "--game-nodes", "2", "--json"});
  const RunResult result = RunKhanzero(own);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("games played: 3 of 3\n"), std::string::npos) << result.err;
  EXPECT_EQ(json::parse(result.out).at("games").at("games"), 3);
  EXPECT_TRUE(std::filesystem::exists(tiny.Path("b/endings.svg")));
  EXPECT_NE(ReadFile(tiny.Path("b/study.md")).find("# What the network knows: " + GetParam()),
            std::string::npos);
  std::vector<std::string> again = own;
  again.insert(again.end(), {"--threads", "2"});
  EXPECT_EQ(RunKhanzero(again).out, result.out);

  ExpectRefused(
      Study({"--run", run, "--game", khans ? "serbest" : "khans", "--out", tiny.Path("c")}),
      "--run is a run of " + GetParam());
  ExpectRefused(Study({"--run", run, "--out", tiny.Path("c"), "--least-score", "0.6"}),
                "--least-score");
  EXPECT_FALSE(std::filesystem::exists(tiny.Path("c")));
  const RunResult failed = RunKhanzero(Study({"--run", run, "--out", "/proc/none/x"}));
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.err.find("/proc/none/x"), std::string::npos) << failed.err;
}

INSTANTIATE_TEST_SUITE_P(Games, StudyCommandTest, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

TEST(StudyCommandInput, BadUsageIsRefused) {
  ExpectRefused({"study", "--weights", "/none"}, "--out is required");
  ExpectRefused(Study({"--out", "/none/c"}), "either --weights or --game is needed");
  ExpectRefused(Study({"--run", "/none", "--out", "/none/c"}), "/none");
  ExpectRefused(Study({"--weights", "/none", "--out", "/none/c"}), "/none");
}

TEST(ScriptsForAgents, TheAgentIsShippedAndMeasured) {
  const StudyRun tiny("khans");
  const std::string ship = "ship_model.sh '" + tiny.run() + "' ";
  ASSERT_EQ(tiny.Script(ship + "khans --models '" + tiny.Path("models") + "'"), 0)
      << ReadFile(tiny.Path("err.txt"));
  const std::string model = tiny.Path("models/khans.safetensors");
  EXPECT_TRUE(std::filesystem::exists(model));
  EXPECT_NE(ReadFile(tiny.Path("models/khans.md")).find("uniform_games"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(tiny.Path("models/khans-losses.svg")));
  EXPECT_NE(ReadFile(tiny.Path("models/README.md")).find("[khans](khans.md)"), std::string::npos);
  // An agent that was trained on from this one keeps the page of what came before.
  const std::string next = tiny.Path("next");
  const RunResult trained = RunKhanzero(
      {"train", "--from", model, "--config", tiny.run() + "/config.yaml", "--run", next});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  ASSERT_EQ(
      tiny.Script("ship_model.sh '" + next + "' khans --models '" + tiny.Path("models") + "'"), 0)
      << ReadFile(tiny.Path("err.txt"));
  EXPECT_NE(ReadFile(tiny.Path("models/khans-part-1.md")).find("(khans-part-1-losses.svg)"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(tiny.Path("models/khans-part-1-losses.svg")));
  EXPECT_NE(ReadFile(tiny.Path("models/khans.md")).find("(khans-part-1.md)"), std::string::npos);
  EXPECT_EQ(tiny.Script(ship + "serbest"), 2);
  EXPECT_EQ(tiny.Script(ship), 2);

  const std::string measure = "strength.sh --game khans --weights '" + model + "' --out '" +
                              tiny.Path("strength") +
                              "' --simulations 1,2 --opponents random,greedy --pairings '*:random'";
  const std::string more = " -- --max-plies 40 --threads 1";
  EXPECT_EQ(tiny.Script(measure + " --games 2 --list"), 0);
  ASSERT_EQ(tiny.Script(measure + " --games 2" + more), 0) << ReadFile(tiny.Path("err.txt"));
  const std::string table = ReadFile(tiny.Path("strength/strength.md"));
  EXPECT_NE(table.find("| 1 | random | 2 | "), std::string::npos) << table;
  EXPECT_NE(table.find("| 2 | random | 2 | "), std::string::npos) << table;
  // It goes on with what is there.
  ASSERT_EQ(tiny.Script(measure + " --games 4" + more), 0) << ReadFile(tiny.Path("err.txt"));
  EXPECT_NE(ReadFile(tiny.Path("err.txt")).find("2 of 4 games are played already"),
            std::string::npos);
  const json results = json::parse(ReadFile(tiny.Path("strength/strength.json")));
  ASSERT_EQ(results.at("pairings").size(), 2U);
  EXPECT_EQ(results.at("pairings").at(0).at("result").at("games"), 4);
  EXPECT_EQ(tiny.Script(measure + " --games 3"), 2);
  EXPECT_EQ(tiny.Script("strength.sh --game chess"), 2);
  EXPECT_EQ(tiny.Script(measure + " --games 4 --seed 2" + more), 2);  // it is another match
}

}  // namespace
}  // namespace khanzero
