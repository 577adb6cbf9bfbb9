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
#include <string_view>
#include <vector>

#include "train/game_record.h"

namespace khanzero {

// What a row repeats of its record, so that it can be counted without being read.
struct StoredColumns {
  uint64_t id = 0;
  uint64_t number = 0;
  int64_t network_step = 0;
  int64_t plies = 0;
  int64_t positions = 0;
  int64_t result = 0;
  int64_t reason = 0;

  friend bool operator==(const StoredColumns&, const StoredColumns&) = default;
};

StoredColumns ColumnsOf(const GameRecord& record);

struct StoredGame {
  int64_t sequence = 0;  // rises with every game added
  std::string bytes;     // the record, as SerializeRecord made it
  StoredColumns columns;
};

struct StoreTotals {
  int64_t games = 0;
  int64_t positions = 0;  // samples
  int64_t plies = 0;
  int64_t bytes = 0;  // of records
};

// What was deleted from a store, ever.
struct PrunedTotals {
  int64_t games = 0;
  int64_t positions = 0;
  uint64_t numbers_below = 0;  // no game with a number below this is to be played any more
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
  // The same for records as SerializeRecord made them, which are kept as they are; says of each
  // whether it was new.
  struct SerializedGame {
    StoredColumns columns;
    std::string_view bytes;
  };
  std::vector<bool> AddSerialized(std::span<const SerializedGame> games);

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
  // The same of the games up to `sequence`.
  StoreTotals TotalsThrough(int64_t sequence) const;
  PrunedTotals Pruned() const;
  // Games and positions of Totals() and Pruned() together.
  StoreTotals MadeTotals() const;

  // The first of a block of game numbers that no other caller gets, of this store, ever. Numbers
  // below the first block are those of the run's own process.
  uint64_t ClaimNumbers();

  // The game numbers that are stored, rising.
  std::vector<uint64_t> GameNumbers() const;

  // Deletes the games up to `sequence` and adds them to Pruned(), in one transaction. Throws
  // RuntimeFailure; then none was deleted.
  void Prune(int64_t sequence);
  // Gives the room of deleted games back to the disk; needs as much room as the games that are left
  // take, twice. Throws RuntimeFailure; the games are as they were then.
  void Compact();

  // Writes all of it to a new file `path`, as it is at one moment. Throws RuntimeFailure.
  void CopyTo(const std::filesystem::path& path) const;

  // What SQLite finds wrong with the file itself; empty when all is well.
  std::vector<std::string> FileProblems() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace khanzero
