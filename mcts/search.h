// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search of one position. It never calls an evaluator: Descend() walks to a leaf, the caller
// evaluates leaves of many searches (or several of one) in one batch, and Complete() takes the
// answer. Ends of games are exact: they are seen when a node is made, and proven results are backed
// up and never given away.
//
//   search.Begin(position, history);
//   while (!search.finished()) {
//     switch (search.Descend(leaf)) {
//       case Descent::kNeedsEvaluation: evaluate leaf.position; search.Complete(leaf, logits, wdl);
//       case Descent::kFinished:        that simulation ended at a known result
//       case Descent::kCollision:       every way down ends at a leaf that still waits
//     }
//   }
//   SearchResult result = search.Result();
//
// Some evaluations do not make a node but widen one: see tree.h. They count as no simulation.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "env/error.h"
#include "env/game.h"
#include "env/history.h"
#include "env/random.h"
#include "mcts/forced_win.h"
#include "mcts/gumbel.h"
#include "mcts/settings.h"
#include "mcts/tree.h"

namespace khanzero {

// Whether the root is explored beyond what the network and the values say: in self-play it is
// (Gumbel noise, Dirichlet noise), in play it is not.
enum class Exploration { kNone, kSelfPlay };

enum class Descent { kNeedsEvaluation, kFinished, kCollision };

// A position that waits for its evaluation. Owned and reused by the caller.
template <class Game>
struct Leaf {
  typename Game::Position position = Game::Position::Start();
  typename Game::Moves moves;
  std::vector<uint16_t> policy_indices;  // of `moves`, in the same order
  std::vector<NodeIndex> path;           // root first
};

struct RootMove {
  Move move;
  uint32_t visits = 0;
  double value = 0.0;             // for the side to move at the root, -1..1; 0 when unvisited
  double prior = 0.0;             // without noise
  double target = 0.0;            // the improved policy, what a network should learn; sums to 1
  Proof proof = Proof::kUnknown;  // for the side to move after the move
};

struct SearchResult {
  std::vector<RootMove> moves;  // most visited first
  int best = 0;                 // index into moves of the move to play
  Wdl root;                     // for the side to move at the root
  Proof proof = Proof::kUnknown;
  int proof_plies = 0;
};

// Facts for the metrics, summed since Begin().
struct SearchCounters {
  uint64_t simulations = 0;
  uint64_t evaluations = 0;
  uint64_t cache_hits = 0;       // of the evaluations, those that a cache answered
  uint64_t terminal_visits = 0;  // simulations that needed no evaluation
};

template <Game G>
class Search {
 public:
  using Position = typename G::Position;

  Search(const SearchSettings& settings, Exploration exploration, Random random)
      : settings_(settings), exploration_(exploration), random_(random) {}

  // Starts anew. `history` holds the keys of the game's earlier positions. REQUIRES: there is a
  // legal move.
  void Begin(const Position& root, const KeyHistory& history) {
    Seat(root, history);
    tree_.Reset();
  }

  // Begins with what the tree of the last search knows about `root`, which is `moves` after the
  // position of that search. False when nothing is known and the search starts anew. REQUIRES: no
  // leaf of the last search waits; there is a legal move.
  bool Continue(const Position& root, const KeyHistory& history, std::span<const Move> moves);

  // Explores or not from the next Begin() on.
  void set_exploration(Exploration exploration) { exploration_ = exploration; }

  // Takes another random stream: that of the next game.
  void Reseed(Random random) { random_ = random; }

  // Overrides the number of simulations of the current search.
  void set_simulation_limit(int64_t limit) { simulation_limit_ = limit; }
  // Those that wait for an evaluation included.
  int64_t simulations_started() const { return simulations_started_; }
  // Lets no more than `count` further simulations start until this is called again: for a caller
  // that must not be kept by simulations which need no evaluation. Begin() lifts it.
  void AllowStarts(int64_t count) { most_started_ = simulations_started_ + count; }

  // Whether Result() has something to say.
  bool has_result() const { return tree_.root().expanded || tree_.root().proof != Proof::kUnknown; }

  bool finished() const {
    return tree_.root().proof != Proof::kUnknown ||
           (root_ready_ && counters_.simulations >= static_cast<uint64_t>(simulation_limit_));
  }

  // Whether another simulation may be started while some still wait for their evaluation.
  bool can_start() const {
    return tree_.root().proof == Proof::kUnknown &&
           simulations_started_ < std::min(simulation_limit_, most_started_);
  }

  // Walks from the root to a leaf. REQUIRES: !finished().
  Descent Descend(Leaf<G>& leaf);
  // The answer for a leaf of this search: one logit for each of leaf.moves, in their order.
  // `from_cache` says that no evaluator was asked.
  void Complete(Leaf<G>& leaf, std::span<const float> logits, const Wdl& wdl,
                bool from_cache = false);

  // What is known now. REQUIRES: the root was evaluated or proven.
  SearchResult Result() const;

  // The most promising line from the root, at most `most` moves.
  std::vector<Move> PrincipalVariation(int most) const;
  // The same for the line that begins with `first`, a legal move at the root.
  std::vector<Move> LineAfter(Move first, int most) const;

  const Position& root_position() const { return root_; }
  const SearchCounters& counters() const { return counters_; }
  const Tree& tree() const { return tree_; }
  Random& random() { return random_; }

 private:
  // Positions that the look for a win in three plies may take at the root, for each simulation: a
  // few microseconds, where an evaluation takes a hundred.
  static constexpr int64_t kRootLooksPerSimulation = 64;
  static constexpr int64_t kMostPaidFor = 4000;  // simulations; some 50 ms at most
  // Simulations that sequential halving plans for; what comes after goes to its last two actions.
  static constexpr int64_t kMostScheduled = 10'000'000;
  static_assert(sizeof(typename G::Moves) / sizeof(Move) <= Tree::kMostEdges);

  void Seat(const Position& root, const KeyHistory& history) {
    root_ = root;
    history_ = history;
    counters_ = {};
    simulations_started_ = 0;
    root_ready_ = false;
    simulation_limit_ = settings_.simulations;
    most_started_ = std::numeric_limits<int64_t>::max();
  }
  NodeIndex FindNode(const Position& root, std::span<const Move> moves) const;
  bool MakeLeaf(Leaf<G>& leaf);
  void MakeWideningLeaf(Leaf<G>& leaf);
  static void ListPolicyIndices(Leaf<G>& leaf);
  std::optional<typename ForcedWinFinder<G>::Win> FindWin(const Leaf<G>& leaf, bool is_root);
  void ExpandWonRoot(Leaf<G>& leaf, const typename ForcedWinFinder<G>::Win& win);
  void Finish(std::span<const NodeIndex> path, Proof proof);
  int SelectRoot();
  int SelectRootGumbel();
  bool ConsiderAnother();
  int SelectGumbel(NodeIndex index);
  int SelectPuct(NodeIndex index);
  void PrepareRoot();
  double Logit(const Edge& edge) const { return std::log(std::max(edge.prior, 1e-30F)); }
  std::array<int64_t, 3> LineKey(const Edge& edge) const;
  double RootMixedValue(uint32_t* most_visits) const;
  double PuctExploration(double visits) const;
  double ForcedVisits(const Edge& edge, double visits) const;
  void FillTargets(SearchResult& result) const;
  void FillVisitTargets(std::vector<RootMove>& moves) const;
  bool forces_playouts() const {
    return exploration_ == Exploration::kSelfPlay && settings_.forced_playouts > 0.0;
  }
  int ChooseBest(const SearchResult& result) const;
  double GumbelScore(const Edge& edge, size_t i, double mixed, uint32_t most_visits) const;

  SearchSettings settings_;
  Exploration exploration_;
  Random random_;
  Tree tree_;
  Position root_ = Position::Start();
  KeyHistory history_;
  SearchCounters counters_;
  int64_t simulation_limit_ = 0;
  int64_t simulations_started_ = 0;
  int64_t most_started_ = 0;
  bool root_ready_ = false;

  // Of the root's edges, in their order; made by PrepareRoot().
  std::vector<double> scores_;       // Gumbel: noise + logit
  std::vector<float> clean_priors_;  // without noise
  std::vector<bool> considered_;     // Gumbel: by sequential halving
  std::vector<int> reached_;         // Gumbel: those considered or with a child, rising
  std::vector<int> halving_visits_;

  // Scratch.
  std::vector<float> priors_;
};

}  // namespace khanzero

#include "mcts/search_impl.h"
