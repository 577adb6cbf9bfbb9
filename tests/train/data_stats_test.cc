// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/data_stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/train/sample_run.h"

namespace khanzero {
namespace {

DataStats Stats(const SampleRun& run) {
  return ComputeDataStats(run.Reader(), run.config(), [](int64_t, int64_t) {});
}

TEST(DataStats, AgreeWithTheGames) {
  const SampleRun run("khans", 30);
  const DataStats stats = Stats(run);
  std::vector<size_t> lengths;
  std::set<std::vector<uint16_t>> openings;
  double entropy = 0.0;
  int64_t bytes = 0;
  for (const GameRecord& game : run.games()) {
    lengths.push_back(game.move_ranks.size());
    openings.emplace(game.move_ranks.begin(), game.move_ranks.begin() + kOpeningPlies);
    bytes += static_cast<int64_t>(SerializeRecord(game).size());
    for (const SampleRecord& sample : game.samples) {
      double sum = 0.0;
      for (const TargetEntry& entry : sample.target) sum += entry.weight;
      for (const TargetEntry& entry : sample.target) {
        entropy -= entry.weight / sum * std::log(entry.weight / sum);
      }
    }
  }
  std::sort(lengths.begin(), lengths.end());
  EXPECT_EQ(stats.tally.games, static_cast<int64_t>(run.games().size()));
  EXPECT_EQ(stats.tally.positions, run.positions());
  EXPECT_EQ(stats.record_bytes, bytes);
  EXPECT_EQ(stats.longest, static_cast<int>(lengths.back()));
  EXPECT_EQ(stats.median_length, static_cast<int>(lengths[(lengths.size() - 1) / 2]));
  EXPECT_EQ(stats.unique_openings, static_cast<int64_t>(openings.size()));
  EXPECT_NEAR(stats.mean_target_entropy, entropy / static_cast<double>(run.positions()), 1e-9);
  int64_t positions = 0;
  for (const auto& [entries, count] : stats.target_entries) positions += count;
  EXPECT_EQ(positions, run.positions());
  EXPECT_GT(stats.validation_games, 0);
  EXPECT_LT(stats.validation_games, stats.tally.games);
}

TEST(DataStats, DamagedRecordsAreLeftOut) {
  const SampleRun run("khans", 5);
  run.FlipABit(2);
  const DataStats stats = Stats(run);
  EXPECT_EQ(stats.unreadable, 1);
  EXPECT_EQ(stats.tally.games, static_cast<int64_t>(run.games().size()) - 1);
}

TEST(DataStats, AnEmptyStoreHasNone) {
  const DataStats stats = Stats(SampleRun("serbest", 0));
  EXPECT_EQ(stats.tally.games, 0);
  EXPECT_EQ(stats.mean_length, 0.0);
  EXPECT_TRUE(stats.steps.empty());
}

TEST(DataStats, CountsByPowersOfTwo) {
  EXPECT_EQ(ByPowersOfTwo({{1, 1}, {2, 2}, {3, 4}, {4, 8}, {5, 16}, {8, 32}, {9, 64}}),
            (std::map<int, int64_t>{{1, 1}, {2, 2}, {4, 12}, {8, 48}, {16, 64}}));
}

}  // namespace
}  // namespace khanzero
