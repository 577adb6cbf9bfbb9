// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/sqlite_file.h"

#include <utility>

namespace khanzero {

namespace {

constexpr int kBusyTimeoutMs = 60'000;

void MakeTables(SQLite::Database& db, const SqliteFileKind& kind, const std::string& game) {
  db.exec("PRAGMA journal_mode=WAL");
  db.exec("PRAGMA synchronous=FULL");
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  db.exec("PRAGMA application_id=" + std::to_string(kind.application_id));
  db.exec(kind.schema);
  SQLite::Statement insert(db, "INSERT OR IGNORE INTO properties VALUES (?, ?)");
  for (const auto& [key, value] :
       {std::pair<std::string, std::string>{"version", std::to_string(kind.version)},
        {"game", game}}) {
    insert.bind(1, key);
    insert.bind(2, value);
    insert.exec();
    insert.reset();
  }
  transaction.commit();
}

}  // namespace

std::string SqliteProperty(const SQLite::Database& db, const char* key) {
  SQLite::Statement query(db, "SELECT value FROM properties WHERE key = ?");
  query.bind(1, key);
  return query.executeStep() ? query.getColumn(0).getString() : std::string();
}

SQLite::Database OpenSqliteFile(const SqliteFileKind& kind, const std::filesystem::path& path,
                                const std::string& game, SqliteAccess access) {
  const bool writes = access == SqliteAccess::kReadWrite;
  const std::string file = path.string();
  const std::string named = std::string(kind.name) + " '" + file + "'";
  if (!writes && !std::filesystem::exists(path)) throw InputError(named + " does not exist");
  return Guarded(kind, file, "opening", [&] {
    const int flags = writes ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE : SQLite::OPEN_READONLY;
    SQLite::Database db(file, flags, kBusyTimeoutMs);
    const int application = db.execAndGet("PRAGMA application_id").getInt();
    const int tables = db.execAndGet("SELECT COUNT(*) FROM sqlite_master").getInt();
    if (application != kind.application_id && (tables > 0 || !writes)) {
      throw InputError("'" + file + "' is not a " + kind.name + " of this program");
    }
    if (writes) MakeTables(db, kind, game);
    const std::string version = SqliteProperty(db, "version");
    if (version != std::to_string(kind.version)) {
      throw InputError(named + " has version '" + version + "', this program reads version " +
                       std::to_string(kind.version));
    }
    if (SqliteProperty(db, "game") != game) {
      throw InputError(named + " holds games of '" + SqliteProperty(db, "game") + "', but '" +
                       game + "' is wanted");
    }
    return db;
  });
}

}  // namespace khanzero
