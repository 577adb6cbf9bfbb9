// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the SQLite files of a run have in common: how they are opened, how they say what they are,
// and how SQLite's errors become ours.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

#include "env/error.h"

namespace khanzero {

struct SqliteFileKind {
  const char* name = "";   // "replay store"
  int application_id = 0;  // marks the file as ours in SQLite's own header
  int version = 0;
  const char* schema = "";  // makes what is not there yet; table `properties` included
};

// Every SQLite error leaves here as ours, with the file's name.
template <class F>
auto Guarded(const SqliteFileKind& kind, const std::string& path, const char* doing, F&& f) {
  try {
    return f();
  } catch (const SQLite::Exception& e) {
    const int code = e.getErrorCode() & 0xFF;
    const std::string text =
        std::string(kind.name) + " '" + path + "': " + doing + " failed: " + e.what();
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
      throw InputError(text + "; the file is damaged or is not a " + kind.name);
    }
    if (code == SQLITE_FULL) throw RuntimeFailure(text + "; make room on the disk and run again");
    throw RuntimeFailure(text);
  }
}

// Empty when it was never set.
std::string SqliteProperty(const SQLite::Database& db, const char* key);

enum class SqliteAccess { kReadWrite, kReadOnly };

// Opens the file, or makes it when it may be written: in WAL mode, and synced at every commit, so
// that what was acknowledged survives a power cut, too. Throws InputError when it does not exist,
// is no file of this kind or version, or belongs to another game; RuntimeFailure when it cannot be
// opened.
SQLite::Database OpenSqliteFile(const SqliteFileKind& kind, const std::filesystem::path& path,
                                const std::string& game, SqliteAccess access);

}  // namespace khanzero
