// SPDX-License-Identifier: GPL-3.0-or-later
//
// `khanzero report` as a user runs it, on a run that was trained here.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/files.h"
#include "tests/cli/run_binary.h"
#include "tests/cli/scratch_run.h"

namespace khanzero {
namespace {

using nlohmann::json;

class ReportCommand : public testing::TestWithParam<std::string> {};

TEST_P(ReportCommand, TrainingLeavesAReportAndEvents) {
  const ScratchRun run(GetParam());
  const RunResult trained = RunKhanzero(run.Train());
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_NE(ReadFile(run.path() / "report.html").find("</html>"), std::string::npos);
  EXPECT_FALSE(std::filesystem::is_empty(run.path() / "events"));
  EXPECT_EQ(ReadFile(run.path() / "log.txt").find(" is behind: "), std::string::npos);

  const std::filesystem::path out = run.folder() / "mine.html";
  const RunResult result =
      RunKhanzero({"report", "--run", run.path().string(), "--out", out.string(), "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json summary = json::parse(result.out);
  EXPECT_EQ(summary.at("file"), out.string());
  EXPECT_EQ(summary.at("cycles"), 2);
  EXPECT_GE(summary.at("games").get<int>(), 3);
  EXPECT_TRUE(summary.at("notes").empty()) << result.out;
  const std::string page = ReadFile(out);
  for (const char* const part : {"learner/policy_loss", "validation/top_move_agreement",
                                 "scores/random", "self_play/endings/", "step-0000000"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
}

INSTANTIATE_TEST_SUITE_P(Games, ReportCommand, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

// A run's folder with a configuration and these metrics only.
void MakeRun(const ScratchRun& run, const std::string& metrics) {
  std::filesystem::create_directories(run.path());
  std::filesystem::copy(run.folder() / "tiny.yaml", run.path() / "config.yaml");
  std::ofstream(run.path() / "metrics.jsonl") << metrics;
}

TEST(ReportCommandInput, ATornLastLineIsToldAndLeftOut) {
  const ScratchRun run("khans");
  MakeRun(run, "{\"cycle\":0,\"games\":5}\n{\"cycle\":1,\"ga");
  const RunResult result = RunKhanzero({"report", "--run", run.path().string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("report.html: 1 cycles"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("the last line is not complete"), std::string::npos) << result.out;
  EXPECT_NE(ReadFile(run.path() / "report.html").find("the last line is not complete"),
            std::string::npos);
}

TEST(ReportCommandInput, APageForARepositoryHasMetricsRatingsAndConfiguration) {
  const ScratchRun run("khans");
  std::string metrics;
  for (int cycle = 0; cycle < 40; ++cycle) {
    json line = {{"cycle", cycle},
                 {"hours", 0.1 * (cycle + 1)},
                 {"games", 100 * (cycle + 1)},
                 {"step", 10 * cycle},
                 {"validation", {{"policy_loss", 3.0}, {"value_loss", 0.5}}}};
    if (cycle % 20 == 0) line["scores"] = {{"random", 0.5 + 0.01 * cycle}};
    metrics += line.dump() + "\n";
  }
  MakeRun(run, metrics);
  std::ofstream(run.path() / "ladder.json")
      << json{{"asked_error", 40.0},
              {"conditions", {{"nodes", 64}, {"algorithm", "puct"}}},
              {"level_error", 50.0},
              {"best", "step-000000010"},
              {"players",
               {{{"name", "step-000000010"},
                 {"kind", "checkpoint"},
                 {"step", 10},
                 {"games", 200},
                 {"hours", 0.2},
                 {"elo", 300.0},
                 {"error", 30.0}},
                {{"name", "greedy"}, {"kind", "anchor"}, {"elo", 250.0}, {"error", 60.0}}}}}
             .dump();
  const std::string page = (run.folder() / "khans.md").string();
  const RunResult result =
      RunKhanzero({"report", "--run", run.path().string(), "--markdown", page, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json summary = json::parse(result.out);
  EXPECT_EQ(summary.at("cycles"), 40);
  EXPECT_EQ(summary.at("rated"), 1);
  ASSERT_EQ(summary.at("files").size(), 4U);
  for (const json& file : summary.at("files")) {
    EXPECT_TRUE(std::filesystem::exists(file.get<std::string>())) << file;
  }
  const std::string text = ReadFile(page);
  for (const char* const part :
       {"4000 games", "| 4.00 | 4000 | 390 | 3.000 | 0.500 |", " 70.0 % |",
        "| step-000000010 | 200 | 0.20 | 300 | 30 |", "| greedy | - | - | 250 | - |",
        "](khans-rating.svg)", "simulations: 2"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  // Some rows stand for all of the time.
  EXPECT_EQ(text.find("| 0.10 | 100 |"), std::string::npos);
  ExpectRefused({"report", "--run", run.path().string(), "--markdown", page, "--out", page},
                "give one of them");
}

TEST(ReportCommandInput, HostileTextIsEscaped) {
  const ScratchRun run("khans");
  MakeRun(run, json{{"cycle", 0}, {"alarms", {"</script><b>x"}}}.dump() + "\n");
  EXPECT_EQ(RunKhanzero({"report", "--run", run.path().string()}).exit_code, 0);
  const std::string page = ReadFile(run.path() / "report.html");
  EXPECT_EQ(page.find("<b>x"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script\\u003e\\u003cb\\u003ex"), std::string::npos);
}

TEST(ReportCommandInput, BadUsageIsRefused) {
  ExpectRefused({"report"}, "--run is required");
  ExpectRefused({"report", "--run", "/none"}, "'/none' is not a run");
  ExpectRefused({"report", "--run", "/none", "--outt", "x"}, "did you mean '--out'?");
}

TEST(ReportCommandInput, AFileThatCannotBeWrittenIsAFailure) {
  const ScratchRun run("khans");
  MakeRun(run, "");
  const RunResult result =
      RunKhanzero({"report", "--run", run.path().string(), "--out", "/none/report.html"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("/none/"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace khanzero
