// SPDX-License-Identifier: GPL-3.0-or-later
//
// One `go` of the UCI engine: searches, reports, and gives the bestmove.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "env/game.h"
#include "mcts/forced_win.h"
#include "mcts/parallel.h"
#include "play/uci_game.h"
#include "play/uci_memory.h"

namespace khanzero {

template <Game G>
class UciSearch {
 public:
  // `memory` and the references after it must outlive the search.
  UciSearch(const PlayedGame<G>& game, const UciLimits& limits, const UciSearchOptions& options,
            UciMemory<G>& memory, UciOutput& out, SearchControl& control)
      : game_(game),
        limits_(limits),
        options_(options),
        memory_(memory),
        search_(memory.Begin(game, options.hash_mib)),
        out_(out),
        control_(control) {
    game_.position().LegalMoves(legal_);
    AllowSearchMoves();
    think_time_ms_ =
        ThinkTimeMs(limits_, options_.move_overhead_ms, game_.position().side_to_move());
    const bool has_limit = limits_.nodes || limits_.depth || think_time_ms_;
    // Here and not in Run(), whose thread may begin after ponderhit.
    if (limits_.infinite || limits_.ponder || !has_limit) control_.Hold();
  }

  // REQUIRES: there is a legal move.
  void Run(const std::vector<Evaluator*>& evaluators) {
    search_.set_simulation_limit(most_simulations());
    int64_t next_report_ms = kReportEveryMs;
    try {
      ParallelSearcher<G>(evaluators, kMostLeaves, &memory_.cache()).Run(search_, [&] {
        if (searched_ms() >= next_report_ms) {
          next_report_ms = searched_ms() + kReportEveryMs;
          Report();
        }
        return !Done();
      });
    } catch (...) {
      memory_.Forget();
      throw;
    }
    Report();
    control_.WaitWhileHeld();
    control_.Finish();  // before the bestmove, which may be answered by the next go
    GiveBestMove();
  }

 private:
  static constexpr int64_t kReportEveryMs = 1000;
  static constexpr int64_t kMostSimulations = 2'000'000'000;
  // Leaves in a batch: enough for nearly the rate of any larger batch (docs/performance.md), few
  // enough that a step takes milliseconds.
  static constexpr int kMostLeaves = 32;
  static constexpr int kLongestLine = 60;

  struct Line {
    Move move;
    const Node* node = nullptr;  // after the move; null when it was never looked at
  };

  int64_t simulations() const { return static_cast<int64_t>(search_.counters().simulations); }
  // Since the search began; the control's clock begins anew at ponderhit.
  int64_t searched_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(SearchControl::Clock::now() -
                                                                 begin_)
        .count();
  }
  int64_t most_simulations() const {
    return std::clamp(limits_.nodes.value_or(kMostSimulations), int64_t{1}, kMostSimulations);
  }
  void AllowSearchMoves() {
    for (const std::string& text : limits_.search_moves) {
      const Move* const found = std::find_if(
          legal_.begin(), legal_.end(), [&](const Move& m) { return G::MoveToText(m) == text; });
      if (found == legal_.end()) {
        out_.Error("searchmoves: '" + text + "' is no legal move and is left out");
      } else {
        allowed_.push_back(*found);
      }
    }
  }

  bool Done() {
    if (control_.stopped()) return true;
    if (search_.tree().root().proof != Proof::kUnknown) return true;
    if (simulations() >= most_simulations()) return true;
    if (search_.tree().bytes() > UciMemory<G>::TreeBytes(options_.hash_mib)) {
      out_.Line("info string the tree has grown to the size that Hash allows; the search ends");
      return true;
    }
    if (control_.held()) return false;
    if (limits_.depth &&
        static_cast<int>(search_.PrincipalVariation(*limits_.depth).size()) >= *limits_.depth) {
      return true;
    }
    if (!think_time_ms_) return false;
    return control_.elapsed_ms() >= *think_time_ms_ || (legal_.size() == 1 && !limits_.movetime_ms);
  }

  const Node* NodeAfter(Move move) const {
    for (const Edge& edge : search_.tree().edges(search_.tree().root())) {
      if (edge.move == move && edge.child != kNoNode) return &search_.tree().node(edge.child);
    }
    return nullptr;
  }

  // The moves worth showing: the one to play, then by visits.
  std::vector<Line> Lines(const SearchResult& result) const {
    std::vector<Move> moves = {result.moves[static_cast<size_t>(result.best)].move};
    for (const RootMove& m : result.moves) {
      if (m.move != moves[0]) moves.push_back(m.move);
    }
    if (!allowed_.empty()) {
      std::erase_if(moves, [&](const Move& m) {
        return std::find(allowed_.begin(), allowed_.end(), m) == allowed_.end();
      });
    }
    std::vector<Line> lines;
    for (const Move& move : moves) {
      if (static_cast<int>(lines.size()) == options_.multi_pv) break;
      const Node* const node = NodeAfter(move);
      if (node == nullptr && !lines.empty()) continue;
      lines.push_back({.move = move, .node = node});
    }
    return lines;
  }

  // The moves of a line. The search proves wins of a ply or three without making nodes for them, so
  // their moves are added.
  std::vector<std::string> LineText(const Line& line) const {
    std::vector<std::string> text;
    typename G::Position position = game_.position();
    const auto play = [&](Move move) {
      text.push_back(G::MoveToText(move));
      position.Play(move);
    };
    for (const Move& move : search_.LineAfter(line.move, kLongestLine)) play(move);
    if (line.node == nullptr ||
        (line.node->proof != Proof::kWin && line.node->proof != Proof::kLoss)) {
      return text;
    }
    typename G::Moves moves;
    position.LegalMoves(moves);
    if (text.size() == 1 && line.node->proof_plies == 2 && !moves.empty()) {
      play(moves[0]);  // one reply is as bad as another
      position.LegalMoves(moves);
    }
    if (const auto win = ForcedWinFinder<G>::AtOnce(position, moves)) play(moves[win->move]);
    return text;
  }

  // "cp 35 wdl 400 300 300" or "mate -2": for the side to move at the root.
  std::string ScoreText(const Line& line, const SearchResult& result) const {
    Wdl wdl = result.root;
    std::string text;
    if (line.node != nullptr) {
      const Node& node = *line.node;
      const int moves_to_end = (node.proof_plies + 2) / 2;
      if (node.proof == Proof::kLoss) text = "mate " + std::to_string(moves_to_end);
      if (node.proof == Proof::kWin) {
        text = "mate -" + std::to_string((node.proof_plies + 1) / 2);
      }
      const double value = node.proof != Proof::kUnknown ? -ProofValue(node.proof) : -node.value();
      const double draw = node.proof == Proof::kDraw      ? 1.0
                          : node.proof != Proof::kUnknown ? 0.0
                          : node.visit_count > 0          ? node.draw_sum / node.visit_count
                                                          : 1.0;
      wdl = {.win = static_cast<float>(std::max(0.0, (1.0 - draw + value) / 2.0)),
             .draw = static_cast<float>(draw),
             .loss = static_cast<float>(std::max(0.0, (1.0 - draw - value) / 2.0))};
    }
    if (text.empty()) {
      text = "cp " + std::to_string(CentipawnsFromValue(static_cast<double>(wdl.value())));
    }
    if (!options_.show_wdl) return text;
    const auto win = static_cast<int>(std::lround(1000.0F * wdl.win));
    const auto loss = std::min(1000 - win, static_cast<int>(std::lround(1000.0F * wdl.loss)));
    return text + " wdl " + std::to_string(win) + " " + std::to_string(1000 - win - loss) + " " +
           std::to_string(loss);
  }

  // The length of the longest path in the tree.
  int SelectiveDepth() const {
    const Tree& tree = search_.tree();
    int deepest = 0;
    std::vector<std::pair<NodeIndex, int>> open = {{Tree::kRoot, 0}};
    while (!open.empty()) {
      const auto [index, depth] = open.back();
      open.pop_back();
      deepest = std::max(deepest, depth);
      const Node& node = tree.node(index);
      const std::span<const Edge> edges = tree.edges(node);
      // Below the root the visited edges come first.
      const size_t reach = index == Tree::kRoot ? edges.size() : node.visited_edges;
      for (size_t i = 0; i < reach; ++i) {
        if (edges[i].child != kNoNode) open.emplace_back(edges[i].child, depth + 1);
      }
    }
    return deepest;
  }

  void Report() {
    const SearchResult result = search_.Result();
    const int64_t time = searched_ms();
    const std::vector<Line> lines = Lines(result);
    const int selective_depth = SelectiveDepth();
    const int64_t hash_full = static_cast<int64_t>(search_.tree().bytes() * 1000 /
                                                   UciMemory<G>::TreeBytes(options_.hash_mib));
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::vector<std::string> moves = LineText(lines[i]);
      const int depth = static_cast<int>(moves.size());
      std::string text = "info depth " + std::to_string(depth) + " seldepth " +
                         std::to_string(std::max(depth, selective_depth)) + " multipv " +
                         std::to_string(i + 1) + " score " + ScoreText(lines[i], result) +
                         " nodes " + std::to_string(simulations()) + " nps " +
                         std::to_string(simulations() * 1000 / std::max<int64_t>(1, time)) +
                         " hashfull " + std::to_string(std::min<int64_t>(1000, hash_full)) +
                         " time " + std::to_string(time) + " pv";
      for (const std::string& move : moves) text += " " + move;
      out_.Line(text);
    }
  }

  void GiveBestMove() {
    const std::vector<std::string> moves = LineText(Lines(search_.Result())[0]);
    out_.Line("bestmove " + moves[0] + (moves.size() > 1 ? " ponder " + moves[1] : ""));
  }

  PlayedGame<G> game_;
  UciLimits limits_;
  UciSearchOptions options_;
  UciMemory<G>& memory_;
  Search<G>& search_;
  UciOutput& out_;
  SearchControl& control_;
  typename G::Moves legal_;
  std::vector<Move> allowed_;  // empty: every move
  std::optional<int64_t> think_time_ms_;
  SearchControl::Clock::time_point begin_ = SearchControl::Clock::now();
};

}  // namespace khanzero
