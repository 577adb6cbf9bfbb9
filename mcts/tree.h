// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search tree of one game: nodes and edges in two flat pools, values, and the solver that backs
// up proven ends. It knows nothing of rules or networks. Single-threaded by design: many games are
// searched in lockstep, each with its own tree.
//
// Values and proofs of a node are for the side to move at that node. A parent sees its child's
// value with the sign turned.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "env/move.h"
#include "env/types.h"

namespace khanzero {

// What is known for certain about a node, for its side to move.
enum class Proof : uint8_t { kUnknown, kWin, kDraw, kLoss };

using NodeIndex = uint32_t;
inline constexpr NodeIndex kNoNode = std::numeric_limits<NodeIndex>::max();

struct Edge {
  Move move;
  float prior = 0.0F;
  NodeIndex child = kNoNode;
};
static_assert(sizeof(Edge) == 12);

struct Node {
  double value_sum = 0.0;  // of win - loss over visits
  double draw_sum = 0.0;
  uint32_t first_edge = 0;
  uint32_t visit_count = 0;
  uint32_t in_flight = 0;  // simulations that wait for an evaluation below this node
  uint16_t edge_count = 0;
  uint16_t sorted_edges = 0;   // the first so many edges are in order of falling prior
  uint16_t visited_edges = 0;  // below the root, the visited edges are the first so many
  uint16_t proof_plies = 0;    // to the proven end
  float raw_value = 0.0F;      // the evaluation's own value, before any child was visited
  Proof proof = Proof::kUnknown;
  bool expanded = false;

  double value() const { return visit_count > 0 ? value_sum / visit_count : 0.0; }
};
static_assert(sizeof(Node) == 48);

constexpr double ProofValue(Proof proof) {
  return proof == Proof::kWin ? 1.0 : proof == Proof::kLoss ? -1.0 : 0.0;
}

class Tree {
 public:
  static constexpr NodeIndex kRoot = 0;

  // Forgets everything and makes an unexpanded root.
  void Reset() {
    nodes_.clear();
    edges_.clear();
    nodes_.emplace_back();
  }

  Node& node(NodeIndex i) { return nodes_[i]; }
  const Node& node(NodeIndex i) const { return nodes_[i]; }
  const Node& root() const { return nodes_[kRoot]; }
  std::span<Edge> edges(const Node& node) {
    return {edges_.data() + node.first_edge, node.edge_count};
  }
  std::span<const Edge> edges(const Node& node) const {
    return {edges_.data() + node.first_edge, node.edge_count};
  }
  size_t node_count() const { return nodes_.size(); }
  size_t bytes() const {
    return nodes_.capacity() * sizeof(Node) + edges_.capacity() * sizeof(Edge);
  }

  // A new child below `edge` of `parent`. References to nodes are invalid afterwards.
  NodeIndex AddChild(NodeIndex parent, int edge) {
    const auto child = static_cast<NodeIndex>(nodes_.size());
    edges_[nodes_[parent].first_edge + static_cast<uint32_t>(edge)].child = child;
    nodes_[parent].visited_edges++;
    nodes_.emplace_back();
    return child;
  }

  // Gives a node its edges, unsorted. `priors` belong to `moves` one to one.
  template <class Moves>
  void Expand(NodeIndex index, const Moves& moves, std::span<const float> priors,
              double raw_value) {
    Node& n = nodes_[index];
    n.raw_value = static_cast<float>(raw_value);
    n.first_edge = static_cast<uint32_t>(edges_.size());
    n.edge_count = static_cast<uint16_t>(moves.size());
    n.expanded = true;
    for (int i = 0; i < moves.size(); ++i) {
      edges_.push_back({.move = moves[i], .prior = priors[static_cast<size_t>(i)]});
    }
  }

  // Puts at least the first `wanted` edges in order of falling prior. Unvisited edges differ by
  // prior alone, so selection looks at the visited ones and the first unvisited: few nodes ever
  // need more than a handful of edges in order.
  void Sort(NodeIndex index, int wanted) {
    Node& n = nodes_[index];
    if (wanted <= n.sorted_edges) return;
    const int target = std::min<int>(n.edge_count, std::max(wanted, 2 * n.sorted_edges + 6));
    const auto first = edges_.begin() + n.first_edge;
    // Ties go by move, so that the order does not depend on how much was sorted at once.
    std::partial_sort(first + n.sorted_edges, first + target, first + n.edge_count,
                      [](const Edge& a, const Edge& b) {
                        if (a.prior != b.prior) return a.prior > b.prior;
                        return MoveOrder(a.move) < MoveOrder(b.move);
                      });
    n.sorted_edges = static_cast<uint16_t>(target);
  }

  // The value of an edge for the parent, proofs taken at their word; `unvisited` when there is no
  // visit yet. Simulations in flight count as losses for the parent, so that the leaves of one
  // batch differ.
  double EdgeValue(const Edge& edge, double unvisited) const {
    if (edge.child == kNoNode) return unvisited;
    const Node& child = nodes_[edge.child];
    if (child.proof != Proof::kUnknown) return -ProofValue(child.proof);
    const uint32_t visits = child.visit_count + child.in_flight;
    return visits == 0 ? unvisited : -(child.value_sum + child.in_flight) / visits;
  }
  uint32_t EdgeVisits(const Edge& edge) const {
    if (edge.child == kNoNode) return 0;
    return nodes_[edge.child].visit_count + nodes_[edge.child].in_flight;
  }
  Proof EdgeProof(const Edge& edge) const {
    return edge.child == kNoNode ? Proof::kUnknown : nodes_[edge.child].proof;
  }

  void AddInFlight(std::span<const NodeIndex> path) {
    for (const NodeIndex i : path) ++nodes_[i].in_flight;
  }
  void RemoveInFlight(std::span<const NodeIndex> path) {
    for (const NodeIndex i : path) --nodes_[i].in_flight;
  }

  // Counts one visit along `path` (root first). `wdl` is for the side to move at its last node.
  void Backup(std::span<const NodeIndex> path, Wdl wdl) {
    for (size_t i = path.size(); i-- > 0; wdl = wdl.flipped()) {
      Node& n = nodes_[path[i]];
      n.visit_count++;
      n.value_sum += static_cast<double>(wdl.win) - static_cast<double>(wdl.loss);
      n.draw_sum += static_cast<double>(wdl.draw);
    }
  }

  // Marks the last node of `path` as proven, and every ancestor that follows from it.
  void Prove(std::span<const NodeIndex> path, Proof proof, int plies) {
    Node& last = nodes_[path.back()];
    last.proof = proof;
    last.proof_plies = static_cast<uint16_t>(std::min(plies, 65535));
    for (size_t i = path.size() - 1; i-- > 0;) {
      if (!Derive(path[i])) break;
    }
  }

 private:
  static constexpr uint32_t MoveOrder(Move m) {
    return static_cast<uint32_t>(m.from) << 24 | static_cast<uint32_t>(m.to) << 16 |
           static_cast<uint32_t>(m.piece) << 8 | static_cast<uint32_t>(m.kind);
  }

  // Derives a node's proof from its children; says whether it (or its distance) changed. A win
  // needs one lost child, anything else needs every child.
  bool Derive(NodeIndex index) {
    Node& n = nodes_[index];
    bool complete = n.expanded && n.visited_edges == n.edge_count;
    bool any_draw = false;
    int shortest_win = std::numeric_limits<int>::max();
    int longest_loss = 0;
    for (const Edge& edge : edges(n)) {
      if (edge.child == kNoNode) continue;
      const Node& child = nodes_[edge.child];
      switch (child.proof) {
        case Proof::kLoss:
          shortest_win = std::min(shortest_win, child.proof_plies + 1);
          break;
        case Proof::kWin:
          longest_loss = std::max(longest_loss, child.proof_plies + 1);
          break;
        case Proof::kDraw:
          any_draw = true;
          break;
        case Proof::kUnknown:
          complete = false;
          break;
      }
    }
    const Node before = n;
    if (shortest_win != std::numeric_limits<int>::max()) {
      n.proof = Proof::kWin;
      n.proof_plies = static_cast<uint16_t>(shortest_win);
    } else if (complete) {
      n.proof = any_draw ? Proof::kDraw : Proof::kLoss;
      n.proof_plies = static_cast<uint16_t>(any_draw ? 0 : longest_loss);
    }
    return n.proof != before.proof || n.proof_plies != before.proof_plies;
  }

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
};

}  // namespace khanzero
