// SPDX-License-Identifier: GPL-3.0-or-later
//
// The searches behind the page: with a network, and without one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "env/game.h"
#include "mcts/parallel.h"
#include "play/alpha_beta.h"
#include "play/analysis.h"
#include "play/web_game.h"

namespace khanzero {

template <Game G>
class WebNetworkSearch {
 public:
  WebNetworkSearch(const GameState<G>& game, const WebSearchLimits& limits)
      : limits_(limits),
        search_({.algorithm = RootAlgorithm::kPuct, .simulations = limits.simulations},
                Exploration::kNone, Random(0)) {
    search_.Begin(game.position(), game.history());
  }

  // REQUIRES: brain.evaluator is of this game.
  WebAnalysis Run(WebBrain& brain, const std::atomic<bool>& stop) {
    ParallelSearcher<G>(std::array{brain.evaluator.get()}, kMostLeaves, &brain.cache)
        .Run(search_, [&] { return !stop.load(); });
    const SearchResult result = search_.Result();
    WebAnalysis analysis{.choice = G::MoveToText(Choose(result)),
                         .wdl = result.root,
                         .mover = search_.root_position().side_to_move(),
                         .simulations = static_cast<int64_t>(search_.counters().simulations)};
    for (const AnalysisLine& line : BestLines(search_, limits_.lines)) {
      WebLine shown{.wdl = line.wdl, .mate = line.mate, .visits = line.visits};
      for (const Move& move :
           std::span(line.moves).first(std::min(line.moves.size(), kMostMoves))) {
        shown.moves.push_back(G::MoveToText(move));
      }
      analysis.lines.push_back(std::move(shown));
    }
    return analysis;
  }

 private:
  static constexpr int kMostLeaves = 32;
  static constexpr size_t kMostMoves = 12;  // of a line

  // The best move, or by the dice one that is nearly as good: looked at half as often or more, and
  // no worse than by kNearlyAsGood. Proven results are never given away.
  Move Choose(const SearchResult& result) const {
    constexpr double kNearlyAsGood = 0.05;  // of a value -1..1
    const RootMove& best = result.moves[static_cast<size_t>(result.best)];
    if (!limits_.dice || result.proof != Proof::kUnknown) return best.move;
    const bool searched = best.visits >= 8;
    std::vector<Move> equals;
    for (const RootMove& m : result.moves) {
      if (m.proof != Proof::kUnknown) continue;
      const bool as_likely =
          searched ? 2 * m.visits >= best.visits && m.value >= best.value - kNearlyAsGood
                   : 2 * m.prior >= best.prior;
      if (as_likely) equals.push_back(m.move);
    }
    if (equals.empty()) return best.move;
    Random random(*limits_.dice);
    return equals[static_cast<size_t>(random.Below(equals.size()))];
  }

  WebSearchLimits limits_;
  Search<G> search_;
};

// The baseline's search. Its depth grows with the simulations that were asked for.
template <Game G>
WebAnalysis SearchWithoutNetwork(const GameState<G>& game, const WebSearchLimits& limits,
                                 const std::atomic<bool>& stop) {
  // Placements make a ply several times as broad, so the deepest search is shallower there.
  constexpr int kDeepest = G::Spec::kHasHands ? 2 : 4;
  const int asked = limits.simulations < 64 ? 1 : limits.simulations < 800 ? 2 : kDeepest;
  const auto answer =
      AlphaBeta<G>(std::min(asked, kDeepest)).Choose(game, Random(limits.dice.value_or(0)), &stop);
  WebAnalysis analysis{.choice = G::MoveToText(answer.move),
                       .mover = game.position().side_to_move(),
                       .simulations = static_cast<int64_t>(answer.nodes)};
  // 100 hundredths of a pawn are an expected score of 76 %, as in the UCI engine.
  const double score = 1.0 / (1.0 + std::pow(10.0, -answer.score / 200.0));
  analysis.wdl = {static_cast<float>(score), 0.0F, static_cast<float>(1.0 - score)};
  WebLine line{.moves = {analysis.choice}, .wdl = analysis.wdl, .visits = analysis.simulations};
  constexpr int kLongestMate = 100;
  const int plies = AlphaBeta<G>::kMate - std::abs(answer.score);
  if (plies <= kLongestMate) line.mate = answer.score > 0 ? (plies + 1) / 2 : -(plies / 2);
  analysis.lines.push_back(std::move(line));
  return analysis;
}

}  // namespace khanzero
