// SPDX-License-Identifier: GPL-3.0-or-later
//
// The formulas of "Policy improvement by planning with Gumbel" (Danihelka, Guez, Schrittwieser,
// Silver, ICLR 2022): the order in which sequential halving spends the simulations, the
// transformation of Q, and the value that completes unvisited actions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace khanzero {

// For each simulation at the root, how many visits the action must have that gets it. Sequential
// halving over `considered` actions: each of ceil(log2) phases gives the surviving actions an equal
// share, then halves them; what is left over goes to the last two in turn.
inline std::vector<int> SequentialHalvingVisits(int considered, int simulations) {
  std::vector<int> order;
  order.reserve(static_cast<size_t>(simulations));
  if (considered <= 1) {
    for (int i = 0; i < simulations; ++i) order.push_back(i);
    return order;
  }
  int phases = 0;
  while ((1 << phases) < considered) ++phases;
  int survivors = considered;
  int visits = 0;
  while (static_cast<int>(order.size()) < simulations) {
    const int rounds = std::max(1, simulations / (phases * survivors));
    for (int round = 0; round < rounds; ++round, ++visits) {
      order.insert(order.end(), static_cast<size_t>(survivors), visits);
    }
    survivors = std::max(2, survivors / 2);
  }
  order.resize(static_cast<size_t>(simulations));
  return order;
}

// sigma of the paper: how much a value in -1..1 weighs against logits, growing with the visits of
// the most visited action.
struct QTransform {
  double c_visit;
  double c_scale;

  double operator()(double value, uint32_t most_visits) const {
    return (c_visit + most_visits) * c_scale * 0.5 * (value + 1.0);
  }
};

// Completes a node's Q: v_mix of the paper's appendix D, from the node's own value estimate, its
// visited children's priors and values.
class MixedValue {
 public:
  void Add(double prior, double value, uint32_t visits) {
    prior_sum_ += prior;
    weighted_ += prior * value;
    visits_ += visits;
    most_visits_ = std::max(most_visits_, visits);
  }
  double Value(double own_value) const {
    if (visits_ == 0 || prior_sum_ <= 0.0) return own_value;
    const auto visits = static_cast<double>(visits_);
    return (own_value + visits * (weighted_ / prior_sum_)) / (1.0 + visits);
  }
  double prior_sum() const { return prior_sum_; }
  uint64_t visits() const { return visits_; }
  uint32_t most_visits() const { return most_visits_; }

 private:
  double prior_sum_ = 0.0;
  double weighted_ = 0.0;
  uint64_t visits_ = 0;
  uint32_t most_visits_ = 0;
};

}  // namespace khanzero
