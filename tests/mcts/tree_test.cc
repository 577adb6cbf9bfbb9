// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the tree keeps its edges: the likeliest first, all of them once they are needed, and what a
// new root leaves of them. And what that costs.
#include "mcts/tree.h"

#include <optional>
#include <set>

#include "tests/mcts/search_testing.h"

namespace khanzero {
namespace {

template <class G>
class TreeOf : public testing::Test {
 protected:
  // Searches the game's start, and `plies` on from there by the best moves.
  void Search(RootAlgorithm algorithm, int simulations, Evaluator& evaluator) {
    searched_.emplace(SearchGame(game_, SettingsFor(algorithm, simulations), evaluator));
  }
  const Tree& tree() const { return searched_->search->tree(); }

  GameState<G> game_{G::Position::Start()};
  std::optional<Searched<G>> searched_;
};
TYPED_TEST_SUITE(TreeOf, TestedGames, GameTypeName);

// Calls see(node, position) for every expanded node.
template <Game G, class See>
void Visit(const Tree& tree, NodeIndex index, const typename G::Position& position, See&& see) {
  const Node& node = tree.node(index);
  if (node.expanded) see(node, position);
  for (const Edge& edge : tree.edges(node)) {
    if (edge.child == kNoNode) continue;
    typename G::Position next = position;
    next.Play(edge.move);
    Visit<G>(tree, edge.child, next, see);
  }
}

TYPED_TEST(TreeOf, ANodeKeepsTheLikeliestEdgesAndGetsAllWhenTheyAreVisited) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  this->Search(RootAlgorithm::kPuct, 20000, evaluator);
  int narrow = 0;
  int widened = 0;
  Visit<G>(this->tree(), Tree::kRoot, this->game_.position(),
           [&](const Node& node, const typename G::Position& position) {
             typename G::Moves legal;
             position.LegalMoves(legal);
             ASSERT_EQ(node.edge_count, legal.size());
             std::set<std::string> texts;
             for (const Edge& edge : this->tree().edges(node)) {
               texts.insert(G::MoveToText(edge.move));
               EXPECT_NE(std::find(legal.begin(), legal.end(), edge.move), legal.end());
             }
             ASSERT_EQ(texts.size(), node.stored_edges);
             if (node.stored_edges < node.edge_count) {
               EXPECT_EQ(node.stored_edges, Tree::kFirstEdges);
               EXPECT_LE(node.visited_edges, Tree::kFirstEdges);
               ++narrow;
             } else if (node.edge_count > Tree::kFirstEdges) {
               ++widened;
             }
           });
  EXPECT_GT(widened, 0);
  EXPECT_GT(narrow + widened, 10);
}

TYPED_TEST(TreeOf, TheLikeliestMoveIsAmongTheEdgesKept) {
  using G = TypeParam;
  typename G::Moves moves;
  this->game_.position().LegalMoves(moves);
  for (int i = 0; i < moves.size(); i += 1 + moves.size() / 10) {
    const uint16_t favourite = G::PolicyIndex(this->game_.position(), moves[i]);
    OneFavourite<G> evaluator(favourite, 5.0F);
    this->Search(RootAlgorithm::kPuct, 50, evaluator);
    Visit<G>(this->tree(), Tree::kRoot, this->game_.position(),
             [&](const Node& node, const typename G::Position& position) {
               typename G::Moves legal;
               position.LegalMoves(legal);
               for (const Move& move : legal) {
                 if (G::PolicyIndex(position, move) != favourite) continue;
                 const auto edges = this->tree().edges(node);
                 EXPECT_TRUE(std::ranges::any_of(
                     edges, [&](const Edge& edge) { return edge.move == move; }));
               }
             });
  }
}

// Nodes below two roots are the same, one by one.
void ExpectSameBelow(const Tree& a, NodeIndex at_a, const Tree& b, NodeIndex at_b) {
  const Node& x = a.node(at_a);
  const Node& y = b.node(at_b);
  ASSERT_EQ(x.visit_count, y.visit_count);
  ASSERT_EQ(x.value_sum, y.value_sum);
  ASSERT_EQ(x.proof, y.proof);
  ASSERT_EQ(x.proof_plies, y.proof_plies);
  ASSERT_EQ(x.stored_edges, y.stored_edges);
  ASSERT_EQ(x.visited_edges, y.visited_edges);
  const auto edges_a = a.edges(x);
  const auto edges_b = b.edges(y);
  for (size_t i = 0; i < edges_a.size(); ++i) {
    ASSERT_EQ(edges_a[i].move, edges_b[i].move);
    ASSERT_EQ(edges_a[i].prior, edges_b[i].prior);
    ASSERT_EQ(edges_a[i].child == kNoNode, edges_b[i].child == kNoNode);
    if (edges_a[i].child != kNoNode) ExpectSameBelow(a, edges_a[i].child, b, edges_b[i].child);
  }
}

TYPED_TEST(TreeOf, ANewRootKeepsWhatIsBelowItAndNothingElse) {
  using G = TypeParam;
  WhiteIsBetter<G> evaluator(0.2F);
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    Searched<G> before = SearchGame(this->game_, SettingsFor(algorithm, 8000), evaluator);
    Searched<G> after = SearchGame(this->game_, SettingsFor(algorithm, 8000), evaluator);
    const std::vector<Move> line = before.search->PrincipalVariation(2);
    ASSERT_EQ(line.size(), 2U);
    for (size_t plies = 0; plies <= 2; ++plies) {
      NodeIndex old_root = Tree::kRoot;
      GameState<G> game = this->game_;
      for (size_t i = 0; i < plies; ++i) {
        for (const Edge& edge : before.search->tree().edges(before.search->tree().node(old_root))) {
          if (edge.move == line[i]) {
            old_root = edge.child;
            break;
          }
        }
        game.Play(line[i]);
      }
      // One ply at a time, from where the last round left it.
      const std::span<const Move> step =
          plies == 0 ? std::span<const Move>() : std::span(&line[plies - 1], 1);
      ASSERT_TRUE(after.search->Continue(game.position(), game.history(), step));
      ExpectSameBelow(before.search->tree(), old_root, after.search->tree(), Tree::kRoot);
      // Each simulation made one node, the root's evaluation included; proven visits make none.
      EXPECT_LE(after.search->tree().node_count(),
                before.search->tree().node(old_root).visit_count);
      EXPECT_LE(after.search->tree().bytes(), before.search->tree().bytes());
    }
    // And it goes on from there.
    Search<G>* const one = after.search.get();
    const uint32_t known = one->tree().root().visit_count;
    one->set_simulation_limit(500);
    BatchSearcher<G>(evaluator, 1).Run(std::span(&one, 1));
    EXPECT_EQ(one->tree().root().visit_count, known + 500);
  }
}

TYPED_TEST(TreeOf, APositionThatTheTreeDoesNotKnowBeginsAnew) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  Searched<G> searched = SearchGame(this->game_, SettingsFor(RootAlgorithm::kPuct, 3), evaluator);
  Search<G>& search = *searched.search;
  const Move unvisited = searched.result.moves.back().move;
  ASSERT_EQ(searched.result.moves.back().visits, 0U);
  GameState<G> game = this->game_;
  game.Play(unvisited);
  EXPECT_FALSE(search.Continue(game.position(), game.history(), std::span(&unvisited, 1)));
  EXPECT_EQ(search.tree().node_count(), 1U);
  EXPECT_FALSE(search.has_result());
  // Nor does a position that the moves do not lead to.
  searched = SearchGame(this->game_, SettingsFor(RootAlgorithm::kPuct, 3), evaluator);
  EXPECT_FALSE(searched.search->Continue(game.position(), game.history(), std::span<const Move>()));
}

TYPED_TEST(TreeOf, MemoryStaysWithinTheBoundOfItsNodes) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  // The uniform policy is the worst case: every node spreads its visits.
  this->Search(RootAlgorithm::kPuct, 100000, evaluator);
  const double bytes_per_node =
      static_cast<double>(this->tree().bytes()) / static_cast<double>(this->tree().node_count());
  this->RecordProperty("bytes_per_node", std::to_string(bytes_per_node));
  EXPECT_GT(bytes_per_node, sizeof(Node));
  EXPECT_LT(bytes_per_node, 750.0);
}

}  // namespace
}  // namespace khanzero
