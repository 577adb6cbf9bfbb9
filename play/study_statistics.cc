// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/study_statistics.h"

#include <algorithm>
#include <cmath>

#include "env/error.h"
#include "env/random.h"

namespace khanzero {

namespace {

constexpr double kNormal95 = 1.959964;

// The ends between which the middle 95 % of `values` lie.
Estimate Around(double value, std::vector<double>& values) {
  if (values.empty()) return {value, value, value};
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {value, at(0.025), at(0.975)};
}

void Add(std::vector<GameSums>& totals, const std::vector<GameSums>& game) {
  for (size_t k = 0; k < totals.size(); ++k) {
    totals[k].count += game[k].count;
    totals[k].first += game[k].first;
    totals[k].second += game[k].second;
  }
}

// The mean of `second` over some kinds; nothing without an observation.
std::optional<double> UnitOf(const std::vector<GameSums>& totals, const std::vector<size_t>& unit) {
  int64_t count = 0;
  double sum = 0.0;
  for (const size_t kind : unit) {
    count += totals[kind].count;
    sum += totals[kind].second;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

// What the resamples give of one kind.
struct Draws {
  std::vector<double> first;
  std::vector<double> second;
  std::vector<double> ratio;
};

}  // namespace

Estimate WilsonShare(int64_t count, int64_t all) {
  Check(count >= 0 && count <= all && all > 0, "a share of something");
  const auto n = static_cast<double>(all);
  const double p = static_cast<double>(count) / n;
  const double z2 = kNormal95 * kNormal95;
  const double middle = p + z2 / (2.0 * n);
  const double half = kNormal95 * std::sqrt(p * (1.0 - p) / n + z2 / (4.0 * n * n));
  const double scale = 1.0 + z2 / n;
  return {p, count == 0 ? 0.0 : (middle - half) / scale,
          count == all ? 1.0 : (middle + half) / scale};
}

GroupedEstimates EstimateByGames(const std::vector<std::vector<GameSums>>& sums,
                                 const std::vector<size_t>& unit, int resamples, uint64_t seed) {
  GroupedEstimates result;
  if (sums.empty()) return result;
  const size_t kinds = sums[0].size();
  std::vector<GameSums> totals(kinds);
  result.kinds.resize(kinds);
  for (const std::vector<GameSums>& game : sums) {
    Check(game.size() == kinds, "every game has all kinds");
    Add(totals, game);
    for (size_t k = 0; k < kinds; ++k) result.kinds[k].games += game[k].count > 0;
  }
  std::vector<Draws> draws(kinds);
  std::vector<double> unit_draws;
  Random random(seed);
  for (int i = 0; i < resamples; ++i) {
    std::vector<GameSums> drawn(kinds);
    for (size_t g = 0; g < sums.size(); ++g) Add(drawn, sums[random.Below(sums.size())]);
    const std::optional<double> one = UnitOf(drawn, unit);
    if (one) unit_draws.push_back(*one);
    for (size_t k = 0; k < kinds; ++k) {
      if (drawn[k].count == 0) continue;
      const auto count = static_cast<double>(drawn[k].count);
      draws[k].first.push_back(drawn[k].first / count);
      draws[k].second.push_back(drawn[k].second / count);
      if (one && *one > 0.0) draws[k].ratio.push_back(drawn[k].second / count / *one);
    }
  }
  const std::optional<double> one = UnitOf(totals, unit);
  if (one) result.unit = Around(*one, unit_draws);
  result.has_unit = one && result.unit.low > 0.0;
  for (size_t k = 0; k < kinds; ++k) {
    KindEstimate& kind = result.kinds[k];
    kind.observations = totals[k].count;
    if (kind.observations == 0) continue;
    const auto count = static_cast<double>(kind.observations);
    kind.first = Around(totals[k].first / count, draws[k].first);
    kind.second = Around(totals[k].second / count, draws[k].second);
    if (result.has_unit) kind.ratio = Around(kind.second.value / *one, draws[k].ratio);
  }
  return result;
}

}  // namespace khanzero
