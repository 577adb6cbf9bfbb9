// SPDX-License-Identifier: GPL-3.0-or-later
#include "mcts/gumbel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "env/random.h"
#include "mcts/softmax.h"

namespace khanzero {
namespace {

using Order = std::vector<int>;

TEST(SequentialHalving, GivesEachPhaseAnEqualShareAndHalvesTheActions) {
  EXPECT_EQ(SequentialHalvingVisits(4, 8), (Order{0, 0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(SequentialHalvingVisits(2, 6), (Order{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(SequentialHalvingVisits(3, 6), (Order{0, 0, 0, 1, 1, 2}));
  // 16 actions, 32 simulations: 16 once, 8 again, then 4 twice.
  const Order order = SequentialHalvingVisits(16, 32);
  const auto count = [&](int visits) { return std::count(order.begin(), order.end(), visits); };
  EXPECT_EQ(count(0), 16);
  EXPECT_EQ(count(1), 8);
  EXPECT_EQ(count(2), 4);
  EXPECT_EQ(count(3), 4);
}

TEST(SequentialHalving, SpendsExactlyTheSimulations) {
  for (int considered = 1; considered <= 40; ++considered) {
    for (int simulations = 1; simulations <= 200; ++simulations) {
      const Order order = SequentialHalvingVisits(considered, simulations);
      ASSERT_EQ(static_cast<int>(order.size()), simulations);
      EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    }
  }
  EXPECT_EQ(SequentialHalvingVisits(1, 3), (Order{0, 1, 2}));
}

TEST(MixedValue, IsTheNodesOwnValueWithoutVisits) {
  MixedValue mixed;
  EXPECT_DOUBLE_EQ(mixed.Value(0.25), 0.25);
}

TEST(MixedValue, WeighsVisitedValuesByPrior) {
  MixedValue mixed;
  mixed.Add(0.2, 1.0, 3);
  mixed.Add(0.1, -0.5, 1);
  // (v + N * (sum prior q / sum prior)) / (1 + N)
  EXPECT_NEAR(mixed.Value(0.0), 4.0 * (0.15 / 0.3) / 5.0, 1e-12);
  EXPECT_EQ(mixed.most_visits(), 3U);
}

TEST(QTransform, ScalesValuesToZeroToOneAndGrowsWithVisits) {
  const QTransform sigma{50.0, 1.0};
  EXPECT_DOUBLE_EQ(sigma(-1.0, 10), 0.0);
  EXPECT_DOUBLE_EQ(sigma(1.0, 10), 60.0);
  EXPECT_DOUBLE_EQ(sigma(0.0, 0), 25.0);
}

// The last bits, too, must not depend on where the numbers lie: a deterministic run rests on it.
TEST(Softmax, SumsToOneAndIsTheSameAtEveryAddress) {
  Random random(1);
  for (const size_t size : {1U, 2U, 7U, 16U, 33U, 100U, 257U}) {
    std::vector<float> logits(size);
    for (float& x : logits) x = static_cast<float>(8.0 * random.Uniform() - 4.0);
    std::vector<float> first;
    Softmax(logits, first);
    double sum = 0.0;
    double expected_sum = 0.0;
    for (const float x : logits) expected_sum += std::exp(static_cast<double>(x));
    for (size_t i = 0; i < size; ++i) {
      sum += first[i];
      EXPECT_NEAR(first[i], std::exp(static_cast<double>(logits[i])) / expected_sum, 1e-6);
    }
    EXPECT_NEAR(sum, 1.0, 1e-5);
    std::vector<float> shifted(size + 16);
    for (size_t at = 0; at < 16; ++at) {
      std::ranges::copy(logits, shifted.begin() + static_cast<std::ptrdiff_t>(at));
      std::vector<float> again;
      Softmax(std::span(shifted).subspan(at, size), again);
      EXPECT_EQ(again, first);
    }
  }
}

}  // namespace
}  // namespace khanzero
