// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a match's counts say about two players: score, Elo, normalised Elo, likelihood of
// superiority, and the sequential probability ratio test, from pairs of games (pentanomial: the two
// games of a pair are not independent) or from single games (trinomial). Formulas: docs/methods.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace khanzero {

struct MatchStatistics {
  double score = 0.5;  // mean points a game, 0..1
  // Elo differences with the half-width of their 95 % intervals. Nothing where the score or an end
  // of its interval is 0 or 1, or where the counts show no spread.
  std::optional<double> elo;
  std::optional<double> elo_error;
  std::optional<double> normalized_elo;
  double normalized_elo_error = 0.0;
  double los = 0.5;  // the likelihood that the first player is the stronger
};

// `counts` are of equally spaced scores, the worst first: {LL, LD, DD + WL, WD, WW} for pairs,
// {L, D, W} for single games. REQUIRES: three or five counts, not all 0.
MatchStatistics ComputeStatistics(std::span<const int64_t> counts);

// The expected score as an Elo difference. REQUIRES: 0 < score < 1.
double EloFromScore(double score);

enum class SprtModel { kLogistic, kNormalized };

// log of how much more likely `counts` are when the difference is elo1 than when it is elo0.
// REQUIRES: as ComputeStatistics.
double LogLikelihoodRatio(std::span<const int64_t> counts, double elo0, double elo1,
                          SprtModel model);

// The test ends below the first (elo0 is accepted) or above the second (elo1 is).
struct SprtBounds {
  double lower = 0.0;
  double upper = 0.0;
};
SprtBounds BoundsOfSprt(double alpha, double beta);

}  // namespace khanzero
