// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a search chooses the next move down its tree: Gumbel with sequential halving at the root, its
// deterministic rule below, and PUCT. Included by search_impl.h only. Formulas: docs/methods.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "mcts/search.h"

namespace khanzero {

template <Game G>
int Search<G>::SelectRoot() {
  if (settings_.algorithm == RootAlgorithm::kPuct) return SelectPuct(Tree::kRoot);
  return SelectRootGumbel();
}

template <Game G>
double Search<G>::RootMixedValue(uint32_t* most_visits) const {
  MixedValue mixed;
  const std::span<const Edge> edges = tree_.edges(tree_.root());
  const auto add = [&](size_t i) {
    const uint32_t visits = tree_.EdgeVisits(edges[i]);
    if (visits > 0) mixed.Add(clean_priors_[i], tree_.EdgeValue(edges[i], 0.0), visits);
  };
  if (settings_.algorithm == RootAlgorithm::kGumbel) {
    for (const int i : reached_) add(static_cast<size_t>(i));
  } else {
    for (size_t i = 0; i < edges.size(); ++i) add(i);
  }
  *most_visits = mixed.most_visits();
  return mixed.Value(tree_.root().raw_value);
}

template <Game G>
double Search<G>::GumbelScore(const Edge& edge, size_t i, double mixed,
                              uint32_t most_visits) const {
  const QTransform sigma{settings_.gumbel_c_visit, settings_.gumbel_c_scale};
  return scores_[i] + sigma(tree_.EdgeValue(edge, mixed), most_visits);
}

// Sequential halving: the next simulation goes to the best considered action among those with the
// number of visits that the schedule asks for. Actions that are proven to lose get no more; when
// all considered ones are, the next best takes their place.
template <Game G>
int Search<G>::SelectRootGumbel() {
  const std::span<const Edge> edges = tree_.edges(tree_.root());
  uint32_t most_visits = 0;
  const double mixed = RootMixedValue(&most_visits);
  const size_t turn =
      std::min(static_cast<size_t>(simulations_started_), halving_visits_.size() - 1);
  const auto wanted = static_cast<uint32_t>(halving_visits_[turn]);
  int best = -1;
  do {
    double best_score = -std::numeric_limits<double>::infinity();
    uint32_t best_distance = std::numeric_limits<uint32_t>::max();
    for (const int choice : reached_) {
      const auto i = static_cast<size_t>(choice);
      if (!considered_[i] || tree_.EdgeProof(edges[i]) == Proof::kWin) continue;
      // Normally some action has exactly the wanted visits; leaves in flight can leave none.
      const uint32_t visits = tree_.EdgeVisits(edges[i]);
      const uint32_t distance = visits > wanted ? visits - wanted : wanted - visits;
      if (distance > best_distance) continue;
      const double score = GumbelScore(edges[i], i, mixed, most_visits);
      if (distance < best_distance || score > best_score) {
        best = choice;
        best_score = score;
        best_distance = distance;
      }
    }
  } while (best < 0 && ConsiderAnother());
  Check(best >= 0, "a root that is not proven has a move that is not");
  return best;
}

// Lets sequential halving consider the best action by gumbel + logit of those that it does not and
// that are not proven to lose. False when there is none.
template <Game G>
bool Search<G>::ConsiderAnother() {
  const std::span<const Edge> edges = tree_.edges(tree_.root());
  int best = -1;
  double best_score = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < edges.size(); ++i) {
    if (considered_[i] || tree_.EdgeProof(edges[i]) == Proof::kWin) continue;
    if (scores_[i] > best_score) {
      best = static_cast<int>(i);
      best_score = scores_[i];
    }
  }
  if (best < 0) return false;
  considered_[static_cast<size_t>(best)] = true;
  const auto place = std::ranges::lower_bound(reached_, best);
  if (place == reached_.end() || *place != best) reached_.insert(place, best);
  return true;
}

// Below the root: argmax of pi'(a) - N(a) / (1 + sum N). Of the unvisited edges only the one with
// the greatest prior can win, and their share of pi' follows from the priors' sum, so the cost is
// that of the visited edges.
template <Game G>
int Search<G>::SelectGumbel(NodeIndex index) {
  const Node& node = tree_.node(index);
  const std::span<const Edge> edges = tree_.edges(node);
  const size_t visited = node.visited_edges;
  MixedValue mixed_value;
  for (size_t i = 0; i < visited; ++i) {
    const uint32_t visits = tree_.EdgeVisits(edges[i]);
    if (visits > 0) mixed_value.Add(edges[i].prior, tree_.EdgeValue(edges[i], 0.0), visits);
  }
  const double mixed = mixed_value.Value(node.raw_value);
  const uint32_t most_visits = mixed_value.most_visits();
  const QTransform sigma{settings_.gumbel_c_visit, settings_.gumbel_c_scale};
  // Weights are relative to the completed value of the unvisited, to stay in range.
  const double base = sigma(mixed, most_visits);
  double shift = 0.0;
  for (size_t i = 0; i < visited; ++i) {
    shift = std::max(shift, sigma(tree_.EdgeValue(edges[i], mixed), most_visits) - base);
  }
  const auto weight = [&](double prior, double value) {
    return prior * std::exp(sigma(value, most_visits) - base - shift);
  };
  double visited_prior = 0.0;
  double total = 0.0;
  for (size_t i = 0; i < visited; ++i) {
    visited_prior += edges[i].prior;
    total += weight(edges[i].prior, tree_.EdgeValue(edges[i], mixed));
  }
  total += weight(std::max(0.0, 1.0 - visited_prior), mixed);
  const double denominator = 1.0 + static_cast<double>(mixed_value.visits());
  int best = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < edges.size() && i <= visited; ++i) {
    double score = weight(edges[i].prior, tree_.EdgeValue(edges[i], mixed)) / total -
                   tree_.EdgeVisits(edges[i]) / denominator;
    // A move into a proven loss is taken only when there is nothing else.
    if (tree_.EdgeProof(edges[i]) == Proof::kWin) score -= 1e6;
    if (score > best_score) {
      best = static_cast<int>(i);
      best_score = score;
    }
  }
  return best;
}

// c of PUCT, which grows with the logarithm of the visits (AlphaZero, Silver et al. 2018).
template <Game G>
double Search<G>::PuctExploration(double visits) const {
  return settings_.cpuct_init +
         std::log((visits + settings_.cpuct_base + 1.0) / settings_.cpuct_base);
}

// The visits that a move of an explored root gets at least once it has one: sqrt(k P N) (Wu 2019).
template <Game G>
double Search<G>::ForcedVisits(const Edge& edge, double visits) const {
  return std::sqrt(settings_.forced_playouts * edge.prior * visits);
}

// PUCT with first-play urgency: an unvisited move is worth its parent's value less a reduction by
// the share of prior already visited; nothing is taken off at an explored root.
template <Game G>
int Search<G>::SelectPuct(NodeIndex index) {
  const bool is_root = index == Tree::kRoot;
  const Node& node = tree_.node(index);
  const std::span<const Edge> edges = tree_.edges(node);
  const size_t reach =
      is_root ? edges.size() : std::min<size_t>(edges.size(), node.visited_edges + 1U);
  const double visits = node.visit_count + node.in_flight;
  double visited_prior = 0.0;
  for (size_t i = 0; i < reach; ++i) {
    if (edges[i].child != kNoNode) visited_prior += edges[i].prior;
  }
  const bool explored_root = is_root && exploration_ == Exploration::kSelfPlay;
  const double urgency =
      node.value() - (explored_root ? 0.0 : settings_.fpu_reduction * std::sqrt(visited_prior));
  // The node's own visit counts, so that the first simulation below it already follows the prior.
  const double scale = PuctExploration(visits) * std::sqrt(std::max(1.0, visits));
  const bool forces = is_root && forces_playouts();
  int best = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < reach; ++i) {
    double score = tree_.EdgeValue(edges[i], urgency) +
                   scale * edges[i].prior / (1.0 + tree_.EdgeVisits(edges[i]));
    const Proof proof = tree_.EdgeProof(edges[i]);
    if (proof == Proof::kWin) score -= 1e6;
    const uint32_t edge_visits = tree_.EdgeVisits(edges[i]);
    if (forces && proof == Proof::kUnknown && edge_visits > 0 &&
        edge_visits < ForcedVisits(edges[i], visits)) {
      score += 1e3;
    }
    if (score > best_score) {
      best = static_cast<int>(i);
      best_score = score;
    }
  }
  return best;
}

}  // namespace khanzero
