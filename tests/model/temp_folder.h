// SPDX-License-Identifier: GPL-3.0-or-later
//
// A folder that a test may fill, deleted at its end.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace khanzero {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "khanzero-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  // How many entries lie in it: to see that nothing is left behind.
  long entries() const {
    return std::distance(std::filesystem::directory_iterator(path_),
                         std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

// Expects that `statement` throws `exception` with `part` in its text.
#define EXPECT_THROWS_WITH(statement, exception, part)                          \
  try {                                                                         \
    statement;                                                                  \
    ADD_FAILURE() << "nothing was thrown, expected: " << (part);                \
  } catch (const exception& e) {                                                \
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what(); \
  }

}  // namespace khanzero
