// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run's folder with a configuration and a few stored games, and ways to damage them.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <utility>
#include <vector>

#include "model/files.h"
#include "tests/train/sample_games.h"
#include "train/replay_store.h"
#include "train/run_folder.h"

namespace khanzero {

class SampleRun {
 public:
  SampleRun(const std::string& game, int64_t count) : SampleRun(SmallConfig(game), count) {}
  SampleRun(const Config& config, int64_t count)
      : config_(config), folder_(scratch_.path() / "run") {
    std::filesystem::create_directories(folder_.path());
    WriteFileDurably(folder_.config(), ToYaml(config_));
    if (count > 0) games_ = PlayGames(config_, count);
    Writer().Add(games_);
  }

  const Config& config() const { return config_; }
  const RunFolder& folder() const { return folder_; }
  std::string path() const { return folder_.path().string(); }
  std::filesystem::path scratch() const { return scratch_.path(); }
  // As they were stored: sequences 1, 2, ...
  const std::vector<GameRecord>& games() const { return games_; }
  int64_t positions() const {
    int64_t positions = 0;
    for (const GameRecord& game : games_) positions += static_cast<int64_t>(game.samples.size());
    return positions;
  }

  ReplayStore Writer() const {
    return ReplayStore(folder_.store(), config_.game, ReplayStore::Access::kReadWrite);
  }
  ReplayStore Reader() const {
    return ReplayStore(folder_.store(), config_.game, ReplayStore::Access::kReadOnly);
  }

  void Execute(const std::string& sql) const {
    SQLite::Database(folder_.store().string(), SQLite::OPEN_READWRITE, 10'000).exec(sql);
  }
  void SetBytes(int64_t sequence, const std::string& bytes) const {
    SQLite::Database db(folder_.store().string(), SQLite::OPEN_READWRITE, 10'000);
    SQLite::Statement update(db, "UPDATE games SET record = ? WHERE sequence = ?");
    update.bind(1, bytes.data(), static_cast<int>(bytes.size()));
    update.bind(2, sequence);
    update.exec();
  }
  // The stored game at `sequence` with one bit turned in the middle of its record.
  void FlipABit(int64_t sequence) const {
    std::string bytes = SerializeRecord(games_.at(static_cast<size_t>(sequence - 1)));
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
    SetBytes(sequence, bytes);
  }
  // Stores the game at `sequence` changed, with a checksum that is right.
  template <class F>
  void Change(int64_t sequence, F&& change) const {
    GameRecord record = games_.at(static_cast<size_t>(sequence - 1));
    change(record);
    SetBytes(sequence, SerializeRecord(record));
  }

 private:
  ScratchFolder scratch_;
  Config config_;
  RunFolder folder_;
  std::vector<GameRecord> games_;
};

}  // namespace khanzero
