// SPDX-License-Identifier: GPL-3.0-or-later
//
// The random streams: the same for a seed, different for another, resumable, and of the
// distributions they claim.
#include "env/random.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace khanzero {
namespace {

TEST(Random, ASeedGivesTheSameNumbersAndAnotherSeedOthers) {
  Random a(7);
  Random b(7);
  Random c(8);
  for (int i = 0; i < 100; ++i) {
    const uint64_t x = a.Next();
    EXPECT_EQ(x, b.Next());
    EXPECT_NE(x, c.Next());
  }
}

TEST(Random, StreamsOfOneSeedDiffer) {
  std::set<uint64_t> first;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    for (uint64_t index = 0; index < 30; ++index) {
      first.insert(Random::Stream(seed, index).Next());
    }
  }
  EXPECT_EQ(first.size(), 900U);
}

TEST(Random, AStoredStateGoesOnWhereItWas) {
  Random a(3);
  a.Next();
  Random b(99);
  b.set_state(a.state());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.Next(), b.Next());
}

TEST(Random, BelowIsEvenOverItsRange) {
  Random random(4);
  std::array<int, 7> seen{};
  for (int i = 0; i < 70000; ++i) ++seen[random.Below(7)];
  for (const int count : seen) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(random.Below(1), 0U);
}

TEST(Random, MeansAreThoseOfTheDistributions) {
  Random random(5);
  constexpr int kCount = 100000;
  double uniform = 0.0;
  double normal = 0.0;
  double square = 0.0;
  double gumbel = 0.0;
  double gamma = 0.0;
  for (int i = 0; i < kCount; ++i) {
    uniform += random.Uniform();
    const double x = random.Normal();
    normal += x;
    square += x * x;
    gumbel += random.Gumbel();
    gamma += random.Gamma(0.3);
  }
  EXPECT_NEAR(uniform / kCount, 0.5, 0.01);
  EXPECT_NEAR(normal / kCount, 0.0, 0.02);
  EXPECT_NEAR(square / kCount, 1.0, 0.03);
  EXPECT_NEAR(gumbel / kCount, 0.5772, 0.02);  // Euler's constant
  EXPECT_NEAR(gamma / kCount, 0.3, 0.01);
}

TEST(Random, DirichletIsAProbability) {
  Random random(6);
  for (const double alpha : {0.003, 0.03, 0.3, 3.0}) {
    std::vector<float> noise(200);
    random.Dirichlet(alpha, noise);
    double sum = 0.0;
    for (const float x : noise) {
      EXPECT_GE(x, 0.0F);
      sum += x;
    }
    EXPECT_NEAR(sum, 1.0, 1e-4);
  }
}

}  // namespace
}  // namespace khanzero
