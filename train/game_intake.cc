// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/game_intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

#include "env/error.h"
#include "env/random.h"

namespace khanzero {

namespace {

// Of an actor: it comes from outside and goes into logs.
std::string Named(const std::string& actor) {
  return actor.empty() ? "unknown" : PrintableName(actor);
}

}  // namespace

GameIntake::GameIntake(const Config& config, std::string run_id, const std::filesystem::path& store,
                       int threads)
    : config_(config),
      run_id_(std::move(run_id)),
      threads_(std::max(1, threads)),
      replayer_(MakeReplayer(config.game)),
      store_(store, config.game, ReplayStore::Access::kReadWrite) {}

GameIntake::Examined GameIntake::Examine(const std::string& bytes) const {
  if (bytes.size() > kMostRecordBytes) {
    return {.refusal = Refusal::kSize,
            .why = fmt::format("{} bytes, {} are allowed", bytes.size(), kMostRecordBytes)};
  }
  GameRecord record;
  try {
    record = ParseRecord(bytes);
  } catch (const InputError& e) {
    return {.refusal = Refusal::kDamage, .why = e.what()};
  }
  const GameInfo& info = replayer_->info();
  if (record.game != info.name || record.rules_version != info.rules_version ||
      record.settings.kings_landing != config_.kings_landing) {
    return {.refusal = Refusal::kGame,
            .why = fmt::format("'{}', rules {}, King's Landing {}; the run has '{}', {}, {}",
                               PrintableName(record.game), record.rules_version,
                               record.settings.kings_landing, info.name, info.rules_version,
                               config_.kings_landing)};
  }
  // An id follows from seed and number: nobody can take one that is another game's.
  if (record.seed != config_.seed || record.id != Mix64(Mix64(record.seed) + record.number)) {
    return {.refusal = Refusal::kSeed, .why = "its id or seed is not one of this run"};
  }
  try {
    replayer_->Replay(record);
  } catch (const InputError& e) {
    return {.refusal = Refusal::kRules, .why = e.what()};
  }
  return {.record = std::move(record)};
}

std::vector<GameIntake::Examined> GameIntake::ExamineAll(
    const std::vector<const std::string*>& records) const {
  std::vector<Examined> examined(records.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < records.size(); i = next++) examined[i] = Examine(*records[i]);
  };
  // For a few records no thread is worth its start.
  constexpr size_t kRecordsAThread = 32;
  const size_t others =
      std::min(static_cast<size_t>(threads_ - 1), records.size() / kRecordsAThread);
  std::vector<std::future<void>> working;
  for (size_t t = 0; t < others; ++t) working.push_back(std::async(std::launch::async, work));
  work();
  for (std::future<void>& done : working) done.get();
  return examined;
}

void GameIntake::Refuse(Refusal refusal, const std::string& actor, const std::string& why) {
  const std::string reason(kRefusalNames[static_cast<size_t>(refusal)]);
  const std::scoped_lock lock(mutex_);
  ++figures_.refused;
  if (figures_.refusals[reason]++ == 0) {
    notes_.push_back("Warning: refused a game of actor " + actor + ": " + reason + " (" + why +
                     "). More of this kind are counted, not said");
  }
  if (figures_.by_actor.contains(actor) || figures_.by_actor.size() < IntakeFigures::kMostActors) {
    ++figures_.by_actor[actor];
  }
}

bool GameIntake::Accepts(const GameBatch& batch) {
  const std::string actor = Named(batch.actor);
  if (!batch.fault.empty()) {
    Refuse(Refusal::kEntry, actor, batch.fault);
  } else if (batch.run != run_id_) {
    Refuse(Refusal::kRun, actor, "of run " + Named(batch.run) + ", this is " + run_id_);
  } else if (batch.protocol != std::to_string(kActorProtocol)) {
    Refuse(Refusal::kProtocol, actor,
           "protocol " + Named(batch.protocol) + ", this is " + std::to_string(kActorProtocol));
  } else {
    return true;
  }
  return false;
}

void GameIntake::Take(std::span<const GameBatch> batches) {
  std::vector<const std::string*> records;
  std::vector<const GameBatch*> senders;
  for (const GameBatch& batch : batches) {
    if (!Accepts(batch)) continue;
    for (const std::string& record : batch.records) {
      records.push_back(&record);
      senders.push_back(&batch);
    }
  }
  const std::vector<Examined> examined = ExamineAll(records);
  std::vector<ReplayStore::SerializedGame> good;
  std::vector<const GameRecord*> games;
  for (size_t i = 0; i < examined.size(); ++i) {
    if (!examined[i].record) {
      Refuse(examined[i].refusal, Named(senders[i]->actor), Printable(examined[i].why));
      continue;
    }
    games.push_back(&*examined[i].record);
    good.push_back({.columns = ColumnsOf(*games.back()), .bytes = *records[i]});
  }
  if (good.empty()) return;
  const std::vector<bool> added = store_.AddSerialized(good);
  const std::scoped_lock lock(mutex_);
  for (size_t i = 0; i < games.size(); ++i) {
    if (added[i]) games_.Count(*games[i]);
    ++(added[i] ? figures_.games : figures_.duplicates);
  }
}

CycleGames GameIntake::TakeGames() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(games_, {});
}

std::vector<std::string> GameIntake::TakeNotes() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(notes_, {});
}

IntakeFigures GameIntake::figures() const {
  const std::scoped_lock lock(mutex_);
  return figures_;
}

}  // namespace khanzero
