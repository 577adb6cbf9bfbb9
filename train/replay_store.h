// SPDX-License-Identifier: GPL-3.0-or-later
//
// The games of a run: one SQLite file in WAL mode, one row a game. A game is in it wholly or not at
// all, whatever is killed when; several processes may add and read at once. A game that is there
// already (the same id) is not added twice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "train/game_record.h"

namespace khanzero {

struct StoredGame {
  int64_t sequence = 0;  // rises with every game added
  std::string bytes;     // the record, as SerializeRecord made it
};

struct StoreTotals {
  int64_t games = 0;
  int64_t positions = 0;  // samples
  int64_t plies = 0;
  int64_t bytes = 0;  // of records
};

class ReplayStore {
 public:
  enum class Access { kReadWrite, kReadOnly };

  // Opens or creates the file. Throws InputError when it is no replay store or belongs to another
  // game, RuntimeFailure when it cannot be opened.
  ReplayStore(const std::filesystem::path& path, const std::string& game, Access access);
  ~ReplayStore();
  ReplayStore(ReplayStore&&) noexcept;

  // Adds games in one transaction: when it returns they are on the disk. Returns how many were new.
  // Throws RuntimeFailure (a full disk, say); then none was added.
  int Add(std::span<const GameRecord> games);

  // Calls `visit` for the games after `sequence`, oldest first, at most `limit`; returns how many.
  int64_t ReadAfter(int64_t sequence, int64_t limit,
                    const std::function<void(StoredGame)>& visit) const;

  // Calls `visit` for the games with numbers from `first` to below `end`, by rising number.
  void ReadNumbered(uint64_t first, uint64_t end,
                    const std::function<void(StoredGame)>& visit) const;

  // Which games are wanted first.
  enum class Order { kNewest, kLongest, kShortest };
  // At most `limit` of the newest `among` games, in that order; of equal lengths the newest first.
  std::vector<StoredGame> First(Order order, int64_t limit, int64_t among) const;

  // The sequence after which the newest games begin that together have at least `positions`
  // samples; 0 when all of them are needed.
  int64_t SequenceBeforeNewest(int64_t positions) const;

  StoreTotals Totals() const;

  // The first of a block of game numbers that no other caller gets, of this store, ever. Numbers
  // below the first block are those of the run's own process.
  uint64_t ClaimNumbers();

  // The game numbers that are stored, rising.
  std::vector<uint64_t> GameNumbers() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace khanzero
