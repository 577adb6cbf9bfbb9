// SPDX-License-Identifier: GPL-3.0-or-later
//
// A PGN file that grows game by game. Each game is one write at the file's end, so that a process
// that is killed leaves whole games, and at most one that is cut off where the system took only a
// part of it; games are synced now and then, and when the file is closed.
#pragma once

#include <chrono>
#include <string>

namespace khanzero {

class PgnFile {
 public:
  enum class Use {
    kAppend,  // beside any others that append
    kResume,  // alone: what is there is read and may be cut
  };

  // Opens the file; with kAppend one that is not there is made. Throws InputError when it cannot be
  // opened, or when another process uses it in a way that does not go together with this.
  PgnFile(const std::string& path, Use use);
  // Syncs, without a word when that fails: Sync() first says so.
  ~PgnFile();
  PgnFile(const PgnFile&) = delete;
  PgnFile& operator=(const PgnFile&) = delete;

  // Everything in the file.
  std::string Read() const;
  // Takes away what is behind the first `bytes`. REQUIRES: Use::kResume.
  void CutTo(size_t bytes);
  // Adds a game behind an empty line. Throws RuntimeFailure (a full disk, say); then the file is as
  // it was before.
  void Append(const std::string& game);
  // Throws RuntimeFailure.
  void Sync();

 private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] void Fail(const std::string& doing, int error) const;

  std::string path_;
  int file_ = -1;
  bool synced_ = true;
  Clock::time_point last_sync_ = Clock::now();
};

}  // namespace khanzero
