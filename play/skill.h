// SPDX-License-Identifier: GPL-3.0-or-later
//
// Playing below full strength in a believable way: fewer simulations, and a choice among the moves
// at the root by how good they look instead of always the best. Levels go from 0 to 20; their
// places and the Elo figures that go with them were measured (docs/play.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "env/random.h"
#include "mcts/forced_win.h"
#include "mcts/search.h"

namespace khanzero {

inline constexpr int kMostSkill = 20;  // full strength

struct Skill {
  int64_t simulations = 0;   // most for a move
  double temperature = 0.0;  // of the choice: 0 is always the best move
  // Plays no move after which the opponent wins at once, where another move does not allow it.
  bool sees_replies = false;
};

// Of a level from 0 to 20, with any fraction; nothing for full strength.
std::optional<Skill> SkillOfLevel(double level);

// Between the Elo figures of level 0 and level 20, and between the levels themselves.
inline constexpr int kLeastElo = 500;
inline constexpr int kMostElo = 2400;
double LevelOfElo(int elo);
int EloOfLevel(double level);

// The move that a player of `skill` makes after `search`: by chance, with the weights
// (visits + some share of the prior)^(1 / temperature). A win that is proven is played, and a loss
// that is proven avoided. REQUIRES: search.has_result().
template <Game G>
Move ChooseBySkill(const Search<G>& search, const Skill& skill, Random& random) {
  constexpr double kPriorVisits = 4.0;  // so much the priors count, in visits
  const SearchResult result = search.Result();
  const Move best = result.moves[static_cast<size_t>(result.best)].move;
  if (skill.temperature <= 0.0 || result.proof != Proof::kUnknown) return best;
  const typename G::Position& position = search.root_position();
  const auto allows_win = [&](Move move) {
    typename G::Position next = position;
    next.Play(move);
    typename G::Moves replies;
    next.LegalMoves(replies);
    return ForcedWinFinder<G>::AtOnce(next, replies).has_value();
  };
  double most = 0.0;
  for (const RootMove& m : result.moves) most = std::max(most, m.visits + kPriorVisits * m.prior);
  std::vector<double> weights;
  for (const RootMove& m : result.moves) {
    const double relative = (m.visits + kPriorVisits * m.prior) / most;
    weights.push_back(m.proof == Proof::kWin ? 0.0 : std::pow(relative, 1.0 / skill.temperature));
  }
  for (;;) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (sum <= 0.0) return best;
    const double drawn = random.Uniform() * sum;
    size_t chosen = 0;
    double passed = 0.0;
    for (size_t i = 0; i < weights.size() && passed <= drawn; ++i) {
      if (weights[i] <= 0.0) continue;
      chosen = i;
      passed += weights[i];
    }
    const Move move = result.moves[chosen].move;
    if (!skill.sees_replies || !allows_win(move)) return move;
    weights[chosen] = 0.0;
  }
}

}  // namespace khanzero
