// SPDX-License-Identifier: GPL-3.0-or-later
//
// One `go` of the UCI engine: searches, reports, and gives the bestmove.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "env/game.h"
#include "env/random.h"
#include "mcts/parallel.h"
#include "play/analysis.h"
#include "play/skill.h"
#include "play/uci_game.h"
#include "play/uci_memory.h"
#include "play/uci_options.h"

namespace khanzero {

template <Game G>
class UciSearch {
 public:
  struct Task {
    PlayedGame<G> game;
    UciLimits limits{};
    UciOptions options{};
    uint64_t seed = 0;  // for the dice of a weakened player
  };

  // `memory` and the references after it must outlive the search.
  UciSearch(const Task& task, UciMemory<G>& memory, UciOutput& out, SearchControl& control)
      : game_(task.game),
        limits_(task.limits),
        options_(task.options),
        skill_(task.options.PlayingSkill()),
        random_(Mix64(task.seed ^ task.game.position().key())),
        memory_(memory),
        out_(out),
        control_(control),
        moves_(ListMoves()),
        search_(BeginSearch()) {
    think_time_ms_ =
        ThinkTimeMs(limits_, options_.move_overhead_ms, game_.position().side_to_move());
    const bool has_limit = limits_.nodes || limits_.depth || think_time_ms_ || limits_.mate;
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

  int64_t simulations() const { return static_cast<int64_t>(search_.counters().simulations); }
  // Since the search began; the control's clock begins anew at ponderhit.
  int64_t searched_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(SearchControl::Clock::now() -
                                                                 begin_)
        .count();
  }
  int64_t most_simulations() const {
    const int64_t most = skill_ ? skill_->simulations : kMostSimulations;
    return std::clamp(limits_.nodes.value_or(most), int64_t{1}, most);
  }
  // Those of searchmoves, or all legal moves where it names none.
  std::vector<Move> ListMoves() {
    typename G::Moves legal;
    game_.position().LegalMoves(legal);
    std::vector<Move> moves;
    for (const std::string& text : limits_.search_moves) {
      const Move* const found = std::find_if(
          legal.begin(), legal.end(), [&](const Move& m) { return G::MoveToText(m) == text; });
      if (found == legal.end()) {
        out_.Error("searchmoves: " + QuoteInput(text) + " is no legal move and is left out");
      } else if (std::find(moves.begin(), moves.end(), *found) == moves.end()) {
        moves.push_back(*found);
      }
    }
    limited_ = !moves.empty() && moves.size() < static_cast<size_t>(legal.size());
    return limited_ ? moves : std::vector<Move>(legal.begin(), legal.end());
  }
  Search<G>& BeginSearch() {
    if (limited_) return memory_.BeginAmong(game_, moves_, options_.search, options_.hash_mib);
    // A weak player must not have the tree of a strong one, nor one that grows from move to move.
    return memory_.Begin(game_, options_.search, options_.hash_mib, skill_.has_value());
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
    return control_.elapsed_ms() >= *think_time_ms_ || (moves_.size() == 1 && !limits_.movetime_ms);
  }

  static std::string PvText(const AnalysisLine& line) {
    std::string text;
    for (const Move& move : line.moves) text += " " + G::MoveToText(move);
    return text;
  }

  // "cp 35 wdl 400 300 300" or "mate -2": for the side to move at the root.
  std::string ScoreText(const AnalysisLine& line) const {
    const std::string text = line.mate ? "mate " + std::to_string(*line.mate)
                                       : "cp " + std::to_string(line.centipawns());
    if (!options_.show_wdl) return text;
    const std::array<int, 3> wdl = InThousand(line.wdl);
    return text + " wdl " + std::to_string(wdl[0]) + " " + std::to_string(wdl[1]) + " " +
           std::to_string(wdl[2]);
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
    const int64_t time = searched_ms();
    const std::vector<AnalysisLine> lines = BestLines(search_, options_.multi_pv);
    const int selective_depth = SelectiveDepth();
    const int64_t hash_full = static_cast<int64_t>(search_.tree().bytes() * 1000 /
                                                   UciMemory<G>::TreeBytes(options_.hash_mib));
    for (size_t i = 0; i < lines.size(); ++i) {
      const int depth = static_cast<int>(lines[i].moves.size());
      out_.Line("info depth " + std::to_string(depth) + " seldepth " +
                std::to_string(std::max(depth, selective_depth)) + " multipv " +
                std::to_string(i + 1) + " score " + ScoreText(lines[i]) + " nodes " +
                std::to_string(simulations()) + " nps " +
                std::to_string(simulations() * 1000 / std::max<int64_t>(1, time)) + " hashfull " +
                std::to_string(std::min<int64_t>(1000, hash_full)) + " time " +
                std::to_string(time) + " pv" + PvText(lines[i]));
    }
  }

  AnalysisLine Chosen() {
    if (!skill_) return BestLines(search_, 1)[0];
    return LineWith(search_, search_.Result(), ChooseBySkill(search_, *skill_, random_));
  }

  void GiveBestMove() {
    const std::vector<Move> moves = Chosen().moves;
    out_.Line("bestmove " + G::MoveToText(moves[0]) +
              (moves.size() > 1 ? " ponder " + G::MoveToText(moves[1]) : ""));
  }

  PlayedGame<G> game_;
  UciLimits limits_;
  UciOptions options_;
  std::optional<Skill> skill_;  // nothing: full strength
  Random random_;
  UciMemory<G>& memory_;
  UciOutput& out_;
  SearchControl& control_;
  bool limited_ = false;     // whether searchmoves leaves moves out
  std::vector<Move> moves_;  // to choose among
  Search<G>& search_;
  std::optional<int64_t> think_time_ms_;
  SearchControl::Clock::time_point begin_ = SearchControl::Clock::now();
};

}  // namespace khanzero
