// SPDX-License-Identifier: GPL-3.0-or-later
//
// The folder of a run. Everything needed to resume, explain or delete the run is in it:
//
//   config.yaml            the effective configuration
//   replay.db              the games
//   checkpoints/step-N/    networks with their training state
//   latest                 the name of the newest checkpoint
//   best                   the name of the best one that the ladder has found
//   metrics.jsonl          one JSON object a cycle
//   events/                the same figures for TensorBoard
//   ladder.db              the games that rate the checkpoints
//   ladder.json            the ratings
//   report.html            the run at a glance
//   log.txt                what the program said
//   lock                   held by the process that trains
//   ladder.lock            held by the process that rates
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "train/config.h"

namespace khanzero {

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config() const { return path_ / "config.yaml"; }
  std::filesystem::path store() const { return path_ / "replay.db"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path latest() const { return path_ / "latest"; }
  std::filesystem::path best() const { return path_ / "best"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path events() const { return path_ / "events"; }
  std::filesystem::path report() const { return path_ / "report.html"; }
  std::filesystem::path ladder_store() const { return path_ / "ladder.db"; }
  std::filesystem::path ladder() const { return path_ / "ladder.json"; }
  std::filesystem::path log() const { return path_ / "log.txt"; }
  std::filesystem::path lock() const { return path_ / "lock"; }
  std::filesystem::path ladder_lock() const { return path_ / "ladder.lock"; }

  // "step-000001200"
  static std::string CheckpointName(int64_t step);

  // The folder of the newest checkpoint, nothing when there is none yet. Throws InputError when
  // `latest` names one that is not there.
  std::optional<std::filesystem::path> LatestCheckpoint() const;
  // Points `latest` at a checkpoint of this run. Throws RuntimeFailure.
  void SetLatest(const std::string& checkpoint_name) const;
  // The folder of the best checkpoint, nothing when the ladder has named none or it is gone.
  std::optional<std::filesystem::path> BestCheckpoint() const;
  // Points `best` at a checkpoint of this run. Throws RuntimeFailure.
  void SetBest(const std::string& checkpoint_name) const;
  // Every checkpoint's folder, by rising step. Throws RuntimeFailure.
  std::vector<std::filesystem::path> Checkpoints() const;
  // Deletes all but the newest `keep` checkpoints; never those that `latest` and `best` name.
  void PruneCheckpoints(int keep) const;

 private:
  std::filesystem::path path_;
};

// The folder of a run that is to be trained with `config`: made when it is not there. Throws
// InputError when it holds something else than a run, or a run of another game, network or seed;
// RuntimeFailure when it cannot be made.
RunFolder OpenRunFolder(const std::filesystem::path& path, const Config& config);

// The configuration a run was made with. Throws InputError when the folder is no run, and as
// LoadConfig does.
Config ReadRunConfig(const std::filesystem::path& path, const std::vector<std::string>& overrides);

// What one process at a time may do with a run.
enum class RunWork { kTraining, kRating };

// Holds a run for one process and one work as long as it lives. The system lets go of it when the
// process ends, however it ends.
class RunLock {
 public:
  // Throws InputError when another process holds the run for the same, RuntimeFailure when locking
  // fails.
  explicit RunLock(const RunFolder& run, RunWork work = RunWork::kTraining);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace khanzero
