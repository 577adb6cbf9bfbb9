// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/match_statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace khanzero {
namespace {

std::vector<nlohmann::json> Rows() {
  std::ifstream file(std::string(KHANZERO_TEST_DATA) + "/vectors/match_statistics.jsonl");
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(file, line);) rows.push_back(nlohmann::json::parse(line));
  return rows;
}

void ExpectEqual(const nlohmann::json& expected, const std::optional<double>& value,
                 const std::string& what) {
  if (expected.is_null()) {
    EXPECT_FALSE(value) << what;
  } else {
    ASSERT_TRUE(value) << what;
    EXPECT_NEAR(*value, expected.get<double>(), 2e-5) << what;
  }
}

TEST(MatchStatistics, AgreeWithTheVectors) {
  const auto rows = Rows();
  ASSERT_GT(rows.size(), 20U);
  for (const auto& row : rows) {
    const auto counts = row["counts"].get<std::vector<int64_t>>();
    const std::string what = row.dump();
    const MatchStatistics s = ComputeStatistics(counts);
    ExpectEqual(row["score"], s.score, what);
    ExpectEqual(row["elo"], s.elo, what);
    ExpectEqual(row["elo_err"], s.elo_error, what);
    ExpectEqual(row["nelo"], s.normalized_elo, what);
    ExpectEqual(row["nelo_err"], s.normalized_elo_error, what);
    ExpectEqual(row["los"], s.los, what);
  }
}

TEST(MatchStatistics, LikelihoodRatiosAgreeWithTheVectors) {
  for (const auto& row : Rows()) {
    const auto counts = row["counts"].get<std::vector<int64_t>>();
    const auto elo0 = row["elo0"].get<double>();
    const auto elo1 = row["elo1"].get<double>();
    const auto expect = [&](const char* key, SprtModel model) {
      const auto expected = row[key].get<double>();
      EXPECT_NEAR(LogLikelihoodRatio(counts, elo0, elo1, model), expected,
                  2e-5 + 1e-5 * std::abs(expected))
          << key << row.dump();
    };
    expect("llr_logistic", SprtModel::kLogistic);
    expect("llr_normalized", SprtModel::kNormalized);
  }
}

TEST(MatchStatistics, OneSidedMatchesHaveNoElo) {
  constexpr std::array<int64_t, 5> kAllWon = {0, 0, 0, 0, 8};
  const MatchStatistics s = ComputeStatistics(kAllWon);
  EXPECT_EQ(s.score, 1.0);
  EXPECT_FALSE(s.elo);
  EXPECT_FALSE(s.elo_error);
  EXPECT_FALSE(s.normalized_elo);
  EXPECT_EQ(s.los, 1.0);
  EXPECT_TRUE(std::isfinite(LogLikelihoodRatio(kAllWon, 0.0, 5.0, SprtModel::kNormalized)));
}

TEST(MatchStatistics, EqualPlayersAreEqual) {
  constexpr std::array<int64_t, 5> kCounts = {3, 5, 9, 5, 3};
  const MatchStatistics s = ComputeStatistics(kCounts);
  EXPECT_NEAR(*s.elo, 0.0, 1e-9);
  EXPECT_FALSE(std::signbit(*s.elo)) << "it would be printed as -0.0";
  EXPECT_NEAR(s.los, 0.5, 1e-12);
}

TEST(MatchStatistics, SprtBoundsAreWaldsOwn) {
  const SprtBounds bounds = BoundsOfSprt(0.05, 0.05);
  EXPECT_NEAR(bounds.upper, 2.944, 1e-3);
  EXPECT_NEAR(bounds.lower, -2.944, 1e-3);
}

}  // namespace
}  // namespace khanzero
