// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/ladder_store.h"

#include "train/sqlite_file.h"

namespace khanzero {

namespace {

// "KZld"
constexpr SqliteFileKind kKind = {
    .name = "ladder's store", .application_id = 0x4B5A6C64, .version = 1, .schema = R"(
CREATE TABLE IF NOT EXISTS properties (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS players (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  step INTEGER,
  games INTEGER,
  hours REAL
);
CREATE TABLE IF NOT EXISTS conditions (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS batches (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conditions INTEGER NOT NULL REFERENCES conditions,
  a INTEGER NOT NULL REFERENCES players,
  b INTEGER NOT NULL REFERENCES players,
  pairs INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS games (
  batch INTEGER NOT NULL REFERENCES batches,
  round TEXT NOT NULL,
  white INTEGER NOT NULL REFERENCES players,
  black INTEGER NOT NULL REFERENCES players,
  result TEXT NOT NULL,
  ended TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  pgn TEXT NOT NULL,
  PRIMARY KEY (batch, round)
) WITHOUT ROWID;
)"};

template <class T>
void BindOrNull(SQLite::Statement& statement, int place, const std::optional<T>& value) {
  value ? statement.bind(place, *value) : statement.bind(place);
}

std::optional<int64_t> WholeOrNothing(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  return column.getInt64();
}

}  // namespace

struct LadderStore::Impl {
  std::string path;
  SQLite::Database database;

  template <class F>
  auto Guard(const char* doing, F&& f) {
    return Guarded(kKind, path, doing, std::forward<F>(f));
  }
};

LadderStore::LadderStore(const std::filesystem::path& path, const std::string& game)
    : impl_(std::make_unique<Impl>(
          Impl{path.string(), OpenSqliteFile(kKind, path, game, SqliteAccess::kReadWrite)})) {}

LadderStore::~LadderStore() = default;

int64_t LadderStore::EnterPlayer(const LadderIdentity& player) {
  return impl_->Guard("entering a player", [&] {
    SQLite::Statement enter(
        impl_->database,
        "INSERT INTO players (key, name, step, games, hours) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (key) DO UPDATE SET name = excluded.name, step = coalesce(excluded.step, "
        "step), games = coalesce(excluded.games, games), hours = coalesce(excluded.hours, hours) "
        "RETURNING id");
    enter.bind(1, player.key);
    enter.bind(2, player.name);
    BindOrNull(enter, 3, player.step);
    BindOrNull(enter, 4, player.games);
    BindOrNull(enter, 5, player.hours);
    enter.executeStep();
    const int64_t id = enter.getColumn(0).getInt64();
    enter.executeStep();
    return id;
  });
}

int64_t LadderStore::EnterConditions(const std::string& text) {
  return impl_->Guard("entering conditions", [&] {
    SQLite::Statement enter(impl_->database,
                            "INSERT INTO conditions (text) VALUES (?) "
                            "ON CONFLICT (text) DO UPDATE SET text = text RETURNING id");
    enter.bind(1, text);
    enter.executeStep();
    const int64_t id = enter.getColumn(0).getInt64();
    enter.executeStep();
    return id;
  });
}

LadderBatch LadderStore::EnterBatch(int64_t conditions, int64_t a, int64_t b, int pairs) {
  return impl_->Guard("entering a batch", [&] {
    SQLite::Statement enter(impl_->database,
                            "INSERT INTO batches (conditions, a, b, pairs) VALUES (?, ?, ?, ?)");
    enter.bind(1, conditions);
    enter.bind(2, a);
    enter.bind(3, b);
    enter.bind(4, pairs);
    enter.exec();
    return LadderBatch{.id = impl_->database.getLastInsertRowid(),
                       .a = a,
                       .b = b,
                       .pairs = pairs,
                       .missing = 2 * pairs};
  });
}

bool LadderStore::AddGame(const LadderBatch& batch, const LadderGame& game) {
  return impl_->Guard("adding a game", [&] {
    SQLite::Statement add(impl_->database,
                          "INSERT OR IGNORE INTO games (batch, round, white, black, result, pgn) "
                          "VALUES (?, ?, ?, ?, ?, ?)");
    add.bind(1, batch.id);
    add.bind(2, game.round);
    add.bind(3, game.white);
    add.bind(4, game.black);
    add.bind(5, game.result);
    add.bind(6, game.pgn);
    return add.exec() > 0;
  });
}

std::vector<FinishedGame> LadderStore::Finished(const LadderBatch& batch) const {
  return impl_->Guard("reading a batch", [&] {
    SQLite::Statement query(impl_->database, "SELECT round, result FROM games WHERE batch = ?");
    query.bind(1, batch.id);
    std::vector<FinishedGame> games;
    while (query.executeStep()) {
      const std::string round_text = query.getColumn(0).getString();
      const std::string result_text = query.getColumn(1).getString();
      const auto round = ParseRound(round_text);
      const auto result = ParseResult(result_text);
      if (!round || !result) {
        throw InputError("ladder's store '" + impl_->path + "': game '" + Printable(round_text) +
                         "' of batch " + std::to_string(batch.id) + " has the result '" +
                         Printable(result_text) + "'; the file is damaged");
      }
      games.push_back({.round = *round, .result = *result});
    }
    return games;
  });
}

std::vector<LadderIdentity> LadderStore::Players(int64_t conditions) const {
  return impl_->Guard("reading players", [&] {
    SQLite::Statement query(
        impl_->database,
        "SELECT id, key, name, step, games, hours FROM players WHERE id IN (SELECT white FROM "
        "games JOIN batches ON batch = id WHERE conditions = ?1 UNION SELECT black FROM games JOIN "
        "batches ON batch = id WHERE conditions = ?1) ORDER BY id");
    query.bind(1, conditions);
    std::vector<LadderIdentity> players;
    while (query.executeStep()) {
      const SQLite::Column hours = query.getColumn(5);
      players.push_back(
          {.id = query.getColumn(0).getInt64(),
           .key = query.getColumn(1).getString(),
           .name = query.getColumn(2).getString(),
           .step = WholeOrNothing(query.getColumn(3)),
           .games = WholeOrNothing(query.getColumn(4)),
           .hours = hours.isNull() ? std::nullopt : std::optional(hours.getDouble())});
    }
    return players;
  });
}

std::vector<LadderResults> LadderStore::Results(int64_t conditions) const {
  return impl_->Guard("reading games", [&] {
    SQLite::Statement query(
        impl_->database,
        "SELECT white, black, SUM(result = '1-0'), SUM(result = '1/2-1/2'), SUM(result = '0-1') "
        "FROM games JOIN batches ON batch = id WHERE conditions = ? GROUP BY white, black "
        "ORDER BY white, black");
    query.bind(1, conditions);
    std::vector<LadderResults> results;
    while (query.executeStep()) {
      const auto whole = [&](int column) { return query.getColumn(column).getInt64(); };
      results.push_back({.white = whole(0),
                         .black = whole(1),
                         .white_wins = whole(2),
                         .draws = whole(3),
                         .black_wins = whole(4)});
    }
    return results;
  });
}

std::vector<std::string> LadderStore::Pgns(int64_t most) const {
  return impl_->Guard("reading games", [&] {
    SQLite::Statement query(impl_->database,
                            "SELECT pgn FROM games ORDER BY batch DESC, ended, round LIMIT ?");
    query.bind(1, most);
    std::vector<std::string> pgns;
    while (query.executeStep()) pgns.push_back(query.getColumn(0).getString());
    return pgns;
  });
}

std::vector<LadderBatch> LadderStore::OpenBatches(int64_t conditions) const {
  return impl_->Guard("reading batches", [&] {
    SQLite::Statement query(
        impl_->database,
        "SELECT id, a, b, pairs, 2 * pairs - (SELECT COUNT(*) FROM games WHERE batch = id) AS "
        "missing FROM batches WHERE conditions = ? AND missing > 0 ORDER BY id");
    query.bind(1, conditions);
    std::vector<LadderBatch> batches;
    while (query.executeStep()) {
      batches.push_back({.id = query.getColumn(0).getInt64(),
                         .a = query.getColumn(1).getInt64(),
                         .b = query.getColumn(2).getInt64(),
                         .pairs = query.getColumn(3).getInt(),
                         .missing = query.getColumn(4).getInt()});
    }
    return batches;
  });
}

}  // namespace khanzero
