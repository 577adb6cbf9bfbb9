// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of a ladder: its store, its table, what the report and the metrics show of it.
// Whole ladders are played in tests/cli/ladder_command_test.cc.
#include "train/ladder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "env/error.h"
#include "model/files.h"
#include "tests/train/sample_games.h"
#include "train/cycle_metrics.h"
#include "train/ladder_players.h"
#include "train/ladder_store.h"
#include "train/metrics_file.h"
#include "train/report_ladder.h"

namespace khanzero {
namespace {

using nlohmann::json;

class LadderStoreTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "ladder.db"; }

 private:
  ScratchFolder folder_;
};

LadderIdentity Known(const std::string& key) { return {.key = key, .name = key}; }

TEST_F(LadderStoreTest, GamesComeBackAsResultsBySide) {
  LadderStore store(path(), "khans");
  const int64_t a = store.EnterPlayer(Known("a"));
  const int64_t b = store.EnterPlayer(Known("b"));
  const int64_t conditions = store.EnterConditions("64 nodes");
  const LadderBatch batch = store.EnterBatch(conditions, a, b, 2);
  EXPECT_TRUE(store.AddGame(batch, {"1.1", a, b, "1-0", "pgn"}));
  EXPECT_TRUE(store.AddGame(batch, {"1.2", b, a, "1/2-1/2", "pgn"}));
  EXPECT_TRUE(store.AddGame(batch, {"2.1", a, b, "0-1", "pgn"}));
  const std::vector<LadderResults> results = store.Results(conditions);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].white, a);
  EXPECT_EQ(results[0].black, b);
  EXPECT_EQ(results[0].white_wins, 1);
  EXPECT_EQ(results[0].draws, 0);
  EXPECT_EQ(results[0].black_wins, 1);
  EXPECT_EQ(results[1].white, b);
  EXPECT_EQ(results[1].draws, 1);
}

TEST_F(LadderStoreTest, ABatchIsOpenUntilItsLastGameAndNoGameCountsTwice) {
  int64_t conditions = 0;
  LadderBatch batch;
  int64_t a = 0;
  int64_t b = 0;
  {
    LadderStore store(path(), "khans");
    a = store.EnterPlayer(Known("a"));
    b = store.EnterPlayer(Known("b"));
    conditions = store.EnterConditions("64 nodes");
    batch = store.EnterBatch(conditions, a, b, 1);
    EXPECT_TRUE(store.AddGame(batch, {"1.2", b, a, "1-0", "first"}));
  }
  LadderStore store(path(), "khans");
  EXPECT_EQ(store.EnterConditions("64 nodes"), conditions);
  const std::vector<LadderBatch> open = store.OpenBatches(conditions);
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].id, batch.id);
  EXPECT_EQ(open[0].a, a);
  EXPECT_EQ(open[0].b, b);
  EXPECT_EQ(open[0].pairs, 1);
  EXPECT_EQ(open[0].missing, 1);
  const std::vector<FinishedGame> finished = store.Finished(open[0]);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].round.pair, 0);
  EXPECT_EQ(finished[0].round.side_of_a, Color::kBlack);
  EXPECT_EQ(finished[0].result, Result::kWhiteWins);
  EXPECT_FALSE(store.AddGame(open[0], {"1.2", b, a, "0-1", "again"}));
  EXPECT_EQ(store.Results(conditions)[0].white_wins, 1);
  EXPECT_TRUE(store.AddGame(open[0], {"1.1", a, b, "1-0", "second"}));
  EXPECT_TRUE(store.OpenBatches(conditions).empty());
}

TEST_F(LadderStoreTest, AGameThatIsNoneIsNamed) {
  LadderStore store(path(), "khans");
  const int64_t a = store.EnterPlayer(Known("a"));
  const int64_t b = store.EnterPlayer(Known("b"));
  const LadderBatch batch = store.EnterBatch(store.EnterConditions("64 nodes"), a, b, 1);
  store.AddGame(batch, {"1.3", a, b, "1-0", "pgn"});
  EXPECT_THROW(store.Finished(batch), InputError);
}

TEST_F(LadderStoreTest, GamesOfOtherConditionsAreApart) {
  LadderStore store(path(), "khans");
  const int64_t a = store.EnterPlayer(Known("a"));
  const int64_t b = store.EnterPlayer(Known("b"));
  const int64_t c = store.EnterPlayer(Known("c"));
  const int64_t few = store.EnterConditions("64 nodes");
  const int64_t many = store.EnterConditions("800 nodes");
  store.AddGame(store.EnterBatch(few, a, b, 1), {"1.1", a, b, "1-0", ""});
  store.AddGame(store.EnterBatch(many, a, c, 1), {"1.1", a, c, "0-1", ""});
  ASSERT_EQ(store.Results(few).size(), 1U);
  EXPECT_EQ(store.Results(few)[0].white_wins, 1);
  ASSERT_EQ(store.Players(few).size(), 2U);
  EXPECT_EQ(store.Players(few)[1].id, b);
  EXPECT_EQ(store.Players(many)[1].id, c);
  EXPECT_EQ(store.OpenBatches(many).size(), 1U);
}

TEST_F(LadderStoreTest, GivesTheGamesOfTheNewestBatchFirst) {
  LadderStore store(path(), "khans");
  const int64_t a = store.EnterPlayer(Known("a"));
  const int64_t b = store.EnterPlayer(Known("b"));
  const int64_t few = store.EnterConditions("64 nodes");
  const int64_t many = store.EnterConditions("800 nodes");
  store.AddGame(store.EnterBatch(few, a, b, 1), {"1.1", a, b, "1-0", "old"});
  store.AddGame(store.EnterBatch(many, a, b, 1), {"1.1", a, b, "0-1", "new"});
  EXPECT_EQ(store.Pgns(10), (std::vector<std::string>{"new", "old"}));
  EXPECT_EQ(store.Pgns(1), (std::vector<std::string>{"new"}));
}

TEST_F(LadderStoreTest, APlayerKeepsItsIdAndWhatIsKnownOfIt) {
  LadderStore store(path(), "khans");
  const int64_t id = store.EnterPlayer(
      {.key = "checkpoint 12", .name = "step-1", .step = 1, .games = 200, .hours = 0.5});
  EXPECT_EQ(store.EnterPlayer({.key = "checkpoint 12", .name = "step-2", .step = 2}), id);
  store.AddGame(store.EnterBatch(store.EnterConditions(""), id, store.EnterPlayer(Known("r")), 1),
                {"1.1", id, id + 1, "1-0", ""});
  const LadderIdentity player = store.Players(store.EnterConditions(""))[0];
  EXPECT_EQ(player.name, "step-2");
  EXPECT_EQ(player.step, 2);
  EXPECT_EQ(player.games, 200);
  EXPECT_EQ(player.hours, 0.5);
}

TEST_F(LadderStoreTest, OtherFilesAreRefused) {
  { LadderStore store(path(), "khans"); }
  EXPECT_THROW(LadderStore(path(), "serbest"), InputError);
  std::ofstream(path(), std::ios::trunc) << std::string(5000, 'x');
  EXPECT_THROW(LadderStore(path(), "khans"), InputError);
}

TEST(LadderAnchors, NodesStandBehindWhatSearches) {
  LadderOptions options;
  options.anchors = {"greedy", "alphabeta:5"};
  std::vector<std::string> names;
  for (const LadderPlayer& player : AnchorsOf(options)) names.push_back(player.identity.name);
  EXPECT_EQ(names, (std::vector<std::string>{"random", "greedy", "alphabeta:1", "alphabeta:2",
                                             "alphabeta:3", "alphabeta:5"}));
  options.baselines = false;
  options.anchors = {};
  EXPECT_EQ(AnchorsOf(options).size(), 1U);
  const auto refused = [&](const std::string& anchor, const std::string& why) {
    options.anchors = {anchor};
    try {
      AnchorsOf(options);
      FAIL() << anchor;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  };
  refused("greedy@10", "takes no nodes");
  refused("checkpoint:/none@0", "a number from 1 on");
  refused("checkpoint:/none@10", "/none/weights.safetensors");
  refused("engine", "a player is one of");
}

LadderResult SampleLadder() {
  LadderResult result{.run = "runs/a", .game = "khans", .error_elo = 40.0, .games = 90};
  result.entries = {{.name = "step-000000020",
                     .checkpoint = true,
                     .present = true,
                     .wanted = true,
                     .step = 20,
                     .games = 200,
                     .hours = 0.5,
                     .rating = {.elo = 812.4, .error = 39.0, .games = 60, .points = 45.0}},
                    {.name = "step-000000010",
                     .checkpoint = true,
                     .present = false,
                     .step = 10,
                     .games = 100,
                     .hours = {},
                     .rating = {.elo = 400.0, .error = 90.0, .games = 20, .points = 10.0}},
                    {.name = "random",
                     .present = true,
                     .step = {},
                     .games = {},
                     .hours = {},
                     .rating = {.elo = 0.0, .error = 0.0, .games = 80, .points = 5.0}},
                    {.name = "step-000000030",
                     .checkpoint = true,
                     .present = true,
                     .wanted = true,
                     .step = 30,
                     .games = 300,
                     .hours = 0.7,
                     .rating = {}}};
  result.best = "step-000000020";
  return result;
}

TEST(LadderText, SaysWhatIsRatedAndWhatIsNot) {
  const std::string text = LadderText(SampleLadder());
  for (const char* const part :
       {"Ladder of runs/a (khans, 100 nodes, puct, 4 random plies): 90 games", "812     39",
        "75.0 %  best", "deleted", "no chain of games leads to random",
        "1 of 2 checkpoints are not within +/- 40 Elo yet"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(LadderJson, HoldsTheTable) {
  const json ladder = json::parse(LadderJson(SampleLadder()));
  EXPECT_EQ(ladder.at("best"), "step-000000020");
  EXPECT_EQ(ladder.at("conditions").at("nodes"), 100);
  const json& first = ladder.at("players").at(0);
  EXPECT_EQ(first.at("elo"), 812.4);
  EXPECT_EQ(first.at("score"), 0.75);
  EXPECT_TRUE(ladder.at("players").at(3).at("elo").is_null());
  EXPECT_TRUE(ladder.at("players").at(2).at("step").is_null());
}

TEST(ReportLadder, RatedCheckpointsByStepAndAnchors) {
  const ScratchFolder folder;
  const RunFolder run(folder.path());
  std::vector<std::string> notes;
  EXPECT_TRUE(LadderForReport(run, notes).is_null());
  EXPECT_TRUE(notes.empty());

  WriteFileDurably(run.ladder(), LadderJson(SampleLadder()));
  const json drawn = LadderForReport(run, notes);
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(drawn.at("name"), json::array({"step-000000010", "step-000000020"}));
  EXPECT_EQ(drawn.at("games"), (json{100, 200}));
  EXPECT_EQ(drawn.at("hours"), (json{nullptr, 0.5}));
  EXPECT_EQ(drawn.at("error"), (json{90.0, 39.0}));
  EXPECT_EQ(drawn.at("anchors"), (json{{{"name", "random"}, {"value", 0.0}}}));

  WriteFileDurably(run.ladder(), "{\"players\": [{");
  EXPECT_TRUE(LadderForReport(run, notes).is_null());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("ladder.json is damaged"), std::string::npos);
}

TEST(CycleMetricsLadder, TheRatingIsAFigureOfTheCycle) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "metrics.jsonl";
  CycleMetrics metrics;
  metrics.AppendTo(path);
  metrics.ladder = {.elo = 512.5, .error = 40.0, .games = 96};
  metrics.AppendTo(path);
  const MetricsLines read = ReadMetrics(path);
  ASSERT_EQ(read.lines.size(), 2U);
  EXPECT_FALSE(read.lines[0].scalars.contains("ladder/elo"));
  EXPECT_EQ(read.lines[1].scalars.at("ladder/elo"), 512.5);
  EXPECT_EQ(read.lines[1].scalars.at("ladder/error"), 40.0);
}

}  // namespace
}  // namespace khanzero
