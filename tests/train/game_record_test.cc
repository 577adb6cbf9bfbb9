// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/game_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "env/error.h"
#include "env/random.h"
#include "tests/train/sample_games.h"
#include "train/replayed_game.h"

namespace khanzero {
namespace {

void ExpectEqual(const GameRecord& a, const GameRecord& b) {
  EXPECT_EQ(a.game, b.game);
  EXPECT_EQ(a.rules_version, b.rules_version);
  EXPECT_EQ(a.settings, b.settings);
  EXPECT_EQ(a.start_fen, b.start_fen);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.number, b.number);
  EXPECT_EQ(a.first_network_step, b.first_network_step);
  EXPECT_EQ(a.last_network_step, b.last_network_step);
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.move_ranks, b.move_ranks);
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (size_t i = 0; i < a.samples.size(); ++i) {
    EXPECT_EQ(a.samples[i].ply, b.samples[i].ply);
    EXPECT_EQ(a.samples[i].root_win, b.samples[i].root_win);
    EXPECT_EQ(a.samples[i].root_loss, b.samples[i].root_loss);
    ASSERT_EQ(a.samples[i].target.size(), b.samples[i].target.size());
    EXPECT_EQ(a.samples[i].surprise, b.samples[i].surprise);
    for (size_t k = 0; k < a.samples[i].target.size(); ++k) {
      EXPECT_EQ(a.samples[i].target[k].rank, b.samples[i].target[k].rank);
      EXPECT_EQ(a.samples[i].target[k].weight, b.samples[i].target[k].weight);
    }
  }
}

class GameRecords : public testing::TestWithParam<std::string> {};

TEST_P(GameRecords, ReadBackAsWritten) {
  for (const GameRecord& game : PlayGames(SmallConfig(GetParam()), 12)) {
    ExpectEqual(ParseRecord(SerializeRecord(game)), game);
  }
}

TEST_P(GameRecords, EveryFieldSurvives) {
  GameRecord game = PlayGames(SmallConfig(GetParam()), 1).front();
  game.settings.kings_landing = 8;
  game.start_fen = "any text";
  game.id = ~uint64_t{5};
  game.number = uint64_t{1} << 40;
  game.samples.front().surprise = 200;
  game.first_network_step = -1;
  game.last_network_step = int64_t{1} << 33;
  ExpectEqual(ParseRecord(SerializeRecord(game)), game);
}

TEST_P(GameRecords, AnyFlippedByteIsFound) {
  const std::string bytes = SerializeRecord(PlayGames(SmallConfig(GetParam()), 1).front());
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_THROW(ParseRecord(damaged), InputError) << "byte " << at;
  }
}

TEST_P(GameRecords, AnyTruncationIsFound) {
  const std::string bytes = SerializeRecord(PlayGames(SmallConfig(GetParam()), 1).front());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(ParseRecord(std::string_view(bytes).substr(0, size)), InputError) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Games, GameRecords, testing::ValuesIn(GameNames()),
                         [](const auto& tested) { return tested.param; });

TEST(GameRecord, GarbageIsRefused) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = i % 2 == 0 ? "KZR\x01" : "";
    for (uint64_t n = random.Below(64); n > 0; --n) bytes += static_cast<char>(random.Next());
    EXPECT_THROW(ParseRecord(bytes), InputError);
  }
}

TEST(GameRecord, AnotherVersionIsNamed) {
  std::string bytes = SerializeRecord(PlayGames(SmallConfig("khans"), 1).front());
  bytes[3] = 9;
  try {
    ParseRecord(bytes);
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("version is 9"), std::string::npos) << e.what();
  }
}

TEST(PolicyTarget, QuantisedWeightsKeepProportions) {
  const std::vector<TargetEntry> target = QuantizeTarget({0.5, 0.0, 0.25, 1e-9, 0.25});
  ASSERT_EQ(target.size(), 3U);
  EXPECT_EQ(target[0].rank, 0);
  EXPECT_EQ(target[0].weight, 255);
  EXPECT_EQ(target[1].rank, 2);
  EXPECT_EQ(target[1].weight, 128);
  EXPECT_EQ(target[2].rank, 4);
}

TEST(PolicyTarget, OneMoveAndTinyMassStayFinite) {
  EXPECT_EQ(QuantizeTarget({1.0}).size(), 1U);
  EXPECT_EQ(QuantizeTarget({1e-300, 0.0}).front().weight, 255);
  EXPECT_THROW(QuantizeTarget({0.0, 0.0}), InternalError);
  EXPECT_THROW(QuantizeTarget({std::numeric_limits<double>::quiet_NaN()}), InternalError);
}

}  // namespace
}  // namespace khanzero
