// SPDX-License-Identifier: GPL-3.0-or-later
//
// Estimates with their uncertainty, for the study of what a network knows: shares by Wilson's
// interval (1927), means and their ratios by the bootstrap over whole games (Efron 1979), since
// positions of one game are alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace khanzero {

// A value with its interval of 95 %.
struct Estimate {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

// `count` of `all`. REQUIRES: 0 <= count <= all, all > 0.
Estimate WilsonShare(int64_t count, int64_t all);

// Observations of one kind in one game.
struct GameSums {
  int64_t count = 0;
  double first = 0.0;  // sums of two measures of the same observations
  double second = 0.0;
};

struct KindEstimate {
  int64_t observations = 0;
  int64_t games = 0;  // that have one
  Estimate first{};   // means
  Estimate second{};
  std::optional<Estimate> ratio{};  // of `second` to that of the unit
};

struct GroupedEstimates {
  std::vector<KindEstimate> kinds{};
  Estimate unit{};  // the mean of `second` over the unit's kinds together
  bool has_unit = false;
};

// `sums[game][kind]`. The unit is the mean of `second` over all observations of the kinds in
// `unit`. Ratios are given where the unit's interval lies above 0, else has_unit is false. Kinds
// without an observation have zeros. The same seed gives the same intervals.
GroupedEstimates EstimateByGames(const std::vector<std::vector<GameSums>>& sums,
                                 const std::vector<size_t>& unit, int resamples, uint64_t seed);

}  // namespace khanzero
