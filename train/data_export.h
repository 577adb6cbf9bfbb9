// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stored positions as arrays that numpy reads, for work outside this program. The arrays are
// described in docs/formats.md, "NPZ export".
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "env/settings.h"
#include "train/config.h"
#include "train/data_tally.h"
#include "train/replay_store.h"

namespace khanzero {

enum class DataPart { kTraining, kValidation, kAll };
inline constexpr ChoiceNames<3> kDataPartNames = {"training", "validation", "all"};

struct DataExportOptions {
  DataPart part = DataPart::kAll;
  int64_t positions = 0;  // at most this many, the newest; 0: all
  DataProgress progress{};
  std::stop_token stop{};
};

struct DataExportReport {
  int64_t games = 0;
  int64_t positions = 0;
  int64_t policy_entries = 0;
  int64_t legal_moves = 0;
  int64_t damaged_games = 0;  // left out
  int64_t bytes = 0;          // of the file
};

// Writes `out` aside and renames it. Memory does not grow with the store. Throws InputError when
// there is no such position or `out` cannot be a file, RuntimeFailure when writing fails, when it
// is stopped, or when games are pruned meanwhile.
DataExportReport ExportData(const ReplayStore& store, const Config& config,
                            const std::filesystem::path& out, const DataExportOptions& options);

}  // namespace khanzero
