// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/data_check.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "env/error.h"
#include "tests/train/sample_run.h"
#include "train/replay_window.h"

namespace khanzero {
namespace {

DataCheckReport Check(const SampleRun& run) {
  return CheckData(run.Reader(), run.config(), [](int64_t, int64_t) {});
}

// One game is damaged, at `sequence`, and `what` says why.
void ExpectDamage(const SampleRun& run, int64_t sequence, const std::string& what) {
  const DataCheckReport report = Check(run);
  EXPECT_FALSE(report.sound());
  EXPECT_EQ(report.damaged, 1);
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_EQ(report.problems.front().sequence, sequence);
  EXPECT_NE(report.problems.front().what.find(what), std::string::npos)
      << report.problems.front().what;
  EXPECT_EQ(report.good.games, report.rows - 1);
}

class DataCheck : public testing::TestWithParam<std::string> {};

TEST_P(DataCheck, AGoodStoreIsSound) {
  const SampleRun run(GetParam(), 30);
  int64_t told = 0;
  const DataCheckReport report =
      CheckData(run.Reader(), run.config(), [&](int64_t done, int64_t games) {
        EXPECT_LE(done, games);
        told = done;
      });
  EXPECT_TRUE(report.sound()) << (report.problems.empty() ? "" : report.problems.front().what);
  const auto games = static_cast<int64_t>(run.games().size());
  EXPECT_EQ(told, games);
  EXPECT_EQ(report.rows, games);
  EXPECT_EQ(report.good.games, games);
  EXPECT_EQ(report.good.positions, run.positions());
  EXPECT_EQ(report.good.white_wins + report.good.black_wins + report.good.draws, games);
  // Whole games, until the window is full.
  EXPECT_LE(report.window_positions, run.positions());
  EXPECT_GE(report.window_positions,
            std::min(run.positions(), WindowPositions(run.config().learner, run.positions())));
  ASSERT_EQ(report.window.size(), 1U);
  EXPECT_EQ(report.window.front().positions, report.window_positions);
  EXPECT_GT(report.root_agreement, 0.0);
}

TEST_P(DataCheck, SamplesOfTheValueAloneAreSound) {
  const SampleRun run(WithCheapSearches(SmallConfig(GetParam())), 8);
  const DataCheckReport report = Check(run);
  EXPECT_TRUE(report.sound()) << (report.problems.empty() ? "" : report.problems.front().what);
  EXPECT_EQ(report.good.positions, run.positions());
  EXPECT_GT(report.good.policy_positions, 0);
  EXPECT_LT(report.good.policy_positions, run.positions());
}

TEST_P(DataCheck, AFlippedBitFailsTheChecksum) {
  const SampleRun run(GetParam(), 4);
  run.FlipABit(2);
  ExpectDamage(run, 2, "checksum");
}

TEST_P(DataCheck, AnIllegalRankIsFound) {
  const SampleRun run(GetParam(), 4);
  run.Change(3, [](GameRecord& record) { record.move_ranks[5] = 50000; });
  ExpectDamage(run, 3, "an illegal move at ply 5");
}

TEST_P(DataCheck, ATargetOnAnIllegalMoveIsFound) {
  const SampleRun run(GetParam(), 4);
  run.Change(1, [](GameRecord& record) { record.samples[2].target.back().rank = 50000; });
  ExpectDamage(run, 1, "a target on an illegal move");
}

TEST_P(DataCheck, ATurnedResultIsFound) {
  const SampleRun run(GetParam(), 30);
  for (size_t i = 0; i < run.games().size(); ++i) {
    const Result result = run.games()[i].outcome.result;
    if (result == Result::kDraw) continue;
    const auto sequence = static_cast<int64_t>(i + 1);
    const Result turned = result == Result::kWhiteWins ? Result::kBlackWins : Result::kWhiteWins;
    run.Change(sequence, [&](GameRecord& record) { record.outcome.result = turned; });
    run.Execute("UPDATE games SET result = " + std::to_string(static_cast<int>(turned)) +
                " WHERE sequence = " + std::to_string(sequence));
    return ExpectDamage(run, sequence, "its end is given as");
  }
  FAIL() << "no game of the sample was decided";
}

INSTANTIATE_TEST_SUITE_P(Games, DataCheck, testing::Values("khans", "serbest"),
                         [](const auto& parameter) { return parameter.param; });

TEST(DataCheckRows, EveryColumnMustFitTheRecord) {
  for (const std::string column :
       {"id", "number", "network_step", "plies", "positions", "result", "reason"}) {
    SCOPED_TRACE(column);
    const SampleRun run("khans", 3);
    run.Execute("UPDATE games SET " + column + " = 99 WHERE sequence = 2");
    ExpectDamage(run, 2, "the row's " + column + " is 99, the record's is ");
  }
}

TEST(DataCheckRows, OtherVersionsAndNoRecordsAreFound) {
  const SampleRun run("khans", 3);
  std::string bytes = SerializeRecord(run.games()[0]);
  bytes[3] = 9;
  run.SetBytes(1, bytes);
  ExpectDamage(run, 1, "version is 9");
  run.SetBytes(1, "");
  ExpectDamage(run, 1, "mark of a record");
  run.SetBytes(1, SerializeRecord(run.games()[0]).substr(0, 40));
  ExpectDamage(run, 1, "cut off");
}

TEST(DataCheckRows, AnotherKingsLandingIsFound) {
  const SampleRun run("serbest", 3);
  run.Change(2, [](GameRecord& record) { record.settings.kings_landing = 8; });
  ExpectDamage(run, 2, "kings_landing = 8");
}

TEST(DataCheckRows, ACopyUnderAnotherIdIsFound) {
  for (const bool other_number : {false, true}) {
    const SampleRun run("khans", 3);
    GameRecord copy = run.games()[1];
    ASSERT_GT(copy.move_ranks.size(), static_cast<size_t>(kShortGamePlies));
    copy.id += 1;
    if (other_number) copy.number += 1'000'000;
    ASSERT_EQ(run.Writer().Add({&copy, 1}), 1);
    ExpectDamage(run, static_cast<int64_t>(run.games().size()) + 1,
                 other_number ? "every move and target of the game at sequence 2"
                              : "of the game at sequence 2: a copy");
  }
}

// The same moves from other searches are no damage: chance, or a network that has settled.
TEST(DataCheckRows, RepeatedGamesAreCounted) {
  const SampleRun run("khans", 3);
  GameRecord again = run.games()[1];
  again.id += 1;
  again.number += 1'000'000;
  again.samples[0].root_win = 1;
  again.samples[0].root_loss = 2;
  run.Writer().Add({&again, 1});
  const DataCheckReport report = Check(run);
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.repeated_long, 1);
  EXPECT_EQ(report.repeated_short, 0);
}

TEST(DataCheckRows, TheFirstTwentyAreListedAndAllAreCounted) {
  const SampleRun run("khans", 30);
  for (int64_t sequence = 1; sequence <= 25; ++sequence) run.FlipABit(sequence);
  const DataCheckReport report = Check(run);
  EXPECT_EQ(report.damaged, 25);
  ASSERT_EQ(report.problems.size(), DataCheckReport::kListed);
  EXPECT_EQ(report.problems.back().sequence, 20);
  EXPECT_EQ(report.good.games, static_cast<int64_t>(run.games().size()) - 25);
}

TEST(DataCheckStore, AnEmptyOneIsSound) {
  const SampleRun run("khans", 0);
  const DataCheckReport report = Check(run);
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.rows, 0);
  EXPECT_TRUE(report.window.empty());
}

TEST(DataCheckStore, TurnedRootValuesAreFound) {
  for (const bool turned : {false, true}) {
    const SampleRun run("khans", 40);
    for (size_t i = 0; i < run.games().size(); ++i) {
      run.Change(static_cast<int64_t>(i + 1), [&](GameRecord& record) {
        const bool white_won = record.outcome.result == Result::kWhiteWins;
        for (SampleRecord& sample : record.samples) {
          const bool mover_won = (sample.ply % 2 == 0) == white_won;
          sample.root_win = mover_won != turned ? 150 : 50;
          sample.root_loss = static_cast<uint8_t>(200 - sample.root_win);
        }
      });
    }
    const DataCheckReport report = Check(run);
    ASSERT_GE(report.decided_positions, 1000);
    EXPECT_EQ(report.damaged, 0);
    EXPECT_EQ(report.sound(), !turned);
    EXPECT_NEAR(report.root_agreement, (turned ? -100.0 : 100.0) / 255.0, 1e-3);
  }
}

TEST(DataCheckStore, ATornPageIsFoundAndTheCheckEnds) {
  const SampleRun run("khans", 30);
  run.Execute("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto size = std::filesystem::file_size(run.folder().store());
  std::fstream file(run.folder().store(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(size / 2 / 4096 * 4096));
  file << std::string(4096, '\x5a');
  file.close();
  EXPECT_FALSE(Check(run).sound());
}

TEST(DataCheckStore, AWriterMayGoOnMeanwhile) {
  const SampleRun run("khans", 2);
  const std::vector<GameRecord> more = [&] {
    Config config = run.config();
    config.seed = 99;
    return PlayGames(config, 40);
  }();
  std::jthread writer([&] {
    ReplayStore store = run.Writer();
    for (const GameRecord& game : more) store.Add({&game, 1});
  });
  for (int round = 0; round < 5; ++round) EXPECT_TRUE(Check(run).sound());
  writer.join();
  EXPECT_EQ(Check(run).rows, static_cast<int64_t>(run.games().size() + more.size()));
}

TEST(StepTally, RangesCoverEveryStepOnce) {
  StepTally tally;
  for (int64_t step = -1; step < 95; ++step) tally.Count(step, 10);
  EXPECT_EQ(tally.Ranges(1000).size(), 96U);
  const std::vector<StepRange> ranges = tally.Ranges(10);
  EXPECT_LE(ranges.size(), 10U);
  int64_t games = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    games += ranges[i].games;
    EXPECT_EQ(ranges[i].positions, 10 * ranges[i].games);
    if (i > 0) {
      EXPECT_EQ(ranges[i].first_step, ranges[i - 1].last_step + 1);
    }
  }
  EXPECT_EQ(games, 96);
  EXPECT_EQ(ranges.front().first_step, -1);
}

}  // namespace
}  // namespace khanzero
