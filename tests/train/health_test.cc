// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/health.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/train/sample_games.h"

namespace khanzero {
namespace {

// A cycle in which all is well.
CycleMetrics Healthy() {
  CycleMetrics m;
  m.new_games = 100;
  m.white_wins = 50;
  m.black_wins = 40;
  m.draws = 10;
  for (uint16_t i = 0; i < 80; ++i) m.openings.insert({i});
  m.training.steps = 100;
  m.training.loss.policy = 2.0;
  m.training.policy_entropy = 1.5;
  m.validation.samples = 1000;
  m.validation.loss.policy = 2.1;
  m.learner_seconds = 100.0;
  return m;
}

void ExpectAlarm(const CycleMetrics& metrics, const std::string& text) {
  const std::vector<std::string> alarms = AlarmsOf(metrics, SmallConfig("khans"));
  ASSERT_EQ(alarms.size(), 1U) << text;
  EXPECT_NE(alarms[0].find(text), std::string::npos) << alarms[0];
}

TEST(Health, AWellCycleIsSilent) { EXPECT_TRUE(AlarmsOf(Healthy(), SmallConfig("khans")).empty()); }

TEST(Health, EachFigureOutOfRangeIsNamed) {
  CycleMetrics m = Healthy();
  m.capped_games = 60;
  ExpectAlarm(m, "selfplay.max_plies");
  m = Healthy();
  m.white_wins = 95;
  m.black_wins = 5;
  m.draws = 0;
  ExpectAlarm(m, "White scores 95 %");
  m = Healthy();
  m.draws = 98;
  m.white_wins = m.black_wins = 1;
  ExpectAlarm(m, "98 % of the games are draws");
  m = Healthy();
  m.openings = {{1}, {2}, {3}};
  ExpectAlarm(m, "only 3 different openings of 6 plies in 100 games");
  m.earlier_starts = 80;  // which have no opening
  EXPECT_TRUE(AlarmsOf(m, SmallConfig("khans")).empty());
  m = Healthy();
  m.training.returns = 2;
  ExpectAlarm(m, "went back to its last good state 2 times");
  m = Healthy();
  m.training.steps = 0;
  ExpectAlarm(m, "made no step");
  m = Healthy();
  m.training.policy_entropy = 0.01;
  ExpectAlarm(m, "collapsed");
  m = Healthy();
  m.validation.loss.policy = 3.0;
  ExpectAlarm(m, "learned by heart");
  m = Healthy();
  m.training.waiting_seconds = 40.0;
  ExpectAlarm(m, "waits 40 %");
}

TEST(Health, FewGamesRaiseNoAlarm) {
  CycleMetrics m = Healthy();
  m.new_games = m.white_wins = m.capped_games = 10;
  m.black_wins = m.draws = 0;
  m.openings = {{1}};
  EXPECT_TRUE(AlarmsOf(m, SmallConfig("khans")).empty());
}

class Probes : public testing::TestWithParam<std::string> {};

TEST_P(Probes, TheSamePositionsGiveTheSameGap) {
  const Config config = SmallConfig(GetParam());
  UniformEvaluator evaluator(InfoOfGame(GetParam()).shape);
  const SearchGap a = MakeSearchProbe(config, 16, 1)->Measure(evaluator);
  const auto probe = MakeSearchProbe(config, 16, 1);
  for (int i = 0; i < 2; ++i) {
    const SearchGap b = probe->Measure(evaluator);
    EXPECT_EQ(a.divergence, b.divergence);
    EXPECT_EQ(a.agreement, b.agreement);
  }
  EXPECT_GE(a.divergence, 0.0);
  EXPECT_GE(a.agreement, 0.0);
  EXPECT_LE(a.agreement, 1.0);
}

INSTANTIATE_TEST_SUITE_P(Games, Probes, testing::ValuesIn(GameNames()),
                         [](const auto& tested) { return tested.param; });

TEST(CycleMetrics, ALineHasEveryFigure) {
  CycleMetrics m = Healthy();
  m.alarms = {"a \"quoted\" word"};
  const ScratchFolder folder;
  m.AppendTo(folder.path() / "metrics.jsonl");
  m.AppendTo(folder.path() / "metrics.jsonl");
  std::ifstream file(folder.path() / "metrics.jsonl");
  int lines = 0;
  for (std::string text; std::getline(file, text); ++lines) {
    const auto line = nlohmann::json::parse(text);
    EXPECT_DOUBLE_EQ(line.at("self_play").at("white_score").get<double>(), 0.55);
    EXPECT_EQ(line.at("self_play").at("unique_openings").get<int>(), 80);
    for (const char* const key : {"policy_loss", "value_loss", "reply_loss", "survival_loss",
                                  "moves_left_loss", "policy_entropy"}) {
      EXPECT_TRUE(line.at("learner").contains(key)) << key;
      EXPECT_TRUE(line.at("validation").contains(key)) << key;
    }
    EXPECT_TRUE(line.at("validation").contains("calibration_error"));
    EXPECT_TRUE(line.at("health").contains("search_divergence"));
    EXPECT_EQ(line.at("alarms").at(0).get<std::string>(), m.alarms[0]);
  }
  EXPECT_EQ(lines, 2);
}

TEST(CycleMetrics, ALineThatAKillCutOffIsAllThatIsLost) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "metrics.jsonl";
  Healthy().AppendTo(path);
  std::ofstream(path, std::ios::app) << "{\"cycle\": 1, \"ho";
  Healthy().AppendTo(path);
  std::ifstream file(path);
  int whole = 0;
  int lines = 0;
  for (std::string text; std::getline(file, text); ++lines) {
    whole += nlohmann::json::accept(text) ? 1 : 0;
  }
  EXPECT_EQ(lines, 3);
  EXPECT_EQ(whole, 2);
}

}  // namespace
}  // namespace khanzero
