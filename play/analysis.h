// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a search has found, as people and chess programs read it: the best moves with their chances,
// their score or mate, and the line that is expected after them. The UCI engine, `khanzero analyze`
// and the terminal show the same.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "env/game.h"
#include "mcts/forced_win.h"
#include "mcts/parallel.h"
#include "mcts/search.h"
#include "play/uci_game.h"

namespace khanzero {

struct AnalysisLine {
  Move move{};
  std::vector<Move> moves{};  // the line, `move` first
  Wdl wdl{};                  // for the side to move
  std::optional<int> mate{};  // in so many moves; negative: it is mated
  uint32_t visits = 0;
  double prior = 0.0;  // of the network

  int centipawns() const { return CentipawnsFromValue(static_cast<double>(wdl.value())); }
};

// Chances in thousandths, which sum to 1,000.
inline std::array<int, 3> InThousand(const Wdl& wdl) {
  const auto win = static_cast<int>(std::lround(1000.0F * wdl.win));
  const auto loss = std::min(1000 - win, static_cast<int>(std::lround(1000.0F * wdl.loss)));
  return {win, 1000 - win - loss, loss};
}

namespace analysis_internal {

template <Game G>
const Node* NodeAfter(const Search<G>& search, Move move) {
  for (const Edge& edge : search.tree().edges(search.tree().root())) {
    if (edge.move == move && edge.child != kNoNode) return &search.tree().node(edge.child);
  }
  return nullptr;
}

// The search proves wins of a ply or three without making nodes for them, so their moves are added.
template <Game G>
std::vector<Move> LineOf(const Search<G>& search, Move first, const Node* node, int most) {
  std::vector<Move> line = search.LineAfter(first, most);
  if (node == nullptr || (node->proof != Proof::kWin && node->proof != Proof::kLoss)) return line;
  typename G::Position position = search.root_position();
  for (const Move& move : line) position.Play(move);
  typename G::Moves moves;
  position.LegalMoves(moves);
  if (line.size() == 1 && node->proof_plies == 2 && !moves.empty()) {
    line.push_back(moves[0]);  // one reply is as bad as another
    position.Play(moves[0]);
    position.LegalMoves(moves);
  }
  if (const auto win = ForcedWinFinder<G>::AtOnce(position, moves)) {
    line.push_back(moves[win->move]);
  }
  return line;
}

// `node` is that of the opponent.
inline Wdl WdlAfter(const Node& node) {
  const double value = node.proof != Proof::kUnknown ? -ProofValue(node.proof) : -node.value();
  const double draw = node.proof == Proof::kDraw      ? 1.0
                      : node.proof != Proof::kUnknown ? 0.0
                      : node.visit_count > 0          ? node.draw_sum / node.visit_count
                                                      : 1.0;
  return {.win = static_cast<float>(std::max(0.0, (1.0 - draw + value) / 2.0)),
          .draw = static_cast<float>(draw),
          .loss = static_cast<float>(std::max(0.0, (1.0 - draw - value) / 2.0))};
}

}  // namespace analysis_internal

inline constexpr int kLongestLine = 60;

// The line that begins with `move`. REQUIRES: search.has_result(); `move` is legal.
template <Game G>
AnalysisLine LineWith(const Search<G>& search, const SearchResult& result, Move move) {
  AnalysisLine line{.move = move, .wdl = result.root};
  for (const RootMove& m : result.moves) {
    if (m.move == move) {
      line.visits = m.visits;
      line.prior = m.prior;
    }
  }
  const Node* const node = analysis_internal::NodeAfter(search, move);
  line.moves = analysis_internal::LineOf(search, move, node, kLongestLine);
  if (node == nullptr) return line;
  if (node->proof == Proof::kLoss) line.mate = (node->proof_plies + 2) / 2;
  if (node->proof == Proof::kWin) line.mate = -(node->proof_plies + 1) / 2;
  line.wdl = analysis_internal::WdlAfter(*node);
  return line;
}

// The `most` best moves: the one to play, then by visits. Moves that were never looked at are left
// out, but there is always one line. REQUIRES: search.has_result().
template <Game G>
std::vector<AnalysisLine> BestLines(const Search<G>& search, int most) {
  const SearchResult result = search.Result();
  std::vector<Move> moves = {result.moves[static_cast<size_t>(result.best)].move};
  for (const RootMove& m : result.moves) {
    if (m.move != moves[0]) moves.push_back(m.move);
  }
  std::vector<AnalysisLine> lines;
  for (const Move& move : moves) {
    if (static_cast<int>(lines.size()) == most) break;
    if (!lines.empty() && analysis_internal::NodeAfter(search, move) == nullptr) continue;
    lines.push_back(LineWith(search, result, move));
  }
  return lines;
}

// Each that is given holds; with none a search ends when its tree is full.
struct AnalysisLimits {
  std::optional<int64_t> nodes{};
  std::optional<int64_t> movetime_ms{};
  size_t tree_bytes = size_t{1} << 30;
  std::stop_token stop{};
};

// Searches single positions, each from nothing.
template <Game G>
class Analyst {
 public:
  // A thread for each evaluator. REQUIRES: one at least, all of the game's shape.
  explicit Analyst(std::vector<std::unique_ptr<Evaluator>> evaluators)
      : evaluators_(std::move(evaluators)), cache_(kCacheBytes) {
    for (const std::unique_ptr<Evaluator>& e : evaluators_) pointers_.push_back(e.get());
  }

  // The search, finished or at its limits; it is the analyst's, and the next call's too. REQUIRES:
  // there is a legal move.
  const Search<G>& Run(const GameState<G>& game, const AnalysisLimits& limits) {
    using Clock = std::chrono::steady_clock;
    constexpr int64_t kMostSimulations = 2'000'000'000;
    const Clock::time_point begin = Clock::now();
    search_.Begin(game.position(), game.history());
    search_.set_simulation_limit(limits.nodes.value_or(kMostSimulations));
    const auto within_time = [&] {
      return !limits.movetime_ms ||
             Clock::now() - begin < std::chrono::milliseconds(*limits.movetime_ms);
    };
    ParallelSearcher<G>(pointers_, kMostLeaves, &cache_).Run(search_, [&] {
      return !search_.finished() && within_time() && !limits.stop.stop_requested() &&
             search_.tree().bytes() < limits.tree_bytes;
    });
    elapsed_ms_ =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
    return search_;
  }
  // Of the last search.
  int64_t elapsed_ms() const { return elapsed_ms_; }

 private:
  static constexpr size_t kCacheBytes = size_t{64} << 20;
  static constexpr int kMostLeaves = 32;

  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::vector<Evaluator*> pointers_;
  EvaluationCache cache_;
  Search<G> search_{
      {.algorithm = RootAlgorithm::kPuct, .simulations = 1}, Exploration::kNone, Random(0)};
  int64_t elapsed_ms_ = 0;
};

}  // namespace khanzero
