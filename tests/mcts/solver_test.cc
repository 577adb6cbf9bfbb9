// SPDX-License-Identifier: GPL-3.0-or-later
//
// Forced results: seen, with the right sign for each side, and played, shortest first.
#include <algorithm>

#include "tests/mcts/search_testing.h"

namespace khanzero {
namespace {

struct Forced {
  std::string fen;
  int plies;  // to the end
};

template <class G>
struct Positions;

template <>
struct Positions<Khans> {
  static std::vector<Forced> WinsAtOnce() {
    return {{"k7/7R/8/8/8/8/8/K5R1 w - - 0 1", 1},   // rook mates
            {"4k3/8/8/8/8/6l1/7l/K7 b - - 0 1", 1},  // lancer mates
            {"7k/3K4/8/8/8/8/8/8 w - - 0 1", 1},     // campmate
            {"8/8/8/8/8/8/3k4/7K b - - 0 1", 1}};
  }
  static std::vector<Forced> WinsInThree() {
    return {{"8/8/3K4/8/7k/8/8/8 w - - 0 1", 3}, {"8/8/8/7K/8/3k4/8/8 b - - 0 1", 3}};
  }
  static std::vector<Forced> Losses() {
    return {{"8/8/8/8/8/8/3k4/7K w - - 0 1", 2}, {"7k/3K4/8/8/8/8/8/8 b - - 0 1", 2}};
  }
};

template <>
struct Positions<Serbest> {
  static std::vector<Forced> WinsAtOnce() {
    return {{"k9/9R/10/10/10/10/10/10/10/K7R1[] w - - 0 1", 1},  // rook mates
            {"k9/9R/10/10/10/10/10/10/10/K9[R] w - - 0 1", 1},   // a placed rook mates
            {"k7r1/10/10/10/10/10/10/10/9r/K9[] b - - 0 1", 1},
            {"10/3K6/10/10/10/10/10/7k2/10/10[] w - - 0 1", 1},  // Khan
            {"10/10/10/10/10/10/10/10/3k6/9K[] b - - 0 1", 1}};
  }
  static std::vector<Forced> WinsInThree() {
    return {{"10/10/3K6/10/10/7k2/10/10/10/10[] w - - 0 1", 3},
            {"10/10/10/10/7K2/10/10/3k6/10/10[] b - - 0 1", 3}};
  }
  static std::vector<Forced> Losses() {
    return {{"10/10/10/10/10/10/10/10/3k6/9K[] w - - 0 1", 2},
            {"10/3K6/10/10/10/10/7k2/10/10/10[] b - - 0 1", 2}};
  }
};

template <class G>
class Solver : public testing::Test {};
TYPED_TEST_SUITE(Solver, TestedGames, GameTypeName);

// Plays both sides with searches until the game is over; says how many plies that took.
template <Game G>
int PlayOut(GameState<G>& game, const SearchSettings& settings) {
  UniformEvaluator evaluator(InfoOf<G>().shape);
  int plies = 0;
  for (; plies < 50 && !game.position().ComputeOutcome().over(); ++plies) {
    game.Play(SearchGame(game, settings, evaluator).best().move);
  }
  return plies;
}

// A winning move at the root is seen before anything is evaluated, so that a search which knows a
// longer win does not put it off for ever.
TYPED_TEST(Solver, PlaysAWinningMoveAtOnce) {
  using G = TypeParam;
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    for (const Forced& forced : Positions<G>::WinsAtOnce()) {
      const auto searched = SearchFen<G>(forced.fen, SettingsFor(algorithm, 2000));
      EXPECT_EQ(searched.result.proof, Proof::kWin) << forced.fen;
      EXPECT_EQ(searched.result.proof_plies, forced.plies) << forced.fen;
      EXPECT_FLOAT_EQ(searched.result.root.value(), 1.0F) << forced.fen;
      EXPECT_DOUBLE_EQ(searched.best().target, 1.0) << forced.fen;
      EXPECT_EQ(searched.search->counters().evaluations, 0U) << forced.fen;
      GameState<G> game = searched.game;
      const Color mover = game.position().side_to_move();
      game.Play(searched.best().move);
      EXPECT_EQ(game.position().ComputeOutcome().result, WinFor(mover)) << forced.fen;
    }
  }
}

TYPED_TEST(Solver, WinsAWonPositionInThePliesItProves) {
  using G = TypeParam;
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    const SearchSettings settings = SettingsFor(algorithm, 2000);
    for (const Forced& forced : Positions<G>::WinsInThree()) {
      GameState<G> game(G::Position::FromFen(forced.fen));
      const Color mover = game.position().side_to_move();
      EXPECT_EQ(PlayOut(game, settings), forced.plies) << forced.fen;
      EXPECT_EQ(game.position().ComputeOutcome().result, WinFor(mover)) << forced.fen;
    }
  }
}

TYPED_TEST(Solver, SeesAForcedLossWithItsDistance) {
  using G = TypeParam;
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    for (const Forced& forced : Positions<G>::Losses()) {
      const auto searched = SearchFen<G>(forced.fen, SettingsFor(algorithm, 200));
      EXPECT_EQ(searched.result.proof, Proof::kLoss) << forced.fen;
      EXPECT_EQ(searched.result.proof_plies, forced.plies) << forced.fen;
      EXPECT_FLOAT_EQ(searched.result.root.value(), -1.0F) << forced.fen;
    }
  }
}

TYPED_TEST(Solver, FindsAWinInThreePliesWithoutKnowledge) {
  using G = TypeParam;
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    for (const Forced& forced : Positions<G>::WinsInThree()) {
      const auto searched = SearchFen<G>(forced.fen, SettingsFor(algorithm, 2000));
      EXPECT_EQ(searched.result.proof, Proof::kWin) << forced.fen;
      EXPECT_EQ(searched.result.proof_plies, forced.plies) << forced.fen;
      EXPECT_EQ(searched.best().proof, Proof::kLoss) << forced.fen;
      // The line begins with the win; what was seen without a search has no nodes.
      const std::vector<Move> line = searched.search->PrincipalVariation(10);
      ASSERT_FALSE(line.empty());
      EXPECT_EQ(line[0], searched.best().move);
    }
  }
}

// Every proof of every node agrees with those of its children, in a tree with many of them.
TYPED_TEST(Solver, ProofsFollowFromTheChildren) {
  using G = TypeParam;
  int proven = 0;
  for (const Forced& forced : Positions<G>::Losses()) {
    const auto searched = SearchFen<G>(forced.fen, SettingsFor(RootAlgorithm::kPuct, 2000));
    const Tree& tree = searched.search->tree();
    for (NodeIndex i = 0; i < tree.node_count(); ++i) {
      const Node& node = tree.node(i);
      if (!node.expanded || node.proof == Proof::kUnknown) continue;
      ++proven;
      int shortest_win = 1 << 20;
      int longest_loss = 0;
      int known = 0;
      for (const Edge& edge : tree.edges(node)) {
        if (edge.child == kNoNode) continue;
        const Node& child = tree.node(edge.child);
        known += child.proof != Proof::kUnknown ? 1 : 0;
        if (child.proof == Proof::kLoss) {
          shortest_win = std::min(shortest_win, child.proof_plies + 1);
        }
        if (child.proof == Proof::kWin)
          longest_loss = std::max(longest_loss, child.proof_plies + 1);
      }
      if (node.proof == Proof::kWin) {
        EXPECT_EQ(node.proof_plies, shortest_win);
      }
      if (node.proof == Proof::kLoss) {
        EXPECT_EQ(node.proof_plies, longest_loss);
        EXPECT_EQ(known, node.edge_count);
      }
    }
  }
  EXPECT_GT(proven, 1);
}

TEST(Solver, SeesTheDrawByThirdRepetition) {
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    GameState<Khans> game{Khans::Position::Start()};
    for (const char* const move : {"b1c3", "a8b6", "c3b1", "b6a8", "b1c3", "a8b6", "c3b1"}) {
      game.Play(Khans::TextToMove(game.position(), move));
    }
    UniformEvaluator evaluator(InfoOf<Khans>().shape);
    SearchSettings settings = SettingsFor(algorithm, 400);
    settings.gumbel_considered = 1000;
    const auto searched = SearchGame(game, settings, evaluator);
    EXPECT_EQ(searched.Find("b6a8").proof, Proof::kDraw);
    EXPECT_EQ(searched.Find("b6a8").value, 0.0);
    // The count of the 50-move rule is seen as well.
    const auto fifty =
        SearchFen<Khans>("7k/8/8/8/8/8/8/K5R1 w - - 99 1", SettingsFor(algorithm, 200));
    EXPECT_EQ(fifty.Find("a1b1").proof, Proof::kDraw);
  }
}

// A root where all but a few moves lose at once: sequential halving must not stop at the actions
// that it chose to consider when these are proven to lose.
TYPED_TEST(Solver, GumbelLeavesActionsThatAreProvenToLose) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  SearchSettings settings = SettingsFor(RootAlgorithm::kGumbel, 64);
  settings.gumbel_considered = 2;
  Random random(5);
  typename G::Moves moves;
  typename G::Moves replies;
  int tried = 0;
  for (int game = 0; tried < 8 && game < 2000; ++game) {
    GameState<G> state(G::Position::Start());
    for (int ply = 0; ply < 150 && !state.position().ComputeOutcome().over(); ++ply) {
      state.position().LegalMoves(moves);
      std::vector<Move> safe;
      for (const Move& move : moves) {
        typename G::Position next = state.position();
        next.Play(move);
        next.LegalMoves(replies);
        const bool loses = !next.OutcomeGiven(!replies.empty()).over() &&
                           ForcedWinFinder<G>::AtOnce(next, replies).has_value();
        if (!loses) safe.push_back(move);
      }
      if (!safe.empty() && 4 * static_cast<int>(safe.size()) < moves.size() && moves.size() < 60) {
        ++tried;
        const auto searched =
            SearchGame(state, settings, evaluator, Exploration::kNone, static_cast<uint64_t>(ply));
        if (searched.result.proof == Proof::kUnknown) {
          EXPECT_NE(std::ranges::find(safe, searched.best().move), safe.end())
              << state.position().Fen() << ' ' << G::MoveToText(searched.best().move);
          EXPECT_GT(searched.best().visits, 0U) << state.position().Fen();
        }
        break;
      }
      state.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
    }
  }
  EXPECT_GE(tried, 5);
}

}  // namespace
}  // namespace khanzero
