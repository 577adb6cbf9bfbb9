// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/data_stats.h"

#include <cmath>
#include <unordered_set>

#include "env/error.h"
#include "train/replay_window.h"

namespace khanzero {

namespace {

double Entropy(const std::vector<TargetEntry>& target) {
  double sum = 0.0;
  for (const TargetEntry& entry : target) sum += entry.weight;
  double entropy = 0.0;
  for (const TargetEntry& entry : target) {
    const double p = entry.weight / sum;
    entropy -= p * std::log(p);
  }
  return entropy;
}

void FinishLengths(DataStats& stats) {
  if (stats.tally.games == 0) return;
  stats.mean_length =
      static_cast<double>(stats.tally.plies) / static_cast<double>(stats.tally.games);
  stats.longest = stats.lengths.rbegin()->first;
  int64_t seen = 0;
  for (const auto& [length, games] : stats.lengths) {
    seen += games;
    stats.median_length = length;
    if (2 * seen >= stats.tally.games) return;
  }
}

}  // namespace

DataStats ComputeDataStats(const ReplayStore& store, const Config& config,
                           const DataProgress& progress) {
  DataStats stats;
  stats.pruned = store.Pruned();
  const int64_t games = store.Totals().games;
  std::unordered_set<uint64_t> openings;
  StepTally steps;
  double entropy = 0.0;
  const auto count = [&](const GameRecord& record) {
    const auto positions = static_cast<int64_t>(record.samples.size());
    stats.tally.Count(record);
    ++stats.lengths[static_cast<int>(record.move_ranks.size())];
    steps.Count(record.last_network_step, positions);
    if (IsValidationGame(record.id, config.learner.validation_share)) {
      ++stats.validation_games;
      stats.validation_positions += positions;
    }
    for (const SampleRecord& sample : record.samples) {
      if (sample.target.empty()) continue;
      ++stats.target_entries[static_cast<int>(sample.target.size())];
      entropy += Entropy(sample.target);
    }
    if (record.move_ranks.size() >= static_cast<size_t>(kOpeningPlies)) {
      ++stats.openings;
      openings.insert(HashMoves(record, kOpeningPlies));
    }
  };
  VisitGames(store, 0, INT64_MAX, [&](const StoredGame& stored) {
    stats.record_bytes += static_cast<int64_t>(stored.bytes.size());
    try {
      count(ParseRecord(stored.bytes));
    } catch (const InputError&) {
      ++stats.unreadable;
    }
    const int64_t done = stats.tally.games + stats.unreadable;
    progress(done, std::max(games, done));
  });
  if (stats.tally.policy_positions > 0) {
    stats.mean_target_entropy = entropy / static_cast<double>(stats.tally.policy_positions);
  }
  stats.unique_openings = static_cast<int64_t>(openings.size());
  stats.steps = steps.Ranges(20);
  FinishLengths(stats);
  return stats;
}

std::map<int, int64_t> ByPowersOfTwo(const std::map<int, int64_t>& counts) {
  std::map<int, int64_t> ranges;
  for (const auto& [value, count] : counts) {
    int end = 1;
    while (end < value) end *= 2;
    ranges[end] += count;
  }
  return ranges;
}

}  // namespace khanzero
