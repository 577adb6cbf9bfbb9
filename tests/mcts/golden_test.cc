// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search against what it did before: signatures, and small trees that can be read. Where a
// change of the search is meant, KHANZERO_UPDATE_GOLDEN=1 writes the files of tests/golden anew.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "mcts/signature.h"
#include "tests/mcts/search_testing.h"

namespace khanzero {
namespace {

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(KHANZERO_TEST_DATA) + "/../golden/" + name;
  if (std::getenv("KHANZERO_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(golden.str(), text) << "tests/golden/" << name
                                << " differs; if the search was meant to change, run this test "
                                   "with KHANZERO_UPDATE_GOLDEN=1 and look at the difference";
}

template <class G>
class Golden : public testing::Test {};
TYPED_TEST_SUITE(Golden, TestedGames, GameTypeName);

TYPED_TEST(Golden, SignaturesAreAsBefore) {
  using G = TypeParam;
  std::string text;
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    text += std::string(kRootAlgorithmNames[static_cast<size_t>(algorithm)]) + ": " +
            ComputeSearchSignature<G>(algorithm).Text() + "\n";
  }
  ExpectGolden("signature_" + std::string(G::kName) + ".txt", text);
}

// A line for each node: the move to it, visits, value for its mover, prior, proof.
template <Game G>
void WriteTree(const Tree& tree, NodeIndex index, int depth, std::string& text) {
  for (const Edge& edge : tree.edges(tree.node(index))) {
    if (edge.child == kNoNode) continue;
    const Node& node = tree.node(edge.child);
    char figures[80];
    std::snprintf(figures, sizeof(figures), " visits %u value %.3f prior %.3f", node.visit_count,
                  node.value(), static_cast<double>(edge.prior));
    text += std::string(static_cast<size_t>(2 * depth), ' ') + G::MoveToText(edge.move) + figures;
    if (node.proof != Proof::kUnknown) {
      const std::string names[] = {"", "win", "draw", "loss"};
      text +=
          " " + names[static_cast<size_t>(node.proof)] + " in " + std::to_string(node.proof_plies);
    }
    text += '\n';
    WriteTree<G>(tree, edge.child, depth + 1, text);
  }
}

// From a position where a win is near, so that proofs are part of the tree.
TYPED_TEST(Golden, TreesAreAsBefore) {
  using G = TypeParam;
  const std::string fen = G::kSquares == 64 ? "8/4k3/8/s3K3/7P/8/8/8 w - - 0 1"
                                            : "10/4k5/10/10/p4K4/9P/10/10/10/10[Pp] w - - 0 1";
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    for (const Exploration exploration : {Exploration::kNone, Exploration::kSelfPlay}) {
      OpinionatedEvaluator evaluator(InfoOf<G>().shape);
      const GameState<G> game(G::Position::FromFen(fen));
      const auto searched = SearchGame(game, SettingsFor(algorithm, 60), evaluator, exploration);
      std::string text = fen + "\n";
      WriteTree<G>(searched.search->tree(), Tree::kRoot, 0, text);
      text += "best " + G::MoveToText(searched.best().move) + "\n";
      for (const RootMove& move : searched.result.moves) {
        if (move.target < 0.0005) continue;
        char figures[40];
        std::snprintf(figures, sizeof(figures), " target %.3f\n", move.target);
        text += G::MoveToText(move.move) + figures;
      }
      ExpectGolden("tree_" + std::string(G::kName) + "_" +
                       std::string(kRootAlgorithmNames[static_cast<size_t>(algorithm)]) +
                       (exploration == Exploration::kNone ? "_play" : "_selfplay") + ".txt",
                   text);
    }
  }
}

}  // namespace
}  // namespace khanzero
