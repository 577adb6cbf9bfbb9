// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/match_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "env/error.h"

namespace khanzero {

namespace {

constexpr double kNormal95 = 1.959964;
const double kEloScale = 800.0 / std::numbers::ln10;  // of normalised Elo

// A distribution over the possible scores of a pair or a game.
struct Distribution {
  std::vector<double> score;
  std::vector<double> share;
  double total = 0.0;

  double Mean() const {
    double mean = 0.0;
    for (size_t i = 0; i < score.size(); ++i) mean += share[i] * score[i];
    return mean;
  }
  double Variance() const {
    const double mean = Mean();
    double variance = 0.0;
    for (size_t i = 0; i < score.size(); ++i) {
      variance += share[i] * (score[i] - mean) * (score[i] - mean);
    }
    return variance;
  }
};

// `floor` stands in for a count of 0.
Distribution FromCounts(std::span<const int64_t> counts, double floor) {
  Check(counts.size() == 3 || counts.size() == 5, "three or five counts are needed");
  Distribution d;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double count = counts[i] == 0 ? floor : static_cast<double>(counts[i]);
    d.score.push_back(static_cast<double>(i) / static_cast<double>(counts.size() - 1));
    d.share.push_back(count);
    d.total += count;
  }
  Check(d.total > 0.0, "statistics of no games");
  for (double& share : d.share) share /= d.total;
  return d;
}

// The distribution nearest to `observed` for which sum q f = 0: q = p / (1 + t f), where t solves
// sum p f / (1 + t f) = 0, which falls in t between the poles of the greatest and the least f.
std::vector<double> Constrained(const std::vector<double>& observed, const std::vector<double>& f) {
  const auto [least, most] = std::minmax_element(f.begin(), f.end());
  std::vector<double> q = observed;
  if (*least >= 0.0 || *most <= 0.0) return q;
  double low = -1.0 / *most;
  double high = -1.0 / *least;
  for (int i = 0; i < 200; ++i) {
    const double t = 0.5 * (low + high);
    double sum = 0.0;
    for (size_t k = 0; k < f.size(); ++k) sum += observed[k] * f[k] / (1.0 + t * f[k]);
    (sum > 0.0 ? low : high) = t;
  }
  const double t = 0.5 * (low + high);
  for (size_t k = 0; k < f.size(); ++k) q[k] = observed[k] / (1.0 + t * f[k]);
  return q;
}

std::vector<double> LogisticFit(const Distribution& d, double elo) {
  const double expected = 1.0 / (1.0 + std::pow(10.0, -elo / 400.0));
  std::vector<double> f;
  for (const double a : d.score) f.push_back(a - expected);
  return Constrained(d.share, f);
}

std::vector<double> NormalizedFit(const Distribution& d, double elo) {
  const double target = elo / kEloScale * (d.score.size() == 5 ? std::numbers::sqrt2 : 1.0);
  Distribution q = d;
  q.share.assign(d.share.size(), 1.0 / static_cast<double>(d.share.size()));
  for (int round = 0; round < 1000; ++round) {
    const double mean = q.Mean();
    const double deviation = std::sqrt(q.Variance());
    std::vector<double> f;
    for (const double a : d.score) {
      const double z = (a - mean) / deviation;
      f.push_back(a - 0.5 - 0.5 * target * deviation * (1.0 + z * z));
    }
    std::vector<double> next = Constrained(d.share, f);
    double moved = 0.0;
    for (size_t i = 0; i < next.size(); ++i) {
      moved = std::max(moved, std::abs(next[i] - q.share[i]));
    }
    q.share = std::move(next);
    if (moved < 1e-9) break;
  }
  return q.share;
}

}  // namespace

// Equal to -400 log10(1 / score - 1), but 0 and not -0 for one half.
double EloFromScore(double score) { return 400.0 * std::log10(score / (1.0 - score)); }

MatchStatistics ComputeStatistics(std::span<const int64_t> counts) {
  const Distribution d = FromCounts(counts, 0.0);
  MatchStatistics s;
  s.score = d.Mean();
  const double variance = d.Variance();
  const double deviation = std::sqrt(variance / d.total);
  const double games_in_one = counts.size() == 5 ? 2.0 : 1.0;
  s.normalized_elo_error = kNormal95 * kEloScale / std::sqrt(games_in_one * d.total);
  if (s.score > 0.0 && s.score < 1.0) s.elo = EloFromScore(s.score);
  const double low = s.score - kNormal95 * deviation;
  const double high = s.score + kNormal95 * deviation;
  if (low > 0.0 && high < 1.0) s.elo_error = 0.5 * (EloFromScore(high) - EloFromScore(low));
  if (variance > 1e-12) {
    s.normalized_elo = (s.score - 0.5) / std::sqrt(games_in_one * variance) * kEloScale;
    s.los = 0.5 * std::erfc(-(s.score - 0.5) / deviation / std::numbers::sqrt2);
  } else {
    s.los = s.score > 0.5 ? 1.0 : s.score < 0.5 ? 0.0 : 0.5;
  }
  return s;
}

double LogLikelihoodRatio(std::span<const int64_t> counts, double elo0, double elo1,
                          SprtModel model) {
  const Distribution d = FromCounts(counts, 0.001);
  const bool logistic = model == SprtModel::kLogistic;
  const std::vector<double> q0 = logistic ? LogisticFit(d, elo0) : NormalizedFit(d, elo0);
  const std::vector<double> q1 = logistic ? LogisticFit(d, elo1) : NormalizedFit(d, elo1);
  double sum = 0.0;
  for (size_t i = 0; i < q0.size(); ++i) sum += d.share[i] * std::log(q1[i] / q0[i]);
  return d.total * sum;
}

SprtBounds BoundsOfSprt(double alpha, double beta) {
  return {.lower = std::log(beta / (1.0 - alpha)), .upper = std::log((1.0 - beta) / alpha)};
}

}  // namespace khanzero
