// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/replay_store.h"

#include <algorithm>
#include <limits>

#include "env/error.h"
#include "train/sqlite_file.h"

namespace khanzero {

namespace {

constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS properties (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS games (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id INTEGER NOT NULL UNIQUE,
  number INTEGER NOT NULL,
  network_step INTEGER NOT NULL,
  plies INTEGER NOT NULL,
  positions INTEGER NOT NULL,
  result INTEGER NOT NULL,
  reason INTEGER NOT NULL,
  record BLOB NOT NULL
);
)";

// "KZrs"
constexpr SqliteFileKind kKind = {
    .name = "replay store", .application_id = 0x4B5A7273, .version = 1, .schema = kSchema};

template <class F>
auto Guarded(const std::string& path, const char* doing, F&& f) {
  return Guarded(kKind, path, doing, std::forward<F>(f));
}

// What a query reads of a game, for GameOf().
constexpr const char* kGameColumns =
    "SELECT sequence, record, id, number, network_step, plies, positions, result, reason FROM "
    "games ";

StoredGame GameOf(SQLite::Statement& row) {
  const SQLite::Column record = row.getColumn(1);
  const auto whole = [&](int column) { return row.getColumn(column).getInt64(); };
  return {.sequence = whole(0),
          .bytes = std::string(static_cast<const char*>(record.getBlob()),
                               static_cast<size_t>(record.getBytes())),
          .columns = {.id = static_cast<uint64_t>(whole(2)),
                      .number = static_cast<uint64_t>(whole(3)),
                      .network_step = whole(4),
                      .plies = whole(5),
                      .positions = whole(6),
                      .result = whole(7),
                      .reason = whole(8)}};
}

// A property that counts; 0 when it was never set.
uint64_t CountProperty(const SQLite::Database& db, const char* key) {
  SQLite::Statement query(db, "SELECT CAST(value AS INTEGER) FROM properties WHERE key = ?");
  query.bind(1, key);
  return query.executeStep() ? static_cast<uint64_t>(query.getColumn(0).getInt64()) : 0;
}

constexpr uint64_t kNumbersInBlock = uint64_t{1} << 40;

constexpr const char* kPrunedGames = "pruned_games";
constexpr const char* kPrunedPositions = "pruned_positions";
constexpr const char* kPrunedNumbersBelow = "pruned_numbers_below";

PrunedTotals ReadPruned(const SQLite::Database& db) {
  return {.games = static_cast<int64_t>(CountProperty(db, kPrunedGames)),
          .positions = static_cast<int64_t>(CountProperty(db, kPrunedPositions)),
          .numbers_below = CountProperty(db, kPrunedNumbersBelow)};
}

}  // namespace

StoredColumns ColumnsOf(const GameRecord& record) {
  return {.id = record.id,
          .number = record.number,
          .network_step = record.last_network_step,
          .plies = static_cast<int64_t>(record.move_ranks.size()),
          .positions = static_cast<int64_t>(record.samples.size()),
          .result = static_cast<int64_t>(record.outcome.result),
          .reason = static_cast<int64_t>(record.outcome.reason)};
}

struct ReplayStore::Impl {
  std::string path;
  SQLite::Database database;
};

ReplayStore::ReplayStore(const std::filesystem::path& path, const std::string& game, Access access)
    : impl_(std::make_unique<Impl>(Impl{
          path.string(), OpenSqliteFile(kKind, path, game,
                                        access == Access::kReadWrite ? SqliteAccess::kReadWrite
                                                                     : SqliteAccess::kReadOnly)})) {
}

ReplayStore::~ReplayStore() = default;
ReplayStore::ReplayStore(ReplayStore&&) noexcept = default;

int ReplayStore::Add(std::span<const GameRecord> games) {
  std::vector<std::string> bytes;
  std::vector<SerializedGame> serialized;
  for (const GameRecord& game : games) bytes.push_back(SerializeRecord(game));
  for (size_t i = 0; i < games.size(); ++i) {
    serialized.push_back({.columns = ColumnsOf(games[i]), .bytes = bytes[i]});
  }
  const std::vector<bool> added = AddSerialized(serialized);
  return static_cast<int>(std::count(added.begin(), added.end(), true));
}

std::vector<bool> ReplayStore::AddSerialized(std::span<const SerializedGame> games) {
  return Guarded(impl_->path, "adding games", [&] {
    SQLite::Database& db = impl_->database;
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement insert(
        db,
        "INSERT OR IGNORE INTO games (id, number, network_step, plies, positions, result, reason, "
        "record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    std::vector<bool> added;
    for (const SerializedGame& game : games) {
      const StoredColumns& columns = game.columns;
      insert.bind(1, static_cast<int64_t>(columns.id));
      insert.bind(2, static_cast<int64_t>(columns.number));
      insert.bind(3, columns.network_step);
      insert.bind(4, columns.plies);
      insert.bind(5, columns.positions);
      insert.bind(6, columns.result);
      insert.bind(7, columns.reason);
      insert.bind(8, game.bytes.data(), static_cast<int>(game.bytes.size()));
      added.push_back(insert.exec() > 0);
      insert.reset();
    }
    transaction.commit();
    return added;
  });
}

namespace {

// Visits the rows of a query for sequence and record; returns how many there were.
int64_t VisitGames(SQLite::Statement& query, const std::function<void(StoredGame)>& visit) {
  int64_t count = 0;
  for (; query.executeStep(); ++count) visit(GameOf(query));
  return count;
}

}  // namespace

int64_t ReplayStore::ReadAfter(int64_t sequence, int64_t limit,
                               const std::function<void(StoredGame)>& visit) const {
  return Guarded(impl_->path, "reading games", [&] {
    SQLite::Statement query(impl_->database, std::string(kGameColumns) +
                                                 "WHERE sequence > ? ORDER BY sequence LIMIT ?");
    query.bind(1, sequence);
    query.bind(2, limit);
    return VisitGames(query, visit);
  });
}

void ReplayStore::ReadNumbered(uint64_t first, uint64_t end,
                               const std::function<void(StoredGame)>& visit) const {
  Guarded(impl_->path, "reading games", [&] {
    SQLite::Statement query(
        impl_->database,
        std::string(kGameColumns) + "WHERE number >= ? AND number < ? ORDER BY number");
    query.bind(1, static_cast<int64_t>(first));
    query.bind(2, static_cast<int64_t>(end));
    return VisitGames(query, visit);
  });
}

std::vector<StoredGame> ReplayStore::First(Order order, int64_t limit, int64_t among) const {
  return Guarded(impl_->path, "reading games", [&] {
    const std::string by_length = order == Order::kLongest    ? "plies DESC, "
                                  : order == Order::kShortest ? "plies ASC, "
                                                              : "";
    // Lengths are compared before any record is read: records are most of the file.
    SQLite::Statement query(
        impl_->database,
        std::string(kGameColumns) +
            "WHERE sequence IN (SELECT sequence FROM (SELECT sequence, plies FROM games ORDER BY "
            "sequence DESC LIMIT ?) ORDER BY " +
            by_length + "sequence DESC LIMIT ?) ORDER BY " + by_length + "sequence DESC");
    query.bind(1, among);
    query.bind(2, limit);
    std::vector<StoredGame> games;
    while (query.executeStep()) games.push_back(GameOf(query));
    return games;
  });
}

int64_t ReplayStore::SequenceBeforeNewest(int64_t positions) const {
  return Guarded(impl_->path, "reading games", [&]() -> int64_t {
    SQLite::Statement query(impl_->database,
                            "SELECT sequence, positions FROM games ORDER BY sequence DESC");
    int64_t sum = 0;
    while (query.executeStep()) {
      sum += query.getColumn(1).getInt64();
      if (sum >= positions) return query.getColumn(0).getInt64() - 1;
    }
    return 0;
  });
}

StoreTotals ReplayStore::Totals() const {
  return TotalsThrough(std::numeric_limits<int64_t>::max());
}

StoreTotals ReplayStore::TotalsThrough(int64_t sequence) const {
  return Guarded(impl_->path, "counting games", [&] {
    SQLite::Statement query(impl_->database,
                            "SELECT COUNT(*), TOTAL(positions), TOTAL(plies), "
                            "TOTAL(LENGTH(record)) FROM games WHERE sequence <= ?");
    query.bind(1, sequence);
    query.executeStep();
    const auto whole = [&](int column) {
      return static_cast<int64_t>(query.getColumn(column).getDouble());
    };
    return StoreTotals{query.getColumn(0).getInt64(), whole(1), whole(2), whole(3)};
  });
}

uint64_t ReplayStore::ClaimNumbers() {
  return Guarded(impl_->path, "claiming game numbers", [&] {
    SQLite::Database& db = impl_->database;
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    db.exec("INSERT OR IGNORE INTO properties VALUES ('blocks', '0')");
    db.exec("UPDATE properties SET value = CAST(value AS INTEGER) + 1 WHERE key = 'blocks'");
    const int64_t block =
        db.execAndGet("SELECT CAST(value AS INTEGER) FROM properties WHERE key = 'blocks'")
            .getInt64();
    transaction.commit();
    return static_cast<uint64_t>(block) * kNumbersInBlock;
  });
}

std::vector<uint64_t> ReplayStore::GameNumbers() const {
  return Guarded(impl_->path, "reading games", [&] {
    SQLite::Statement query(impl_->database, "SELECT number FROM games ORDER BY number");
    std::vector<uint64_t> numbers;
    while (query.executeStep()) {
      numbers.push_back(static_cast<uint64_t>(query.getColumn(0).getInt64()));
    }
    return numbers;
  });
}

StoreTotals ReplayStore::MadeTotals() const {
  StoreTotals totals = Totals();
  const PrunedTotals pruned = Pruned();
  totals.games += pruned.games;
  totals.positions += pruned.positions;
  return totals;
}

PrunedTotals ReplayStore::Pruned() const {
  return Guarded(impl_->path, "reading properties", [&] { return ReadPruned(impl_->database); });
}

void ReplayStore::Prune(int64_t sequence) {
  Guarded(impl_->path, "deleting games", [&] {
    SQLite::Database& db = impl_->database;
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    PrunedTotals pruned = ReadPruned(db);
    // Numbers from the first claimed block on belong to other processes, which never use them
    // again.
    SQLite::Statement count(
        db,
        "SELECT COUNT(*), TOTAL(positions), MAX(CASE WHEN number < ? THEN number + 1 ELSE 0 END) "
        "FROM games WHERE sequence <= ?");
    count.bind(1, static_cast<int64_t>(kNumbersInBlock));
    count.bind(2, sequence);
    count.executeStep();
    const int64_t games = count.getColumn(0).getInt64();
    if (games == 0) return;
    pruned.games += games;
    pruned.positions += static_cast<int64_t>(count.getColumn(1).getDouble());
    pruned.numbers_below =
        std::max(pruned.numbers_below, static_cast<uint64_t>(count.getColumn(2).getInt64()));
    count.reset();
    SQLite::Statement set(db, "INSERT OR REPLACE INTO properties VALUES (?, ?)");
    for (const auto& [key, value] :
         {std::pair{kPrunedGames, static_cast<uint64_t>(pruned.games)},
          std::pair{kPrunedPositions, static_cast<uint64_t>(pruned.positions)},
          std::pair{kPrunedNumbersBelow, pruned.numbers_below}}) {
      set.bind(1, key);
      set.bind(2, std::to_string(value));
      set.exec();
      set.reset();
    }
    SQLite::Statement remove(db, "DELETE FROM games WHERE sequence <= ?");
    remove.bind(1, sequence);
    remove.exec();
    transaction.commit();
  });
}

void ReplayStore::Compact() {
  Guarded(impl_->path, "making the file smaller", [&] {
    impl_->database.exec("VACUUM");
    // The smaller file is in the log until it is copied; a reader may keep that for later.
    SQLite::Statement checkpoint(impl_->database, "PRAGMA wal_checkpoint(TRUNCATE)");
    checkpoint.executeStep();
  });
}

void ReplayStore::CopyTo(const std::filesystem::path& path) const {
  Guarded(impl_->path, "copying it", [&] {
    SQLite::Statement copy(impl_->database, "VACUUM INTO ?");
    copy.bind(1, path.string());
    copy.exec();
  });
}

std::vector<std::string> ReplayStore::FileProblems() const {
  return Guarded(impl_->path, "looking through the file", [&] {
    std::vector<std::string> problems;
    SQLite::Statement query(impl_->database, "PRAGMA integrity_check(20)");
    while (query.executeStep()) problems.push_back(query.getColumn(0).getString());
    if (problems.size() == 1 && problems.front() == "ok") problems.clear();
    return problems;
  });
}

}  // namespace khanzero
