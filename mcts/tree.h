// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search tree of one game: nodes and edges in two pools, values, and the solver that backs up
// proven ends. It knows nothing of rules or networks, and has no lock of its own: many games are
// searched in lockstep, each with its own tree, and threads that share one take turns.
//
// Values and proofs of a node are for the side to move at that node. A parent sees its child's
// value with the sign turned.
//
// Memory: a node below the root keeps the kFirstEdges likeliest of its edges. The few nodes of
// which all these were visited are widened: evaluated again, and given every edge. A widened node
// has at least kFirstEdges children, so n nodes take at most
//   n (sizeof(Node) + kFirstEdges sizeof(Edge) (1 + 1 / kFirstEdges)
//      + legal moves sizeof(Edge) / kFirstEdges)
// bytes: with the 785 moves that The Serbest may have, 738 a node. (Chunks that a node's edges do
// not fill add at most a twentieth.)
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "env/error.h"
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

// Edges are in order of falling prior. Unvisited ones differ by prior alone, so selection looks at
// the visited ones and the first unvisited.
struct Node {
  double value_sum = 0.0;  // of win - loss over visits
  double draw_sum = 0.0;
  uint32_t first_edge = 0;
  uint32_t visit_count = 0;
  uint32_t in_flight = 0;      // simulations that wait for an evaluation below this node
  float raw_value = 0.0F;      // the evaluation's own value, before any child was visited
  uint16_t edge_count = 0;     // legal moves
  uint16_t stored_edges = 0;   // those that the tree holds: the likeliest, or all
  uint16_t visited_edges = 0;  // below the root, the visited edges are the first so many
  uint16_t proof_plies = 0;    // to the proven end
  Proof proof = Proof::kUnknown;
  bool expanded = false;
  bool widening = false;  // waits for the evaluation that gives it all its edges

  // Whether every stored edge was visited and there are more.
  bool needs_widening() const { return visited_edges == stored_edges && stored_edges < edge_count; }
  double value() const { return visit_count > 0 ? value_sum / visit_count : 0.0; }
};
static_assert(sizeof(Node) == 48);

constexpr double ProofValue(Proof proof) {
  return proof == Proof::kWin ? 1.0 : proof == Proof::kLoss ? -1.0 : 0.0;
}

// An array in chunks: elements stay where they are, growing copies nothing, and no more than a
// chunk is idle. Elements are not initialised.
template <class T, int kLogChunk>
class ChunkedArray {
 public:
  static constexpr size_t kChunk = size_t{1} << kLogChunk;

  T& operator[](size_t i) { return chunks_[i >> kLogChunk][i & (kChunk - 1)]; }
  const T& operator[](size_t i) const { return chunks_[i >> kLogChunk][i & (kChunk - 1)]; }
  // Makes room for elements 0 to count - 1.
  void Reserve(size_t count) {
    while (chunks_.size() << kLogChunk < count) {
      chunks_.push_back(std::make_unique_for_overwrite<T[]>(kChunk));
    }
  }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
};

class Tree {
 public:
  static constexpr NodeIndex kRoot = 0;
  // Edges that a node below the root keeps at first.
  static constexpr int kFirstEdges = 32;
  // The edges of a node lie in one chunk.
  static constexpr int kLogEdgeChunk = 14;
  static constexpr int kMostEdges = 1 << kLogEdgeChunk;

  // Forgets everything and makes an unexpanded root.
  void Reset() {
    node_count_ = 0;
    edges_end_ = 0;
    NewNode();
  }

  Node& node(NodeIndex i) { return nodes_[i]; }
  const Node& node(NodeIndex i) const { return nodes_[i]; }
  const Node& root() const { return nodes_[kRoot]; }
  std::span<Edge> edges(const Node& node) {
    if (node.stored_edges == 0) return {};
    return {&edges_[node.first_edge], node.stored_edges};
  }
  std::span<const Edge> edges(const Node& node) const {
    if (node.stored_edges == 0) return {};
    return {&edges_[node.first_edge], node.stored_edges};
  }
  size_t node_count() const { return node_count_; }
  // Of the nodes and edges in use.
  size_t bytes() const { return node_count_ * sizeof(Node) + edges_end_ * sizeof(Edge); }

  // A new child below `edge` of `parent`.
  NodeIndex AddChild(NodeIndex parent, int edge) {
    const NodeIndex child = NewNode();
    Node& n = nodes_[parent];
    edges_[n.first_edge + static_cast<uint32_t>(edge)].child = child;
    n.visited_edges++;
    return child;
  }

  // Gives a node its edges, likeliest first: the root all, others the first few. `priors` belong to
  // `moves` one to one and are not negative.
  template <class Moves>
  void Expand(NodeIndex index, const Moves& moves, std::span<const float> priors,
              double raw_value) {
    const int count = moves.size();
    ranks_.clear();
    for (int i = 0; i < count; ++i)
      ranks_.push_back(Rank(priors[static_cast<size_t>(i)], moves[i]));
    if (index != kRoot && count > kFirstEdges) {
      std::nth_element(ranks_.begin(), ranks_.begin() + kFirstEdges, ranks_.end(),
                       std::greater<>());
      ranks_.resize(kFirstEdges);
    }
    Node& n = nodes_[index];
    n.raw_value = static_cast<float>(raw_value);
    n.edge_count = static_cast<uint16_t>(count);
    n.expanded = true;
    Store(n, {});
  }

  // Gives an expanded node the edges that it lacks. Those that it has stay first and keep their
  // priors and children.
  template <class Moves>
  void Widen(NodeIndex index, const Moves& moves, std::span<const float> priors) {
    Node& n = nodes_[index];
    Check(n.edge_count == moves.size(), "a node is widened with the moves of its position");
    const std::span<const Edge> stored = edges(n);
    ranks_.clear();
    for (int i = 0; i < moves.size(); ++i) {
      const Move& move = moves[i];
      if (std::ranges::none_of(stored, [&](const Edge& edge) { return edge.move == move; })) {
        ranks_.push_back(Rank(priors[static_cast<size_t>(i)], move));
      }
    }
    n.widening = false;
    Store(n, stored);
  }

  // Makes `index` the root and forgets all that is not below it. In place: nodes and edge blocks
  // only ever move towards the front, since children are younger than their parents. REQUIRES: no
  // simulation is in flight.
  void Reroot(NodeIndex index) {
    std::vector<NodeIndex> new_index(node_count_, kNoNode);
    std::vector<NodeIndex> kept;
    new_index[index] = 0;  // any number but kNoNode marks a node that is kept
    for (NodeIndex i = index; i < node_count_; ++i) {
      if (new_index[i] == kNoNode) continue;
      new_index[i] = static_cast<NodeIndex>(kept.size());
      kept.push_back(i);
      for (const Edge& edge : edges(nodes_[i])) {
        if (edge.child != kNoNode) new_index[edge.child] = 0;
      }
    }
    for (const NodeIndex i : kept) {
      for (Edge& edge : edges(nodes_[i])) {
        if (edge.child != kNoNode) edge.child = new_index[edge.child];
      }
    }
    for (size_t i = 0; i < kept.size(); ++i) nodes_[i] = nodes_[kept[i]];
    node_count_ = static_cast<NodeIndex>(kept.size());
    // A widened node's edges are younger than those of nodes made after it.
    std::vector<NodeIndex>& by_edges = kept;
    for (NodeIndex i = 0; i < node_count_; ++i) by_edges[i] = i;
    std::ranges::sort(by_edges, {}, [&](NodeIndex i) { return nodes_[i].first_edge; });
    edges_end_ = 0;
    for (const NodeIndex i : by_edges) {
      Node& n = nodes_[i];
      if (n.stored_edges == 0) continue;
      const std::span<const Edge> from = edges(n);
      n.first_edge = NewEdges(n.stored_edges);
      std::copy(from.begin(), from.end(), edges(n).begin());
    }
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
  // An edge as a number, greater for the likelier move: the bits of floats that are not negative
  // order as they do, and ties go by move. Sorting these is several times as fast as sorting edges.
  static constexpr uint64_t Rank(float prior, Move move) {
    return static_cast<uint64_t>(std::bit_cast<uint32_t>(prior)) << 32 |
           static_cast<uint32_t>(
               ~(static_cast<uint32_t>(move.from) << 24 | static_cast<uint32_t>(move.to) << 16 |
                 static_cast<uint32_t>(move.piece) << 8 | static_cast<uint32_t>(move.kind)));
  }
  static constexpr Edge Ranked(uint64_t rank) {
    const auto move = ~static_cast<uint32_t>(rank);
    return {.move = {.from = static_cast<Square>(move >> 24),
                     .to = static_cast<Square>(move >> 16 & 0xFF),
                     .piece = static_cast<PieceType>(move >> 8 & 0xFF),
                     .kind = static_cast<MoveKind>(move & 0xFF)},
            .prior = std::bit_cast<float>(static_cast<uint32_t>(rank >> 32))};
  }

  NodeIndex NewNode() {
    nodes_.Reserve(node_count_ + size_t{1});
    nodes_[node_count_] = Node();
    return node_count_++;
  }
  uint32_t NewEdges(uint32_t count) {
    const uint32_t left = kMostEdges - edges_end_ % kMostEdges;
    if (count > left) edges_end_ += left;
    const uint32_t first = edges_end_;
    edges_end_ += count;
    edges_.Reserve(edges_end_);
    return first;
  }
  // Makes `first` and then those of ranks_, in order, the node's edges.
  void Store(Node& n, std::span<const Edge> first) {
    std::ranges::sort(ranks_, std::greater<>());
    n.stored_edges = static_cast<uint16_t>(first.size() + ranks_.size());
    n.first_edge = NewEdges(n.stored_edges);
    auto to = std::ranges::copy(first, edges(n).begin()).out;
    for (const uint64_t rank : ranks_) *to++ = Ranked(rank);
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

  ChunkedArray<Node, 10> nodes_;
  ChunkedArray<Edge, kLogEdgeChunk> edges_;
  NodeIndex node_count_ = 0;
  uint32_t edges_end_ = 0;
  std::vector<uint64_t> ranks_;  // scratch
};

}  // namespace khanzero
