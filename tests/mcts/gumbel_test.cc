// SPDX-License-Identifier: GPL-3.0-or-later
#include "mcts/gumbel.h"

#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace khanzero
