// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/game_intake.h"

#include <gtest/gtest.h>

#include "env/error.h"
#include "tests/cluster/game_batches.h"

namespace khanzero {
namespace {

class GameIntakeOf : public testing::TestWithParam<std::string> {
 protected:
  GameIntakeOf() : config_(SmallConfig(GetParam())), games_(PlayGames(config_, 6)) {}

  std::filesystem::path path() const { return folder_.path() / "replay.db"; }
  int64_t Stored() const {
    return ReplayStore(path(), GetParam(), ReplayStore::Access::kReadOnly).Totals().games;
  }

  const Config config_;
  const std::vector<GameRecord> games_;
  const ScratchFolder folder_;
};

TEST_P(GameIntakeOf, StoresEachGameOnceAsItCame) {
  GameIntake intake(config_, kRunId, path(), 2);
  const GameBatch batch = BatchOf(games_);
  intake.Take(std::vector{batch, batch});
  intake.Take(std::vector{batch});
  const auto count = static_cast<int64_t>(games_.size());
  EXPECT_EQ(Stored(), count);
  EXPECT_EQ(intake.figures().games, count);
  EXPECT_EQ(intake.figures().duplicates, 2 * count);
  EXPECT_EQ(intake.figures().refused, 0);
  const CycleGames counted = intake.TakeGames();
  EXPECT_EQ(counted.new_games, count);  // duplicates are no games
  EXPECT_EQ(intake.TakeGames().new_games, 0);
  std::vector<std::string> bytes;
  ReplayStore(path(), GetParam(), ReplayStore::Access::kReadOnly)
      .ReadAfter(0, 100, [&](StoredGame game) {
        EXPECT_EQ(game.columns, ColumnsOf(ParseRecord(game.bytes)));
        bytes.push_back(std::move(game.bytes));
      });
  EXPECT_EQ(bytes, batch.records);
}

TEST_P(GameIntakeOf, WhatIsNoGameOfTheRunIsRefused) {
  GameIntake intake(config_, kRunId, path(), 1);
  const GameRecord& good = games_.front();
  const auto changed = [&](auto&& change) {
    GameRecord record = good;
    change(record);
    return BatchOf({record});
  };
  const auto altered = [&](auto&& change) {
    GameBatch batch = BatchOf({good});
    change(batch);
    return batch;
  };
  const std::string other = GetParam() == "khans" ? "serbest" : "khans";
  const std::vector<std::pair<const char*, GameBatch>> bad = {
      {"another run", altered([](GameBatch& b) { b.run = "fedcba9876543210"; })},
      {"another run", altered([](GameBatch& b) { b.run = ""; })},
      {"another protocol", altered([](GameBatch& b) { b.protocol = "2"; })},
      {"no batch of games", altered([](GameBatch& b) { b.fault = "odd"; })},
      {"too large",
       altered([](GameBatch& b) { b.records = {std::string(kMostRecordBytes + 1, 'x')}; })},
      {"damaged", altered([](GameBatch& b) { b.records = {"KZR\x1b[31m"}; })},
      {"damaged", altered([](GameBatch& b) { b.records[0][b.records[0].size() / 2] ^= 4; })},
      {"damaged", altered([](GameBatch& b) { b.records[0].pop_back(); })},
      {"another game or version", changed([&](GameRecord& r) { r.game = other; })},
      {"another game or version", changed([](GameRecord& r) { ++r.rules_version; })},
      {"another game or version", changed([](GameRecord& r) { r.settings.kings_landing = 8; })},
      {"another seed", changed([](GameRecord& r) { ++r.seed; })},
      {"another seed", changed([](GameRecord& r) { ++r.id; })},
      {"another seed", changed([](GameRecord& r) { ++r.number; })},
      {"not by the rules", changed([](GameRecord& r) { r.move_ranks[0] = 9999; })},
      {"not by the rules", changed([](GameRecord& r) {
         r.outcome = {.result = Result::kDraw, .reason = EndReason::kFiftyMoves};
       })}};
  int64_t refused = 0;
  for (const auto& [reason, batch] : bad) {
    SCOPED_TRACE(reason);
    const int64_t before = intake.figures().refusals[reason];
    intake.Take(std::vector{batch});
    EXPECT_EQ(intake.figures().refusals[reason], before + 1);
    EXPECT_EQ(intake.figures().refused, ++refused);
  }
  EXPECT_EQ(Stored(), 0);
  EXPECT_EQ(intake.figures().by_actor.at("tester"), refused);
  // Once for each reason, and nothing that steers a terminal.
  const std::vector<std::string> notes = intake.TakeNotes();
  EXPECT_EQ(notes.size(), intake.figures().refusals.size());
  for (const std::string& note : notes) EXPECT_EQ(Printable(note), note);
  // A bad game takes no good one with it.
  GameBatch mixed = BatchOf(games_);
  mixed.records.insert(mixed.records.begin() + 1, "nonsense");
  intake.Take(std::vector{bad[0].second, mixed});
  EXPECT_EQ(Stored(), static_cast<int64_t>(games_.size()));
}

INSTANTIATE_TEST_SUITE_P(Games, GameIntakeOf, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

TEST(GameBatch, IsItsFields) {
  const GameBatch batch{.run = "r", .actor = "a", .protocol = "1", .records = {"x", "y"}};
  const GameBatch parsed = ParseBatch(FieldsOf(batch));
  EXPECT_EQ(parsed.run, "r");
  EXPECT_EQ(parsed.actor, "a");
  EXPECT_EQ(parsed.protocol, "1");
  EXPECT_EQ(parsed.records, batch.records);
  EXPECT_EQ(parsed.fault, "");
  EXPECT_EQ(parsed.record_bytes(), 2);
}

TEST(GameBatch, OddFieldsAreAFault) {
  EXPECT_NE(ParseBatch({}).fault, "");
  EXPECT_NE(ParseBatch({"record"}).fault, "");
  EXPECT_NE(ParseBatch({"run", "r"}).fault, "");
  EXPECT_NE(ParseBatch({"record", "x", "\x1b", "y"}).fault, "");
  std::vector<std::string> many;
  for (size_t i = 0; i <= kMostBatchRecords; ++i) many.insert(many.end(), {"record", "x"});
  EXPECT_NE(ParseBatch(many).fault, "");
  many.resize(many.size() - 2);
  EXPECT_EQ(ParseBatch(many).fault, "");
}

}  // namespace
}  // namespace khanzero
