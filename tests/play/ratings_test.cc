// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/ratings.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "env/random.h"
#include "play/match_statistics.h"
#include "play/pairing.h"
#include "play/rating_model.h"

namespace khanzero {
namespace {

constexpr double kEloPerLogOdds = 400.0 / std::numbers::ln10;

// Both colours, `games` each, of players with these Elo ratings (without draws' scale).
std::vector<SideResults> Simulate(const std::vector<double>& strengths, double white, double draw,
                                  int games, uint64_t seed) {
  Random random(seed);
  std::vector<SideResults> results;
  const int players = static_cast<int>(strengths.size());
  for (int i = 0; i < players; ++i) {
    for (int j = 0; j < players; ++j) {
      if (i == j) continue;
      const GameChances p = ChancesOf(
          strengths[static_cast<size_t>(i)] - strengths[static_cast<size_t>(j)] + white, draw);
      SideResults r{.white = i, .black = j};
      for (int game = 0; game < games; ++game) {
        const double u = random.Uniform();
        ++(u < p.white ? r.white_wins : u < p.white + p.draw ? r.draws : r.black_wins);
      }
      results.push_back(r);
    }
  }
  return results;
}

TEST(Ratings, TwoPlayersByHand) {
  // White always wins a share of 2/3 without draws and both sides are played: the difference is 0
  // and White's advantage is log 2.
  const std::array<SideResults, 2> results = {
      SideResults{.white = 0, .black = 1, .white_wins = 20000, .black_wins = 10000},
      SideResults{.white = 1, .black = 0, .white_wins = 20000, .black_wins = 10000}};
  const RatingFit fit = FitRatings(2, 0, results);
  EXPECT_EQ(fit.players[0].elo, 0.0);
  EXPECT_EQ(fit.players[0].error, 0.0);
  EXPECT_NEAR(fit.players[1].elo.value(), 0.0, 1e-6);
  EXPECT_NEAR(fit.white_elo, kEloPerLogOdds * std::log(2.0), 0.1);
  EXPECT_NEAR(fit.draw_share, 0.0, 1e-3);
  // Information p (1 - p) a game for the difference: 2/9.
  EXPECT_NEAR(fit.players[1].error, 1.959964 * kEloPerLogOdds / std::sqrt(60000.0 * 2.0 / 9.0),
              0.01);
  EXPECT_EQ(fit.players[1].games, 60000);
  EXPECT_EQ(fit.players[1].points, 30000.0);
}

TEST(Ratings, DavidsonsEstimateByHand) {
  // 60 wins, 20 draws, 20 losses on either side: log-odds log 3, draw weight 20 / sqrt(60 20).
  const std::array<SideResults, 2> results = {
      SideResults{.white = 1, .black = 0, .white_wins = 6000, .draws = 2000, .black_wins = 2000},
      SideResults{.white = 0, .black = 1, .white_wins = 2000, .draws = 2000, .black_wins = 6000}};
  const RatingFit fit = FitRatings(2, 0, results);
  const double weight = 20.0 / std::sqrt(1200.0);
  EXPECT_NEAR(fit.parameters[1], std::log(3.0), 1e-3);
  EXPECT_NEAR(fit.draw_share, weight / (2.0 + weight), 1e-4);
  EXPECT_NEAR(fit.players[1].elo.value(), kEloPerLogOdds * std::log(3.0) * 2.0 / (2.0 + weight),
              0.1);
  EXPECT_NEAR(fit.white_elo, 0.0, 1e-6);
}

TEST(Ratings, TwoPlayersAgreeWithTheMatchStatistics) {
  // Without draws the estimates are the same, interval included; with draws they are close.
  const auto compare = [](int64_t wins, int64_t draws, int64_t losses, double elo_near,
                          double error_near) {
    const std::array<SideResults, 2> results = {
        SideResults{
            .white = 1, .black = 0, .white_wins = wins, .draws = draws, .black_wins = losses},
        SideResults{
            .white = 0, .black = 1, .white_wins = losses, .draws = draws, .black_wins = wins}};
    const RatingFit fit = FitRatings(2, 0, results);
    const MatchStatistics match =
        ComputeStatistics(std::array<int64_t, 3>{2 * losses, 2 * draws, 2 * wins});
    EXPECT_NEAR(fit.players[1].elo.value(), match.elo.value(), elo_near);
    EXPECT_NEAR(fit.players[1].error / match.elo_error.value(), 1.0, error_near);
  };
  compare(3000, 0, 2000, 0.05, 0.005);
  compare(4000, 0, 1000, 0.1, 0.005);
  compare(2000, 1000, 1500, 0.5, 0.02);
  compare(3000, 1000, 1000, 1.5, 0.06);
}

TEST(Ratings, KnownRatingsComeBackFromSimulatedGames) {
  const std::vector<double> truth = {0.0, 0.7, 1.5, 2.2, 2.6, 3.4, 3.0, 1.1};
  const double white = 0.4;
  const double draw = -1.2;
  int inside = 0;
  int rated = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const RatingFit fit = FitRatings(8, 0, Simulate(truth, white, draw, 30, seed));
    // Twice the deviation catches 95.45 % of what is asked here; `error` is 1.96 of it.
    for (size_t i = 1; i < truth.size(); ++i) {
      const double deviation = std::abs(fit.players[i].elo.value() / fit.elo_per_unit - truth[i]);
      inside += deviation * fit.elo_per_unit <= fit.players[i].error ? 1 : 0;
      ++rated;
    }
    EXPECT_NEAR(fit.parameters[8], white, 0.35) << seed;
    EXPECT_NEAR(fit.parameters[9], draw, 0.35) << seed;
  }
  const double coverage = static_cast<double>(inside) / rated;
  EXPECT_GT(coverage, 0.91);
  EXPECT_LT(coverage, 0.985);
}

TEST(Ratings, TheSideTermCorrectsForColours) {
  // Player 1 had White in every game against the anchor; White is worth log 3 among these players,
  // known from the games of 0 and 2. Its 75 % are then no strength at all.
  const std::array<SideResults, 3> results = {
      SideResults{.white = 1, .black = 0, .white_wins = 750, .black_wins = 250},
      SideResults{.white = 0, .black = 2, .white_wins = 75000, .black_wins = 25000},
      SideResults{.white = 2, .black = 0, .white_wins = 75000, .black_wins = 25000}};
  const RatingFit fit = FitRatings(3, 0, results);
  EXPECT_NEAR(fit.players[1].elo.value(), 0.0, 1.0);
  EXPECT_NEAR(fit.players[2].elo.value(), 0.0, 0.1);
}

TEST(Ratings, AllWinsStayFiniteWithAWideInterval) {
  const std::array<SideResults, 2> results = {
      SideResults{.white = 1, .black = 0, .white_wins = 20},
      SideResults{.white = 0, .black = 1, .black_wins = 20}};
  const RatingFit fit = FitRatings(2, 0, results);
  const Rating& winner = fit.players[1];
  EXPECT_GT(winner.elo.value(), 400.0);
  EXPECT_LT(winner.elo.value(), 2000.0);
  EXPECT_GT(winner.error, 500.0);
  EXPECT_TRUE(std::isfinite(winner.error));
}

TEST(Ratings, NoGamesAndNoChainToTheAnchorGiveNoRating) {
  const RatingFit none = FitRatings(2, 0, {});
  EXPECT_EQ(none.players[0].elo, 0.0);
  EXPECT_FALSE(none.players[1].elo.has_value());
  EXPECT_EQ(none.players[1].games, 0);

  // 2 and 3 played each other only.
  const std::array<SideResults, 2> results = {
      SideResults{.white = 0, .black = 1, .white_wins = 3, .black_wins = 5},
      SideResults{.white = 2, .black = 3, .white_wins = 400, .black_wins = 10}};
  const RatingFit fit = FitRatings(5, 0, results);
  EXPECT_TRUE(fit.players[1].elo.has_value());
  EXPECT_FALSE(fit.players[2].elo.has_value());
  EXPECT_FALSE(fit.players[3].elo.has_value());
  EXPECT_FALSE(fit.players[4].elo.has_value());
  EXPECT_EQ(fit.players[2].games, 410);
  // What they did says nothing of the others, White's advantage included.
  EXPECT_EQ(fit.players[1].elo, FitRatings(2, 0, {results.data(), 1}).players[1].elo);
}

TEST(Ratings, TheAnchorShiftsRatingsOnly) {
  const std::vector<SideResults> results = Simulate({0.0, 1.0, 2.0}, 0.2, -1.0, 2000, 5);
  const RatingFit by_first = FitRatings(3, 0, results);
  const RatingFit by_last = FitRatings(3, 2, results);
  EXPECT_NEAR(by_first.players[1].elo.value() - by_first.players[2].elo.value(),
              by_last.players[1].elo.value(), 0.1);  // the prior's centre moves with the anchor
  EXPECT_EQ(by_last.players[2].elo, 0.0);
}

// --- pairings ----------------------------------------------------------------------------------

double VarianceOf(const RatingFit& fit, int player) {
  return fit.covariance[static_cast<size_t>(player * (fit.parameter_count() + 1))];
}

TEST(Pairing, TheGainIsWhatTheFitThenHas) {
  // Enough games that the estimates hardly move: the variance falls by as much as was expected.
  const std::vector<double> truth = {0.0, 0.5, 0.2, 0.9};
  std::vector<SideResults> results = Simulate(truth, 0.3, -1.0, 4000, 9);
  const RatingFit before = FitRatings(4, 0, results);
  const std::vector<bool> wanted = {false, true, false, true};
  const double expected =
      ExpectedGain(before, {.wanted = wanted, .available = {}, .pairs = 2000}, {.a = 1, .b = 3});
  const auto add = [&](int white, int black) {
    const GameChances p =
        ChancesOf(before.parameters[static_cast<size_t>(white)] -
                      before.parameters[static_cast<size_t>(black)] + before.parameters[4],
                  before.parameters[5]);
    const auto count = [](double share) { return static_cast<int64_t>(std::lround(2000 * share)); };
    results.push_back({.white = white,
                       .black = black,
                       .white_wins = count(p.white),
                       .draws = count(p.draw),
                       .black_wins = count(p.black)});
  };
  add(1, 3);
  add(3, 1);
  const RatingFit after = FitRatings(4, 0, results);
  const double fell =
      VarianceOf(before, 1) + VarianceOf(before, 3) - VarianceOf(after, 1) - VarianceOf(after, 3);
  EXPECT_GT(fell, 0.0);
  EXPECT_NEAR(fell, expected, 0.02 * expected);

  // As differences to the mean of two of them, and that mean.
  const PairingRequest centred{.wanted = {false, false, false, true},
                               .available = {},
                               .centre = {1, 3},
                               .level = true,
                               .pairs = 2000};
  const auto variance = [](const RatingFit& fit, const std::vector<double>& weights) {
    return std::pow(fit.ErrorOfSum(weights) / fit.elo_per_unit / 1.959964, 2);
  };
  const std::vector<double> difference = {0.0, -0.5, 0.0, 0.5};
  const std::vector<double> mean = {0.0, 0.5, 0.0, 0.5};
  const double fell_centred = variance(before, difference) + variance(before, mean) -
                              variance(after, difference) - variance(after, mean);
  const double expected_centred = ExpectedGain(before, centred, {.a = 1, .b = 3});
  EXPECT_NEAR(fell_centred, expected_centred, 0.02 * expected_centred);
}

TEST(Pairing, PlayersOfEqualStrengthTellMost) {
  // 1 is known well; 2 is not, and is about as strong as 1 and far from the anchor.
  std::vector<SideResults> results = Simulate({0.0, 3.0}, 0.0, -3.0, 3000, 3);
  results.push_back({.white = 2, .black = 1, .white_wins = 4, .black_wins = 4});
  const RatingFit fit = FitRatings(3, 0, results);
  const std::vector<Pairing> chosen = ChoosePairings(
      fit,
      {.wanted = {false, false, true}, .available = {true, true, true}, .pairings = 3, .pairs = 4});
  EXPECT_EQ(chosen, (std::vector<Pairing>(3, {.a = 1, .b = 2})));
}

TEST(Pairing, ADistantAnchorIsLeftAloneWhenDifferencesAmongOthersAreWanted) {
  // Nobody has lost to the anchor: games against it tell of the level, not of differences.
  std::vector<SideResults> results = Simulate({0.0, 8.0, 8.3, 8.1}, 0.0, -3.0, 8, 3);
  const RatingFit fit = FitRatings(4, 0, results);
  PairingRequest request{.wanted = {false, true, true, true},
                         .available = std::vector<bool>(4, true),
                         .centre = {1, 2, 3},
                         .pairings = 6,
                         .pairs = 4};
  for (const Pairing& p : ChoosePairings(fit, request)) EXPECT_NE(p.a, 0);
  request.wanted = std::vector<bool>(4, false);
  request.level = true;
  EXPECT_EQ(ChoosePairings(fit, request)[0].a, 0);
}

TEST(Pairing, CheapGamesArePreferredWhenTheyTellAboutAsMuch) {
  const std::vector<SideResults> results = Simulate({0.0, 0.3, 0.6, 0.5}, 0.0, -3.0, 20, 3);
  const RatingFit fit = FitRatings(4, 0, results);
  PairingRequest request{.wanted = {false, false, true, false},
                         .available = std::vector<bool>(4, true),
                         .costs = {1.0, 100.0, 1.0, 100.0}};
  EXPECT_EQ(ChoosePairings(fit, request), (std::vector<Pairing>{{.a = 0, .b = 2}}));
}

TEST(Pairing, PlayersWithoutARatingOrAwayAreNotPaired) {
  const std::array<SideResults, 2> results = {
      SideResults{.white = 0, .black = 1, .white_wins = 3, .black_wins = 5},
      SideResults{.white = 2, .black = 0, .white_wins = 3, .black_wins = 5}};
  const RatingFit fit = FitRatings(4, 0, results);
  const std::vector<bool> all(4, true);
  EXPECT_EQ(ChoosePairings(fit, {.wanted = all, .available = {true, false, true, true}}),
            (std::vector<Pairing>{{.a = 0, .b = 2}}));
  EXPECT_TRUE(
      ChoosePairings(fit, {.wanted = all, .available = {true, false, false, true}}).empty());
}

// Games until every interval is narrow enough, pairings chosen by `choose`.
template <class Choose>
int64_t GamesNeeded(const std::vector<double>& truth, double error, const Choose& choose) {
  const int players = static_cast<int>(truth.size());
  Random random(11);
  std::vector<SideResults> results;
  for (int i = 0; i < players; ++i) {
    for (int j = 0; j < players; ++j) {
      if (i != j) results.push_back({.white = i, .black = j});
    }
  }
  const auto play = [&](int white, int black) {
    for (SideResults& r : results) {
      if (r.white != white || r.black != black) continue;
      const GameChances p = ChancesOf(
          truth[static_cast<size_t>(white)] - truth[static_cast<size_t>(black)] + 0.3, -2.0);
      const double u = random.Uniform();
      ++(u < p.white ? r.white_wins : u < p.white + p.draw ? r.draws : r.black_wins);
    }
  };
  for (int i = 1; i < players; ++i) {
    play(i - 1, i);
    play(i, i - 1);
  }
  for (int64_t games = 2 * (players - 1);; games += 8) {
    const RatingFit fit = FitRatings(players, 0, results);
    double widest = 0.0;
    for (const Rating& rating : fit.players) widest = std::max(widest, rating.error);
    if (widest <= error || games > 20000) return games;
    const Pairing p = choose(fit, random);
    for (int pair = 0; pair < 4; ++pair) {
      play(p.a, p.b);
      play(p.b, p.a);
    }
  }
}

TEST(Pairing, NeedsFarFewerGamesThanRandomPairings) {
  std::vector<double> truth;
  for (int i = 0; i < 10; ++i) truth.push_back(0.9 * i);
  const int64_t chosen = GamesNeeded(truth, 100.0, [&](const RatingFit& fit, Random&) {
    std::vector<bool> wanted;
    for (const Rating& rating : fit.players) wanted.push_back(rating.error > 100.0);
    return ChoosePairings(fit, {.wanted = wanted, .available = std::vector<bool>(10, true)})[0];
  });
  const int64_t drawn = GamesNeeded(truth, 100.0, [&](const RatingFit&, Random& random) {
    const auto a = static_cast<int>(random.Below(10));
    const auto b = static_cast<int>(random.Below(9));
    return Pairing{.a = a, .b = b < a ? b : b + 1};
  });
  RecordProperty("chosen", std::to_string(chosen));
  RecordProperty("drawn", std::to_string(drawn));
  EXPECT_LT(1.5 * static_cast<double>(chosen), static_cast<double>(drawn))
      << chosen << " against " << drawn;
}

}  // namespace
}  // namespace khanzero
