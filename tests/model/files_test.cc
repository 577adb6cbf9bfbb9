// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "env/error.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;

TEST(Files, WrittenBytesAreReadBack) {
  const TempFolder folder;
  const std::string bytes("a\0b\n", 4);
  WriteFileDurably(folder / "f", "something longer than what follows");
  WriteFileDurably(folder / "f", bytes);
  EXPECT_EQ(ReadFile(folder / "f"), bytes);
  WriteFileDurably(folder / "empty", "");
  EXPECT_EQ(ReadFile(folder / "empty"), "");
  EXPECT_EQ(folder.entries(), 2);
}

TEST(Files, MissingFileAndFolderAreInputErrors) {
  const TempFolder folder;
  EXPECT_THROWS_WITH(ReadFile(folder / "none"), InputError, "there is no file");
  EXPECT_THROWS_WITH(ReadFile(folder.path()), InputError, "not a regular file");
  // Nobody will ever write to it.
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROWS_WITH(ReadFile(folder / "pipe"), InputError, "not a regular file");
}

TEST(Files, AFileAboveTheLimitIsRefusedAndItsStartCanBeRead) {
  const TempFolder folder;
  WriteNewFile(folder / "f", "12345");
  EXPECT_EQ(ReadFile(folder / "f", 5), "12345");
  EXPECT_THROWS_WITH(ReadFile(folder / "f", 4), InputError, "has 5 bytes; at most 4 are read");
  EXPECT_EQ(ReadFileStart(folder / "f", 2), "12");
  EXPECT_EQ(ReadFileStart(folder / "f", 9), "12345");
  // Claims terabytes and takes no room: no memory is taken for it either.
  std::filesystem::resize_file(folder / "f", uintmax_t{1} << 43);
  EXPECT_THROWS_WITH(ReadFile(folder / "f", 1 << 20), InputError, "at most 1048576");
}

TEST(Files, FailedWriteLeavesTheOldContentAndNoLitter) {
  const TempFolder folder;
  // A folder with content under that name: the rename must fail.
  fs::create_directories(folder / "f/inner");
  EXPECT_THROW(WriteFileDurably(folder / "f", "x"), RuntimeFailure);
  EXPECT_TRUE(fs::is_directory(folder / "f/inner"));
  EXPECT_EQ(folder.entries(), 1);
  EXPECT_THROWS_WITH(WriteFileDurably(folder / "none/f", "x"), RuntimeFailure, "No such file");
}

// The limit on a file's size stands in for a full disk: the write fails half way.
TEST(Files, WriteThatFailsHalfWaySaysWhyAndKeepsTheOldContent) {
  const TempFolder folder;
  WriteFileDurably(folder / "f", "old");
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler_before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROWS_WITH(WriteFileDurably(folder / "f", std::string(5000, 'x')), RuntimeFailure,
                     "File too large");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler_before);
  EXPECT_EQ(ReadFile(folder / "f"), "old");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(Files, FolderReplacesFolderWithContent) {
  const TempFolder folder;
  for (const std::string content : {"old", "new"}) {
    const fs::path aside = NameAside(folder / "c");
    fs::create_directory(aside);
    WriteNewFile(aside / content, content);
    ReplaceFolder(aside, folder / "c/");
    EXPECT_EQ(ReadFile(folder / "c" / content), content);
    EXPECT_EQ(folder.entries(), 1);
  }
  EXPECT_FALSE(fs::exists(folder / "c/old"));
}

TEST(Files, RemoveUnfinishedDeletesOnlyWhatWasWrittenAside) {
  const TempFolder folder;
  WriteNewFile(folder / "kept", "x");
  WriteNewFile(NameAside(folder / "a"), "x");
  fs::create_directory(NameAside(folder / "b/"));
  RemoveUnfinished(folder.path());
  EXPECT_EQ(folder.entries(), 1);
  EXPECT_TRUE(fs::exists(folder / "kept"));
}

TEST(Files, ChecksumIsThatOfXxh3) {
  EXPECT_EQ(ChecksumOf(""), "2d06800538d394c2");  // published test vector of XXH3
  EXPECT_NE(ChecksumOf("a"), ChecksumOf("b"));
}

}  // namespace
}  // namespace khanzero
