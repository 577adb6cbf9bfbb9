// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/game_record.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST_P(GameRecords, SamplesWithoutAPolicyTargetReadBack) {
  for (const GameRecord& game : PlayGames(WithCheapSearches(SmallConfig(GetParam())), 12)) {
    EXPECT_LT(PolicyTargets(game), static_cast<int64_t>(game.samples.size()));
    ExpectEqual(ParseRecord(SerializeRecord(game)), game);
  }
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
  Random random(1);
  const std::vector<TargetEntry> target = QuantizeTarget({0.5, 0.0, 0.25, 0.0, 0.25}, random);
  ASSERT_EQ(target.size(), 3U);
  EXPECT_EQ(target[0].rank, 0);
  EXPECT_EQ(target[0].weight, 255);
  EXPECT_EQ(target[1].rank, 2);
  EXPECT_EQ(target[1].weight, 128);
  EXPECT_EQ(target[2].rank, 4);
}

TEST(PolicyTarget, OneMoveIsCertain) {
  Random random(1);
  const std::vector<TargetEntry> target = QuantizeTarget({0.0, 1.0, 0.0}, random);
  ASSERT_EQ(target.size(), 1U);
  EXPECT_EQ(target[0].rank, 1);
  EXPECT_EQ(target[0].weight, 255);
}

TEST(PolicyTarget, WithoutMassOrNotANumberIsRefused) {
  Random random(1);
  EXPECT_THROW(QuantizeTarget({0.0, 0.0}, random), InternalError);
  EXPECT_THROW(QuantizeTarget({std::numeric_limits<double>::quiet_NaN()}, random), InternalError);
}

// Distributions like those of a search: a few good moves and a long tail, from flat to steep.
std::vector<double> SearchedPolicy(Random& random, size_t moves, double steepness) {
  std::vector<double> policy;
  double sum = 0.0;
  for (size_t i = 0; i < moves; ++i) {
    policy.push_back(std::exp(steepness * random.Uniform()));
    sum += policy.back();
  }
  for (double& share : policy) share /= sum;
  return policy;
}

// The mean over many draws is the policy itself, entry by entry, however small.
TEST(PolicyTarget, SamplingSmallEntriesIsUnbiased) {
  Random random(7);
  for (const double steepness : {0.0, 4.0, 12.0}) {
    const std::vector<double> policy = SearchedPolicy(random, 300, steepness);
    std::vector<double> mean(policy.size(), 0.0);
    constexpr int kDraws = 20000;
    for (int draw = 0; draw < kDraws; ++draw) {
      const std::vector<TargetEntry> target = QuantizeTarget(policy, random);
      double sum = 0.0;
      for (const TargetEntry& entry : target) sum += entry.weight;
      for (const TargetEntry& entry : target) mean[entry.rank] += entry.weight / sum / kDraws;
    }
    for (size_t i = 0; i < policy.size(); ++i) {
      // Five standard deviations of the mean of kDraws quanta, and the rounding to 255 steps.
      const double sampling = 5.0 * std::sqrt(policy[i] * kTargetQuantum / kDraws);
      EXPECT_NEAR(mean[i], policy[i], sampling + 0.02 * policy[i]) << steepness << " entry " << i;
    }
  }
}

// What systematic sampling is for: the small entries together keep their mass in every draw.
TEST(PolicyTarget, FewEntriesHoldTheMassOfMany) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<double> policy =
        SearchedPolicy(random, 1 + random.Below(700), 20.0 * random.Uniform());
    const double most = *std::max_element(policy.begin(), policy.end());
    const std::vector<TargetEntry> target = QuantizeTarget(policy, random);
    ASSERT_FALSE(target.empty());
    EXPECT_LE(target.size(), 42U);
    double mass = 0.0;
    for (const TargetEntry& entry : target) {
      mass += entry.weight / 255.0 * std::max(most, kTargetQuantum);
    }
    EXPECT_NEAR(mass, 1.0, 2.0 * kTargetQuantum + 0.06);
    EXPECT_TRUE(std::ranges::is_sorted(target, {}, &TargetEntry::rank));
  }
}

}  // namespace
}  // namespace khanzero
