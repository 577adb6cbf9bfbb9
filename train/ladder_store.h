// SPDX-License-Identifier: GPL-3.0-or-later
//
// The games that rate a run's checkpoints: one SQLite file, ladder.db, one row a game, written as
// the game ends. Games are played in batches of pairs that are entered before they begin, so that
// what a killed process left unfinished can be finished with the same openings. Every batch belongs
// to conditions (nodes, openings, ...): only games of equal conditions are rated together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "play/match_result.h"

namespace khanzero {

// A player of the ladder as the store keeps it.
struct LadderIdentity {
  int64_t id = 0;
  std::string key;   // who it is: equal keys mean equal play; a checkpoint's has its checksum
  std::string name;  // for people
  // Of checkpoints of the run.
  std::optional<int64_t> step{};
  std::optional<int64_t> games{};  // of self-play, when it was written
  std::optional<double> hours{};   // of training
};

struct LadderBatch {
  int64_t id = 0;
  int64_t a = 0;  // players' ids
  int64_t b = 0;
  int pairs = 0;
  int missing = 0;  // games that are still to be played
};

struct LadderGame {
  std::string round;  // of its batch: "3.2" is the second game of the third pair
  int64_t white = 0;
  int64_t black = 0;
  std::string result;  // "1-0", "0-1", "1/2-1/2"
  std::string pgn;
};

// All games of two players with these sides.
struct LadderResults {
  int64_t white = 0;
  int64_t black = 0;
  int64_t white_wins = 0;
  int64_t draws = 0;
  int64_t black_wins = 0;
};

// Not thread-safe.
class LadderStore {
 public:
  // Opens or makes the file. Throws as OpenSqliteFile does.
  LadderStore(const std::filesystem::path& path, const std::string& game);
  ~LadderStore();
  LadderStore(const LadderStore&) = delete;
  LadderStore& operator=(const LadderStore&) = delete;

  // Enters a player, or brings the one with its key up to date; returns its id. What is not given
  // stays as it was.
  int64_t EnterPlayer(const LadderIdentity& player);
  int64_t EnterConditions(const std::string& text);
  LadderBatch EnterBatch(int64_t conditions, int64_t a, int64_t b, int pairs);
  // A game that is there already stays as it is; false then.
  bool AddGame(const LadderBatch& batch, const LadderGame& game);

  // The games of a batch that are there: which, and their results.
  std::vector<FinishedGame> Finished(const LadderBatch& batch) const;
  // Players that have a game under these conditions.
  std::vector<LadderIdentity> Players(int64_t conditions) const;
  std::vector<LadderResults> Results(int64_t conditions) const;
  // The games as PGN, of all conditions, the newest batch first; at most `most`.
  std::vector<std::string> Pgns(int64_t most) const;
  // Batches with games still to play.
  std::vector<LadderBatch> OpenBatches(int64_t conditions) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace khanzero
