// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/replay_store.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "env/error.h"
#include "tests/train/sample_games.h"

namespace khanzero {
namespace {

using Access = ReplayStore::Access;

std::vector<StoredGame> ReadAll(const ReplayStore& store, int64_t after = 0) {
  std::vector<StoredGame> games;
  store.ReadAfter(after, 1'000'000, [&](StoredGame game) { games.push_back(std::move(game)); });
  return games;
}

TEST(ReplayStore, GamesReadBackInOrder) {
  const ScratchFolder folder;
  const std::vector<GameRecord> games = PlayGames(SmallConfig("khans"), 10);
  ReplayStore store(folder.path() / "replay.db", "khans", Access::kReadWrite);
  EXPECT_EQ(store.Add(games), static_cast<int>(games.size()));
  const std::vector<StoredGame> stored = ReadAll(store);
  ASSERT_EQ(stored.size(), games.size());
  int64_t positions = 0;
  for (size_t i = 0; i < games.size(); ++i) {
    EXPECT_EQ(stored[i].bytes, SerializeRecord(games[i]));
    positions += static_cast<int64_t>(games[i].samples.size());
  }
  EXPECT_EQ(store.Totals().games, static_cast<int64_t>(games.size()));
  EXPECT_EQ(store.Totals().positions, positions);
  EXPECT_EQ(ReadAll(store, stored[3].sequence).size(), games.size() - 4);
}

TEST(ReplayStore, AGameIsAddedOnce) {
  const ScratchFolder folder;
  const std::vector<GameRecord> games = PlayGames(SmallConfig("khans"), 3);
  ReplayStore store(folder.path() / "replay.db", "khans", Access::kReadWrite);
  store.Add(games);
  EXPECT_EQ(store.Add(games), 0);
  EXPECT_EQ(store.Totals().games, static_cast<int64_t>(games.size()));
}

TEST(ReplayStore, NewestGamesAreFoundByPositions) {
  const ScratchFolder folder;
  const std::vector<GameRecord> games = PlayGames(SmallConfig("khans"), 6);
  ReplayStore store(folder.path() / "replay.db", "khans", Access::kReadWrite);
  store.Add(games);
  EXPECT_EQ(store.SequenceBeforeNewest(1'000'000), 0);
  const auto last = static_cast<int64_t>(games.back().samples.size());
  EXPECT_EQ(ReadAll(store, store.SequenceBeforeNewest(last)).size(), 1U);
  EXPECT_EQ(ReadAll(store, store.SequenceBeforeNewest(last + 1)).size(), 2U);
}

TEST(ReplayStore, AnotherGameIsRefusedWithBothNames) {
  const ScratchFolder folder;
  { ReplayStore store(folder.path() / "replay.db", "khans", Access::kReadWrite); }
  try {
    ReplayStore store(folder.path() / "replay.db", "serbest", Access::kReadWrite);
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("'khans'"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("'serbest'"), std::string::npos);
  }
}

TEST(ReplayStore, OtherFilesAreRefusedAndLeftAlone) {
  const ScratchFolder folder;
  const auto path = folder.path() / "replay.db";
  std::ofstream(path) << "This is no database, and it is long enough to look at."
                      << std::string(4096, 'x');
  EXPECT_THROW(ReplayStore(path, "khans", Access::kReadWrite), InputError);
  std::ifstream file(path);
  std::string word;
  file >> word;
  EXPECT_EQ(word, "This");
  EXPECT_THROW(ReplayStore(folder.path() / "none.db", "khans", Access::kReadOnly), InputError);
}

TEST(ReplayStore, WritersAndReadersShareTheFile) {
  const ScratchFolder folder;
  const auto path = folder.path() / "replay.db";
  const std::vector<GameRecord> games = PlayGames(SmallConfig("khans"), 40);
  { ReplayStore store(path, "khans", Access::kReadWrite); }
  {
    std::vector<std::jthread> threads;
    for (size_t part = 0; part < 4; ++part) {
      threads.emplace_back([&, part] {
        ReplayStore store(path, "khans", Access::kReadWrite);
        for (size_t i = part; i < games.size(); i += 4) store.Add({&games[i], 1});
      });
    }
    ReplayStore reader(path, "khans", Access::kReadOnly);
    for (int i = 0; i < 50; ++i) {
      for (const StoredGame& game : ReadAll(reader)) ParseRecord(game.bytes);
    }
  }
  ReplayStore store(path, "khans", Access::kReadOnly);
  EXPECT_EQ(store.Totals().games, static_cast<int64_t>(games.size()));
}

// A process that dies while it writes loses nothing that was added before.
TEST(ReplayStore, AddedGamesSurviveAKill) {
  const ScratchFolder folder;
  const auto path = folder.path() / "replay.db";
  const std::vector<GameRecord> games = PlayGames(SmallConfig("khans"), 30);
  int acknowledged[2];
  ASSERT_EQ(pipe(acknowledged), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ReplayStore store(path, "khans", Access::kReadWrite);
    for (const GameRecord& game : games) {
      store.Add({&game, 1});
      if (write(acknowledged[1], "x", 1) != 1) _exit(1);
    }
    for (;;) pause();
  }
  close(acknowledged[1]);
  char byte = 0;
  for (int i = 0; i < 20; ++i) ASSERT_EQ(read(acknowledged[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(acknowledged[0]);
  ReplayStore store(path, "khans", Access::kReadWrite);
  EXPECT_GE(store.Totals().games, 20);
  for (const StoredGame& game : ReadAll(store)) ParseRecord(game.bytes);
  store.Add(games);
  EXPECT_EQ(store.Totals().games, static_cast<int64_t>(games.size()));
}

}  // namespace
}  // namespace khanzero
