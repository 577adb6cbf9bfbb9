// SPDX-License-Identifier: GPL-3.0-or-later
//
// Games that ended and are not delivered yet, in batches, oldest first. With a folder every game is
// in a file before anything else happens to it, so that it outlives the process; the next process
// with the same folder delivers it. Without one they are in memory alone.
//
// A batch's file is a row of records, each behind its length (4 bytes, least first). What a killed
// process wrote of the last one is passed over.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

namespace khanzero {

class GameSpool {
 public:
  using Clock = std::chrono::steady_clock;

  // An empty `folder` means memory. A folder is made and belongs to this process from here on.
  // Throws InputError when another process has it, RuntimeFailure when it cannot be used.
  GameSpool(std::filesystem::path folder, int64_t most_bytes);
  ~GameSpool();
  GameSpool(const GameSpool&) = delete;
  GameSpool& operator=(const GameSpool&) = delete;

  // Notes whose games these are. Throws InputError when games of another run are in it.
  void BelongTo(const std::string& run_id);

  // Keeps a record. Throws RuntimeFailure when the file cannot be written.
  void Add(const std::string& record);

  // Whether there is a batch to deliver: one that is complete, or that has waited for long enough.
  bool ready() const;
  // Its records. REQUIRES: games() > 0. No more are added to it.
  const std::vector<std::string>& Oldest();
  // It was delivered. REQUIRES: Oldest() was called.
  void DropOldest();

  // Makes sure that what is here outlives the machine, too: called when it cannot be delivered.
  void Sync();

  int64_t games() const { return games_; }
  int64_t bytes() const { return bytes_; }
  bool full() const { return bytes_ >= most_bytes_; }
  bool in_memory() const { return folder_.empty(); }

 private:
  struct Batch {
    std::vector<std::string> records = {};
    int64_t bytes = 0;
    std::filesystem::path file = {};
    bool closed = false;
    bool synced = false;
    Clock::time_point begun = Clock::now();
  };

  void Lock();
  void Load();
  void Append(Batch& batch, const std::string& record);
  void Close();

  const std::filesystem::path folder_;
  const int64_t most_bytes_;
  int lock_ = -1;
  int open_file_ = -1;  // of the last batch while it takes records
  uint64_t next_file_ = 1;
  std::deque<Batch> batches_;
  int64_t games_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace khanzero
