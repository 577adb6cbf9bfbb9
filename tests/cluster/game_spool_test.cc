// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/game_spool.h"

#include <gtest/gtest.h>

#include <fstream>

#include "env/error.h"
#include "model/files.h"
#include "tests/train/sample_games.h"

namespace khanzero {
namespace {

constexpr int64_t kMuch = int64_t{1} << 30;

// Everything that is in a spool, oldest first; it is empty after that.
std::vector<std::string> Drain(GameSpool& spool) {
  std::vector<std::string> records;
  while (spool.games() > 0) {
    for (const std::string& record : spool.Oldest()) records.push_back(record);
    spool.DropOldest();
  }
  return records;
}

TEST(GameSpool, KeepsGamesInOrderInMemoryAndInAFolder) {
  const ScratchFolder folder;
  for (const std::filesystem::path& where : {std::filesystem::path(), folder.path() / "spool"}) {
    GameSpool spool(where, kMuch);
    std::vector<std::string> added;
    for (int i = 0; i < 200; ++i) {
      added.push_back("game " + std::to_string(i));
      spool.Add(added.back());
    }
    EXPECT_TRUE(spool.ready());  // a whole batch
    EXPECT_EQ(spool.games(), 200);
    EXPECT_EQ(Drain(spool), added);
    EXPECT_EQ(spool.bytes(), 0);
    EXPECT_FALSE(spool.ready());
  }
}

TEST(GameSpool, ABatchIsSmall) {
  GameSpool spool({}, kMuch);
  for (int i = 0; i < 65; ++i) spool.Add("x");
  EXPECT_EQ(spool.Oldest().size(), 64u);
  spool.DropOldest();
  spool.Oldest();
  spool.DropOldest();
  spool.Add(std::string(300'000, 'x'));
  spool.Add("y");
  EXPECT_EQ(spool.Oldest().size(), 1u);
}

TEST(GameSpool, TheNextProcessHasWhatAKilledOneLeft) {
  const ScratchFolder folder;
  // What a process that was killed while it wrote leaves: its last record is not whole.
  {
    GameSpool spool(folder.path(), kMuch);
    for (int i = 0; i < 70; ++i) spool.Add("game " + std::to_string(i));
  }
  std::ofstream(folder.path() / "000000000002.games", std::ios::app | std::ios::binary)
      << std::string("\x64\0\0\0torn", 8);
  std::ofstream(folder.path() / "000000000003.games") << "";
  GameSpool spool(folder.path(), kMuch);
  EXPECT_EQ(spool.games(), 70);
  spool.Add("new");
  std::vector<std::string> records = Drain(spool);
  ASSERT_EQ(records.size(), 71u);
  EXPECT_EQ(records[0], "game 0");
  EXPECT_EQ(records[69], "game 69");
  EXPECT_EQ(records[70], "new");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_NE(entry.path().extension(), ".games") << entry.path();
  }
}

TEST(GameSpool, IsFullAtItsBound) {
  GameSpool spool({}, 100);
  spool.Add(std::string(99, 'x'));
  EXPECT_FALSE(spool.full());
  spool.Add("x");
  EXPECT_TRUE(spool.full());
  spool.Oldest();
  spool.DropOldest();
  EXPECT_FALSE(spool.full());
}

TEST(GameSpool, AFolderHasOneProcess) {
  const ScratchFolder folder;
  const GameSpool spool(folder.path(), kMuch);
  EXPECT_THROW(GameSpool(folder.path(), kMuch), InputError);
}

TEST(GameSpool, GamesOfAnotherRunAreNotMixedIn) {
  const ScratchFolder folder;
  {
    GameSpool spool(folder.path(), kMuch);
    spool.BelongTo("one");
    spool.Add("game");
  }
  {
    GameSpool spool(folder.path(), kMuch);
    EXPECT_THROW(spool.BelongTo("another"), InputError);
    spool.BelongTo("one");
    spool.Sync();
    Drain(spool);
    spool.BelongTo("another");  // an empty one may change hands
  }
  GameSpool spool(folder.path(), kMuch);
  spool.BelongTo("another");
  EXPECT_EQ(ReadFile(folder.path() / "run"), "another\n");
}

}  // namespace
}  // namespace khanzero
