// SPDX-License-Identifier: GPL-3.0-or-later
//
// Games from outside on their way into a run's store. Nothing of them is trusted: a record must be
// whole, of this run, and a game by the rules, so that what is in the store can be trained on. How
// they came is no matter of this file.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/config.h"
#include "train/cycle_games.h"
#include "train/game_batch.h"
#include "train/replay_store.h"
#include "train/replayed_game.h"

namespace khanzero {

inline constexpr size_t kMostRecordBytes = size_t{1} << 20;
// Why a batch or a record is not taken.
enum class Refusal { kEntry, kRun, kProtocol, kSize, kDamage, kGame, kSeed, kRules };
inline constexpr ChoiceNames<8> kRefusalNames = {
    "no batch of games",       "another run",  "another protocol", "too large", "damaged",
    "another game or version", "another seed", "not by the rules"};

struct IntakeFigures {
  int64_t games = 0;       // new in the store
  int64_t duplicates = 0;  // that were there already
  int64_t refused = 0;
  std::map<std::string, int64_t> refusals = {};  // by reason
  std::map<std::string, int64_t> by_actor = {};  // refusals; of the first kMostActors of them
  static constexpr size_t kMostActors = 100;
};

// Take() is for one thread; the rest for any.
class GameIntake {
 public:
  // `threads` look through the records. Throws as ReplayStore does.
  GameIntake(const Config& config, std::string run_id, const std::filesystem::path& store,
             int threads);

  // Stores what is good of them: when it returns it is on the disk. Throws RuntimeFailure when that
  // fails; then nothing was stored.
  void Take(std::span<const GameBatch> batches);

  // Games stored since the last call, and a line for every reason of a refusal that is new.
  CycleGames TakeGames();
  std::vector<std::string> TakeNotes();
  IntakeFigures figures() const;

 private:
  struct Examined {
    std::optional<GameRecord> record = {};
    Refusal refusal = Refusal::kDamage;
    std::string why = {};
  };

  Examined Examine(const std::string& bytes) const;
  std::vector<Examined> ExamineAll(const std::vector<const std::string*>& records) const;
  bool Accepts(const GameBatch& batch);
  void Refuse(Refusal refusal, const std::string& actor, const std::string& why);

  const Config config_;
  const std::string run_id_;
  const int threads_;
  std::unique_ptr<Replayer> replayer_;
  ReplayStore store_;

  mutable std::mutex mutex_;
  IntakeFigures figures_;           // guarded by mutex_
  CycleGames games_;                // guarded by mutex_
  std::vector<std::string> notes_;  // guarded by mutex_
};

}  // namespace khanzero
