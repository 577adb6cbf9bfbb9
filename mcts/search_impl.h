// SPDX-License-Identifier: GPL-3.0-or-later
//
// Definitions of Search's members; included by search.h only.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>

#include "mcts/search.h"
#include "mcts/softmax.h"

namespace khanzero {

template <Game G>
Descent Search<G>::Descend(Leaf<G>& leaf) {
  leaf.path.assign(1, Tree::kRoot);
  const Node& root = tree_.root();
  if (!root.expanded || root.stored_edges < root.edge_count) {
    if (root.in_flight > 0) return Descent::kCollision;
    leaf.position = root_;
    if (root.expanded) {
      MakeWideningLeaf(leaf);
    } else if (!MakeLeaf(leaf)) {
      return Descent::kFinished;
    }
    tree_.AddInFlight(leaf.path);
    return Descent::kNeedsEvaluation;
  }
  if (!root_ready_) PrepareRoot();

  Position position = root_;
  const size_t history_size = history_.size();
  Descent descent = Descent::kCollision;
  bool widens = false;
  for (NodeIndex index = Tree::kRoot;;) {
    if (tree_.node(index).needs_widening()) {
      if (tree_.node(index).widening) break;
      leaf.position = position;
      MakeWideningLeaf(leaf);
      widens = true;
      descent = Descent::kNeedsEvaluation;
      break;
    }
    const int choice = index == Tree::kRoot                            ? SelectRoot()
                       : settings_.algorithm == RootAlgorithm::kGumbel ? SelectGumbel(index)
                                                                       : SelectPuct(index);
    const Edge& edge = tree_.edges(tree_.node(index))[static_cast<size_t>(choice)];
    PlayWithHistory(position, history_, edge.move);
    NodeIndex child = edge.child;
    const bool is_new = child == kNoNode;
    if (is_new) child = tree_.AddChild(index, choice);
    leaf.path.push_back(child);
    if (is_new) {
      leaf.position = position;
      descent = MakeLeaf(leaf) ? Descent::kNeedsEvaluation : Descent::kFinished;
      break;
    }
    const Node& node = tree_.node(child);
    if (node.proof != Proof::kUnknown) {
      Finish(leaf.path, node.proof);
      descent = Descent::kFinished;
      break;
    }
    if (!node.expanded) break;  // still waits for its evaluation
    index = child;
  }
  history_.Truncate(history_size);
  if (descent != Descent::kCollision && !widens) ++simulations_started_;
  if (descent == Descent::kNeedsEvaluation) tree_.AddInFlight(leaf.path);
  return descent;
}

// Looks at a new node: a known end is proven and backed up at once (false), anything else waits for
// its evaluation (true). At the root draws by count or repetition do not end the search: a move is
// wanted there all the same.
template <Game G>
bool Search<G>::MakeLeaf(Leaf<G>& leaf) {
  const Position& position = leaf.position;
  const bool is_root = leaf.path.size() == 1;
  ListMoves(leaf);
  const Outcome outcome = position.OutcomeGiven(!leaf.moves.empty());
  if (outcome.over() && !(is_root && outcome.result == Result::kDraw)) {
    const Wdl wdl = WdlFor(outcome.result, position.side_to_move());
    const Proof proof = wdl.draw > 0.0F  ? Proof::kDraw
                        : wdl.win > 0.0F ? Proof::kWin
                                         : Proof::kLoss;
    tree_.Prove(leaf.path, proof, 0);
    Finish(leaf.path, proof);
    return false;
  }
  if (const auto win = FindWin(leaf, is_root)) {
    if (is_root) {
      ExpandWonRoot(leaf, *win);
    } else {
      tree_.Prove(leaf.path, Proof::kWin, win->plies);
      Finish(leaf.path, Proof::kWin);
    }
    return false;
  }
  ListPolicyIndices(leaf);
  return true;
}

// Asks for the last node of the path again, to give it the edges that it lacks.
template <Game G>
void Search<G>::MakeWideningLeaf(Leaf<G>& leaf) {
  tree_.node(leaf.path.back()).widening = true;
  ListMoves(leaf);
  ListPolicyIndices(leaf);
}

template <Game G>
void Search<G>::ListPolicyIndices(Leaf<G>& leaf) {
  leaf.policy_indices.clear();
  for (const Move& move : leaf.moves) {
    leaf.policy_indices.push_back(G::PolicyIndex(leaf.position, move));
  }
}

// The node that the tree has for `root`, or kNoNode when it has none that a search could go on
// from.
template <Game G>
NodeIndex Search<G>::FindNode(const Position& root, std::span<const Move> moves) const {
  Position position = root_;
  NodeIndex index = Tree::kRoot;
  if (tree_.node_count() == 0) return kNoNode;
  for (const Move& move : moves) {
    NodeIndex child = kNoNode;
    for (const Edge& edge : tree_.edges(tree_.node(index))) {
      if (edge.move == move) child = edge.child;
    }
    if (child == kNoNode) return kNoNode;
    position.Play(move);
    index = child;
  }
  return tree_.node(index).expanded && position.key() == root.key() ? index : kNoNode;
}

template <Game G>
bool Search<G>::Continue(const Position& root, const KeyHistory& history,
                         std::span<const Move> moves) {
  const NodeIndex found = FindNode(root, moves);
  const auto wins = [&] {
    Leaf<G> leaf;
    leaf.position = root;
    root.LegalMoves(leaf.moves);
    history_ = history;
    return FindWin(leaf, /*is_root=*/true).has_value();
  };
  // A new root sees wins that its node did not look for.
  if (found == kNoNode || (tree_.node(found).proof == Proof::kUnknown && wins())) {
    Begin(root, history);
    return false;
  }
  Seat(root, history);
  tree_.Reroot(found);
  return true;
}

// A forced win that needs no search: a step onto the last rank at every node; mates at every node
// in play, and at the root, where a search that found a longer way first would find a longer way
// again at the next move, and never mate; at the root also a win within three plies.
template <Game G>
std::optional<typename ForcedWinFinder<G>::Win> Search<G>::FindWin(const Leaf<G>& leaf,
                                                                   bool is_root) {
  const Position& position = leaf.position;
  if (is_root || exploration_ == Exploration::kNone) {
    if (const auto win = ForcedWinFinder<G>::AtOnce(position, leaf.moves)) return win;
  } else {
    for (int i = 0; i < leaf.moves.size(); ++i) {
      if (position.IsGoalMove(leaf.moves[i])) return typename ForcedWinFinder<G>::Win{i, 1};
    }
  }
  if (!is_root) return std::nullopt;
  ForcedWinFinder<G> finder(kRootLooksPerSimulation * std::min(simulation_limit_, kMostPaidFor));
  return finder.InThree(position, history_, leaf.moves);
}

// The root's mover wins by `win`: the edge is made, so that the move can be played.
template <Game G>
void Search<G>::ExpandWonRoot(Leaf<G>& leaf, const typename ForcedWinFinder<G>::Win& win) {
  priors_.assign(static_cast<size_t>(leaf.moves.size()), 0.0F);
  priors_[static_cast<size_t>(win.move)] = 1.0F;
  tree_.Expand(Tree::kRoot, leaf.moves, priors_, 1.0);
  PrepareRoot();  // the winning move comes first
  leaf.path.push_back(tree_.AddChild(Tree::kRoot, 0));
  tree_.Prove(leaf.path, Proof::kLoss, win.plies - 1);
  Finish(leaf.path, Proof::kLoss);
}

template <Game G>
void Search<G>::Finish(std::span<const NodeIndex> path, Proof proof) {
  const Wdl wdl = proof == Proof::kWin    ? Wdl{1.0F, 0.0F, 0.0F}
                  : proof == Proof::kLoss ? Wdl{0.0F, 0.0F, 1.0F}
                                          : Wdl{0.0F, 1.0F, 0.0F};
  tree_.Backup(path, wdl);
  ++counters_.terminal_visits;
  ++counters_.simulations;
}

template <Game G>
void Search<G>::Complete(Leaf<G>& leaf, std::span<const float> logits, const Wdl& wdl,
                         bool from_cache) {
  tree_.RemoveInFlight(leaf.path);
  ++counters_.evaluations;
  counters_.cache_hits += from_cache;
  Softmax(logits, priors_);
  if (tree_.node(leaf.path.back()).expanded) {
    tree_.Widen(leaf.path.back(), leaf.moves, priors_);
    return;
  }
  tree_.Expand(leaf.path.back(), leaf.moves, priors_, wdl.value());
  tree_.Backup(leaf.path, wdl);
  if (leaf.path.size() > 1) ++counters_.simulations;
}

// Draws this search's noise over the root's edges.
template <Game G>
void Search<G>::PrepareRoot() {
  root_ready_ = true;
  const Node& root = tree_.root();
  const std::span<Edge> edges = tree_.edges(root);
  clean_priors_.clear();
  for (const Edge& edge : edges) clean_priors_.push_back(edge.prior);
  const bool explores = exploration_ == Exploration::kSelfPlay;
  scores_.clear();
  if (settings_.algorithm == RootAlgorithm::kPuct) {
    if (!explores || settings_.dirichlet_weight <= 0.0 || settings_.dirichlet_alpha_total <= 0.0) {
      return;
    }
    std::vector<float> noise(edges.size());
    random_.Dirichlet(settings_.dirichlet_alpha_total / static_cast<double>(edges.size()), noise);
    const auto weight = static_cast<float>(settings_.dirichlet_weight);
    for (size_t i = 0; i < edges.size(); ++i) {
      edges[i].prior = (1.0F - weight) * edges[i].prior + weight * noise[i];
    }
    return;
  }
  for (const Edge& edge : edges) scores_.push_back(Logit(edge));
  if (explores) {
    for (double& score : scores_) score += random_.Gumbel();
  }
  // Gumbel top-m: the actions that share the simulations.
  const auto limit = static_cast<int>(std::clamp<int64_t>(simulation_limit_, 1, kMostScheduled));
  const int considered =
      std::min({settings_.gumbel_considered, static_cast<int>(edges.size()), limit});
  std::vector<size_t> order(edges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::partial_sort(order.begin(), order.begin() + considered, order.end(),
                    [&](size_t a, size_t b) {
                      return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : a < b;
                    });
  considered_.assign(edges.size(), false);
  for (int i = 0; i < considered; ++i) considered_[order[static_cast<size_t>(i)]] = true;
  reached_.clear();
  for (size_t i = 0; i < edges.size(); ++i) {
    if (considered_[i] || edges[i].child != kNoNode) reached_.push_back(static_cast<int>(i));
  }
  halving_visits_ = SequentialHalvingVisits(considered, limit);
}

template <Game G>
SearchResult Search<G>::Result() const {
  const Node& root = tree_.root();
  SearchResult result;
  result.proof = root.proof;
  result.proof_plies = root.proof_plies;
  if (root.proof != Proof::kUnknown) {
    result.root = root.proof == Proof::kWin    ? Wdl{1.0F, 0.0F, 0.0F}
                  : root.proof == Proof::kLoss ? Wdl{0.0F, 0.0F, 1.0F}
                                               : Wdl{0.0F, 1.0F, 0.0F};
  } else if (root.visit_count > 0) {
    const double draw = root.draw_sum / root.visit_count;
    const double value = root.value();
    result.root = {static_cast<float>(std::max(0.0, (1.0 - draw + value) / 2.0)),
                   static_cast<float>(draw),
                   static_cast<float>(std::max(0.0, (1.0 - draw - value) / 2.0))};
  }
  const std::span<const Edge> edges = tree_.edges(root);
  const bool prepared = clean_priors_.size() == edges.size() && root_ready_;
  for (size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    RootMove move{.move = edge.move,
                  .prior = prepared ? clean_priors_[i] : edge.prior,
                  .proof = tree_.EdgeProof(edge)};
    if (edge.child != kNoNode) {
      move.visits = tree_.node(edge.child).visit_count;
      move.value = tree_.EdgeValue(edge, 0.0);
    }
    result.moves.push_back(move);
  }
  FillTargets(result);
  const Move chosen = result.moves[static_cast<size_t>(ChooseBest(result))].move;
  std::stable_sort(result.moves.begin(), result.moves.end(),
                   [](const RootMove& a, const RootMove& b) {
                     return a.visits != b.visits ? a.visits > b.visits : a.prior > b.prior;
                   });
  const auto at = std::find_if(result.moves.begin(), result.moves.end(),
                               [&](const RootMove& m) { return m.move == chosen; });
  result.best = static_cast<int>(at - result.moves.begin());
  return result;
}

// The improved policy: all of it on the shortest proven win if there is one; for Gumbel softmax of
// logits + sigma(completed Q); for PUCT the visits.
template <Game G>
void Search<G>::FillTargets(SearchResult& result) const {
  std::vector<RootMove>& moves = result.moves;
  if (result.proof == Proof::kWin) {
    moves[static_cast<size_t>(ChooseBest(result))].target = 1.0;
    return;
  }
  const std::span<const Edge> edges = tree_.edges(tree_.root());
  uint64_t visits = 0;
  for (const RootMove& move : moves) visits += move.visits;
  if (settings_.algorithm == RootAlgorithm::kPuct && visits > 0) {
    FillVisitTargets(moves);
    return;
  }
  if (visits == 0) {
    for (RootMove& move : moves) move.target = move.prior;
    return;
  }
  uint32_t most_visits = 0;
  const double mixed = RootMixedValue(&most_visits);
  const QTransform sigma{settings_.gumbel_c_visit, settings_.gumbel_c_scale};
  double most = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < moves.size(); ++i) {
    moves[i].target = Logit(edges[i]) + sigma(tree_.EdgeValue(edges[i], mixed), most_visits);
    most = std::max(most, moves[i].target);
  }
  double sum = 0.0;
  for (RootMove& move : moves) sum += move.target = std::exp(move.target - most);
  for (RootMove& move : moves) move.target /= sum;
}

// PUCT's target: the visits, less those that only forcing brought (Wu 2019, section 3.2). A move
// other than the most visited gives back visits until PUCT would choose it over that one, at most
// the forced ones; what is left with a single visit is noise and gives that back too.
template <Game G>
void Search<G>::FillVisitTargets(std::vector<RootMove>& moves) const {
  for (RootMove& move : moves) move.target = move.visits;
  if (forces_playouts()) {
    const std::span<const Edge> edges = tree_.edges(tree_.root());
    size_t best = 0;
    double visits = 0.0;
    for (size_t i = 0; i < moves.size(); ++i) {
      visits += moves[i].visits;
      if (moves[i].visits > moves[best].visits) best = i;
    }
    const double scale = PuctExploration(visits) * std::sqrt(visits);
    const double best_score =
        moves[best].value + scale * edges[best].prior / (1.0 + moves[best].visits);
    for (size_t i = 0; i < moves.size(); ++i) {
      if (i == best || moves[i].visits == 0) continue;
      const double lead = best_score - moves[i].value;
      if (lead <= 0.0) continue;
      const double needed = std::ceil(scale * edges[i].prior / lead - 1.0);
      const double forced = std::floor(ForcedVisits(edges[i], visits));
      double& target = moves[i].target;
      target = std::min(target, std::max(needed, target - forced));
      if (target <= 1.0) target = 0.0;
    }
  }
  double sum = 0.0;
  for (const RootMove& move : moves) sum += move.target;
  for (RootMove& move : moves) move.target /= sum;
}

// The move to play, as an index into the root's edges: the shortest proven win; else, among moves
// that are not proven to lose, the most visited (PUCT: then the better value; Gumbel: then the
// better gumbel + logit + sigma(Q)); else the longest defence.
template <Game G>
int Search<G>::ChooseBest(const SearchResult& result) const {
  const std::span<const Edge> edges = tree_.edges(tree_.root());
  uint32_t most_visits = 0;
  const bool gumbel = settings_.algorithm == RootAlgorithm::kGumbel && root_ready_;
  const double mixed = root_ready_ ? RootMixedValue(&most_visits) : 0.0;
  int best = 0;
  std::array<double, 3> best_key = {-1e300, -1e300, -1e300};
  for (size_t i = 0; i < edges.size(); ++i) {
    const Proof proof = tree_.EdgeProof(edges[i]);
    const double plies = edges[i].child == kNoNode ? 0.0 : tree_.node(edges[i].child).proof_plies;
    std::array<double, 3> key;
    if (proof == Proof::kLoss) {
      key = {1.0, -plies, 0.0};
    } else if (proof == Proof::kWin) {
      key = {-1.0, plies, 0.0};
    } else {
      const double value = gumbel ? GumbelScore(edges[i], i, mixed, most_visits)
                                  : tree_.EdgeValue(edges[i], -2.0) + 1e-9 * edges[i].prior;
      key = {0.0, static_cast<double>(result.moves[i].visits), value};
    }
    if (key > best_key) {
      best_key = key;
      best = static_cast<int>(i);
    }
  }
  return best;
}

// Orders the children of an inner node for the principal variation: the shortest proven win, then
// visits, then the longest defence of a proven loss.
template <Game G>
std::array<int64_t, 3> Search<G>::LineKey(const Edge& edge) const {
  const Node& child = tree_.node(edge.child);
  const auto visits = static_cast<int64_t>(child.visit_count);
  if (child.proof == Proof::kLoss) return {2, -child.proof_plies, visits};
  if (child.proof == Proof::kWin) return {0, child.proof_plies, visits};
  return {1, visits, 0};
}

template <Game G>
std::vector<Move> Search<G>::PrincipalVariation(int most) const {
  if (!tree_.root().expanded) return {};
  const SearchResult result = Result();
  return LineAfter(result.moves[static_cast<size_t>(result.best)].move, most);
}

template <Game G>
std::vector<Move> Search<G>::LineAfter(Move first, int most) const {
  std::vector<Move> line;
  const Node* node = &tree_.root();
  while (static_cast<int>(line.size()) < most && node->expanded && node->edge_count > 0) {
    const Edge* next = nullptr;
    for (const Edge& edge : tree_.edges(*node)) {
      if (node == &tree_.root()) {
        if (edge.move == first) next = &edge;
        continue;
      }
      if (edge.child == kNoNode) continue;
      if (next == nullptr || LineKey(edge) > LineKey(*next)) next = &edge;
    }
    if (next == nullptr) break;
    line.push_back(next->move);
    if (next->child == kNoNode) break;
    node = &tree_.node(next->child);
  }
  return line;
}

}  // namespace khanzero

#include "mcts/search_select.h"
