// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero suite, on the tactical suites and on small ones.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_binary.h"
#include "tests/cli/scratch_run.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

using nlohmann::json;

std::string TacticsOf(const std::string& game) {
  return std::string(KHANZERO_TEST_DATA) + "/tactics/" + game + ".txt";
}

class SuiteCommand : public testing::TestWithParam<std::string> {};

TEST_P(SuiteCommand, TheTacticalSuiteRunsAsItIs) {
  const RunResult result = RunKhanzero(
      {"suite", "--game", GetParam(), TacticsOf(GetParam()), "--player", "greedy", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report.at("total"), 546);
  EXPECT_EQ(report.at("groups").at("plies 1").at("share"), 1.0);
  EXPECT_EQ(report.at("unsolved").size(),
            report.at("total").get<size_t>() - report.at("solved").get<size_t>());
}

TEST_P(SuiteCommand, ANetworkIsAPlayer) {
  const ScratchRun run(GetParam());
  ASSERT_EQ(RunKhanzero(run.Train()).exit_code, 0);
  const std::string file = (run.folder() / "one.epd").string();
  std::ofstream(file) << "startpos result draw;\n";
  const RunResult result =
      RunKhanzero({"suite", "--game", GetParam(), file, "--player", "latest:" + run.path().string(),
                   "--nodes", "2", "--max-plies", "6", "--require", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("solved 1 of 1 (100.0 %)"), std::string::npos) << result.out;
}

INSTANTIATE_TEST_SUITE_P(Games, SuiteCommand, testing::Values("khans", "serbest"),
                         [](const auto& parameter) { return parameter.param; });

class SmallSuite : public testing::Test {
 protected:
  SmallSuite() : path_((folder_ / "small.epd").string()) {
    std::ofstream(path_) << "# goals\n8/3K4/8/8/8/7k/8/8 w - - bm d7d8 d7c8 d7e8; tag goals;\n"
                            "8/3K4/8/8/8/7k/8/8 w - - bm d7d6; tag goals; id \"odd one\";\n";
  }
  std::vector<std::string> Arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"suite", "--game", "khans", path_, "--player", "greedy"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  TempFolder folder_;
  std::string path_;
};

TEST_F(SmallSuite, PrintsTotalsAndOnRequestTheUnsolved) {
  const RunResult totals = RunKhanzero(Arguments());
  EXPECT_EQ(totals.exit_code, 0);
  EXPECT_EQ(totals.out,
            "greedy on " + path_ + " (khans): solved 1 of 2 (50.0 %)\n  goals: 1 of 2 (50.0 %)\n");
  const RunResult verbose = RunKhanzero(Arguments({"--verbose"}));
  EXPECT_EQ(verbose.exit_code, 0);
  EXPECT_NE(verbose.out.find("line 3 (odd one): "), std::string::npos) << verbose.out;
}

TEST_F(SmallSuite, ARequiredShareDecidesTheExitCode) {
  EXPECT_EQ(RunKhanzero(Arguments({"--require", "0.5"})).exit_code, 0);
  const RunResult failed = RunKhanzero(Arguments({"--require", "0.6"}));
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.out.find("solved 1 of 2"), std::string::npos) << failed.out;
  EXPECT_NE(failed.err.find("below the required 0.6"), std::string::npos) << failed.err;
  ExpectRefused(Arguments({"--require", "60"}), "--require");
}

TEST_F(SmallSuite, BadInputIsRefusedWithItsPlace) {
  std::ofstream(path_, std::ios::app) << "8/3K4/8/8/8/7k/8/8 w - - bm d7d1;\n";
  ExpectRefused(Arguments(), path_ + ":4: move 'd7d1' is not legal");
  ExpectRefused({"suite", "--game", "khans", "no/file", "--player", "greedy"},
                "there is no file no/file");
  ExpectRefused({"suite", "--game", "khans", path_}, "--player");
  ExpectRefused({"suite", "--game", "chess", path_, "--player", "greedy"}, "--game");
  ExpectRefused({"suite", "--game", "khans", path_, "--player", "strong"}, "player 'strong'");
}

}  // namespace
}  // namespace khanzero
