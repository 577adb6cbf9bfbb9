// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/nearest_name.h"

#include <gtest/gtest.h>

namespace khanzero {
namespace {

TEST(NearestName, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("seed", "seed"), 0);
  EXPECT_EQ(EditDistance("", "seed"), 4);
  EXPECT_EQ(EditDistance("seed", ""), 4);
  EXPECT_EQ(EditDistance("sed", "seed"), 1);
  EXPECT_EQ(EditDistance("seeed", "seed"), 1);
  EXPECT_EQ(EditDistance("sead", "seed"), 1);
  EXPECT_EQ(EditDistance("sede", "seed"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
}

TEST(NearestName, FindsTheNearestAndRefusesTheFar) {
  const std::vector<std::string> known = {"simulations", "seed", "speed"};
  EXPECT_EQ(NearestName("simulatoins", known), "simulations");
  EXPECT_EQ(NearestName("simulation", known), "simulations");
  EXPECT_EQ(NearestName("sed", known), "seed");
  EXPECT_EQ(NearestName("spede", known), "speed");
  EXPECT_EQ(NearestName("workers", known), std::nullopt);
  EXPECT_EQ(NearestName("", known), std::nullopt);
  EXPECT_EQ(NearestName("seed", {}), std::nullopt);
}

}  // namespace
}  // namespace khanzero
