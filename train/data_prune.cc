// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/data_prune.h"

#include <algorithm>
#include <filesystem>

#include "env/error.h"
#include "train/replay_window.h"

namespace khanzero {

namespace {

using Access = ReplayStore::Access;

// The file and its log.
int64_t FileBytes(const std::filesystem::path& store) {
  int64_t bytes = 0;
  for (const char* const suffix : {"", "-wal"}) {
    std::error_code error;
    const auto size = std::filesystem::file_size(store.string() + suffix, error);
    if (!error) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

// Compacting writes the games that are left once to the system's temporary folder and once to the
// log. Twice that is asked for, so that a run beside it keeps some room.
std::string WhyNoRoom(const std::filesystem::path& store, const StoreTotals& left) {
  constexpr int64_t kOverheadPerGame = 128;  // columns and index
  const int64_t needed = 2 * (left.bytes + left.games * kOverheadPerGame) + (int64_t{1} << 20);
  for (const std::filesystem::path& folder :
       {store.parent_path(), std::filesystem::temp_directory_path()}) {
    const auto room = static_cast<int64_t>(std::filesystem::space(folder).available);
    if (room < needed) {
      return "'" + folder.string() + "' has " + std::to_string(room >> 20) + " MiB of room, " +
             std::to_string((needed >> 20) + 1) + " MiB are needed";
    }
  }
  return "";
}

}  // namespace

PrunePlan PlanPrune(const ReplayStore& store, const Config& config, int64_t positions) {
  PrunePlan plan;
  plan.before = store.Totals();
  plan.window_positions =
      WindowPositions(config.learner, plan.before.positions + store.Pruned().positions);
  if (plan.before.positions <= positions) return plan;
  plan.through = store.SequenceBeforeNewest(positions);
  plan.deleted = store.TotalsThrough(plan.through);
  return plan;
}

PruneReport PruneData(const RunFolder& run, const Config& config, int64_t positions) {
  if (!std::filesystem::exists(run.store())) {
    throw InputError("replay store '" + run.store().string() + "' does not exist");
  }
  const RunLock lock(run);
  ReplayStore store(run.store(), config.game, Access::kReadWrite);
  PruneReport report{.plan = PlanPrune(store, config, positions),
                     .file_bytes_before = FileBytes(run.store())};
  const PrunePlan& plan = report.plan;
  if (plan.deleted.games > 0) {
    store.Prune(plan.through);
    const StoreTotals left = store.Totals();
    report.not_compacted = WhyNoRoom(run.store(), left);
    if (report.not_compacted.empty()) {
      try {
        store.Compact();
      } catch (const RuntimeFailure& e) {  // the games are deleted all the same
        report.not_compacted = e.what();
      }
    }
  }
  report.file_bytes_after = FileBytes(run.store());
  return report;
}

}  // namespace khanzero
