// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/data_prune.h"

#include <gtest/gtest.h>

#include "env/error.h"
#include "tests/train/sample_run.h"
#include "train/data_check.h"

namespace khanzero {
namespace {

int64_t PositionsOf(const GameRecord& game) { return static_cast<int64_t>(game.samples.size()); }

TEST(DataPrune, TheNewestPositionsStay) {
  const SampleRun run("khans", 20);
  const auto& games = run.games();
  const size_t kept = 5;
  int64_t newest = 0;
  for (size_t i = games.size() - kept; i < games.size(); ++i) newest += PositionsOf(games[i]);
  const PruneReport report = PruneData(run.folder(), run.config(), newest);
  EXPECT_EQ(report.plan.before.games, static_cast<int64_t>(games.size()));
  EXPECT_EQ(report.plan.deleted.games, static_cast<int64_t>(games.size() - kept));
  EXPECT_EQ(report.plan.deleted.positions, run.positions() - newest);
  EXPECT_EQ(report.not_compacted, "");
  EXPECT_LT(report.file_bytes_after, report.file_bytes_before);

  const ReplayStore store = run.Reader();
  EXPECT_EQ(store.Totals().positions, newest);
  std::vector<std::string> stored;
  store.ReadAfter(0, 1000, [&](StoredGame game) { stored.push_back(game.bytes); });
  ASSERT_EQ(stored.size(), kept);
  for (size_t i = 0; i < kept; ++i) {
    EXPECT_EQ(stored[i], SerializeRecord(games[games.size() - kept + i]));
  }
  EXPECT_TRUE(CheckData(store, run.config(), [](int64_t, int64_t) {}).sound());
}

TEST(DataPrune, OnePositionKeepsItsGame) {
  const SampleRun run("khans", 6);
  PruneData(run.folder(), run.config(), 1);
  EXPECT_EQ(run.Reader().Totals().games, 1);
}

TEST(DataPrune, NothingGoesWhileThereAreFewer) {
  const SampleRun run("khans", 4);
  const PruneReport report = PruneData(run.folder(), run.config(), run.positions());
  EXPECT_EQ(report.plan.deleted.games, 0);
  EXPECT_EQ(run.Reader().Totals().positions, run.positions());
  EXPECT_EQ(run.Reader().Pruned().games, 0);
}

TEST(DataPrune, DeletedGamesStayCountedAndTheirNumbersAreNotPlayedAgain) {
  const SampleRun run("khans", 20);
  const auto& games = run.games();
  PruneData(run.folder(), run.config(), run.positions() / 2);
  PruneData(run.folder(), run.config(), run.positions() / 4);
  const ReplayStore store = run.Reader();
  const PrunedTotals pruned = store.Pruned();
  EXPECT_EQ(pruned.games + store.Totals().games, static_cast<int64_t>(games.size()));
  EXPECT_EQ(pruned.positions + store.Totals().positions, run.positions());
  GameNumbers numbers(store.GameNumbers(), pruned.numbers_below);
  for (int i = 0; i < 100; ++i) {
    const uint64_t next = numbers.Next();
    for (const GameRecord& game : games) ASSERT_NE(next, game.number);
  }
}

TEST(DataPrune, NewGamesComeAfterTheDeletedOnes) {
  const SampleRun run("khans", 6);
  PruneData(run.folder(), run.config(), 1);
  const auto sequences = [&] {
    std::vector<int64_t> found;
    run.Reader().ReadAfter(0, 1000, [&](StoredGame game) { found.push_back(game.sequence); });
    return found;
  };
  const auto last = static_cast<int64_t>(run.games().size());
  EXPECT_EQ(sequences(), std::vector<int64_t>{last});
  GameRecord more = run.games().front();
  run.Writer().Add({&more, 1});
  EXPECT_EQ(sequences(), (std::vector<int64_t>{last, last + 1}));
}

TEST(DataPrune, IsRefusedWhileTheRunIsHeld) {
  const SampleRun run("khans", 4);
  const RunLock lock(run.folder());
  EXPECT_THROW(PruneData(run.folder(), run.config(), 1), InputError);
  EXPECT_EQ(run.Reader().Totals().positions, run.positions());
}

TEST(DataPrune, AReaderKeepsWhatItSees) {
  const SampleRun run("khans", 6);
  const ReplayStore reader = run.Reader();
  int64_t seen = 0;
  reader.ReadAfter(0, 1000, [&](const StoredGame&) {
    if (seen++ == 0) run.Writer().Prune(1'000'000);
  });
  EXPECT_EQ(seen, static_cast<int64_t>(run.games().size()));
  EXPECT_EQ(reader.Totals().games, 0);
}

TEST(DataPrune, ARunWithoutStoreIsRefused) {
  const SampleRun run("khans", 0);
  std::filesystem::remove(run.folder().store());
  EXPECT_THROW(PruneData(run.folder(), run.config(), 1), InputError);
  EXPECT_FALSE(std::filesystem::exists(run.folder().store()));
}

TEST(GameNumbers, BeginAtTheFirst) {
  GameNumbers numbers({2, 5, 6, 9}, 5);
  std::vector<uint64_t> next;
  for (int i = 0; i < 4; ++i) next.push_back(numbers.Next());
  EXPECT_EQ(next, (std::vector<uint64_t>{7, 8, 10, 11}));
}

}  // namespace
}  // namespace khanzero
