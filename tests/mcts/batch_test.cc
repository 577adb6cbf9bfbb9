// SPDX-License-Identifier: GPL-3.0-or-later
#include "mcts/batch.h"

#include "tests/mcts/search_testing.h"

namespace khanzero {
namespace {

template <class G>
class Batch : public testing::Test {};
TYPED_TEST_SUITE(Batch, TestedGames, GameTypeName);

template <Game G>
void ExpectNothingInFlight(const Search<G>& search) {
  for (NodeIndex i = 0; i < search.tree().node_count(); ++i) {
    ASSERT_EQ(search.tree().node(i).in_flight, 0U);
  }
}

TYPED_TEST(Batch, SeveralLeavesOfOneTreeGiveTheRightVisits) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  const GameState<G> game(G::Position::Start());
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    for (const int leaves : {1, 2, 5, 16}) {
      for (const int simulations : {1, 3, 40, 200}) {
        const auto searched = SearchGame(game, SettingsFor(algorithm, simulations), evaluator,
                                         Exploration::kNone, 1, leaves);
        uint64_t visits = 0;
        for (const RootMove& move : searched.result.moves) visits += move.visits;
        EXPECT_EQ(visits, static_cast<uint64_t>(simulations));
        ExpectNothingInFlight(*searched.search);
      }
    }
  }
}

// Searches of every length, some decided at once, some in the middle: the batches shrink and end.
TYPED_TEST(Batch, SearchesOfDifferentLengthsAllEnd) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  Random random(21);
  for (int round = 0; round < 20; ++round) {
    const auto algorithm = kBothAlgorithms[random.Below(2)];
    std::vector<std::unique_ptr<Search<G>>> searches;
    std::vector<Search<G>*> pointers;
    typename G::Moves moves;
    while (searches.size() < 12) {
      GameState<G> game(G::Position::Start());
      const auto plies = random.Below(150);
      for (uint64_t i = 0; i < plies; ++i) {
        game.position().LegalMoves(moves);
        GameState<G> next = game;
        next.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
        if (next.position().ComputeOutcome().over()) break;
        game = next;
      }
      const int simulations = 1 + static_cast<int>(random.Below(60));
      searches.push_back(std::make_unique<Search<G>>(
          SettingsFor(algorithm, simulations), Exploration::kSelfPlay, Random(random.Next())));
      searches.back()->Begin(game.position(), game.history());
      pointers.push_back(searches.back().get());
    }
    BatchSearcher<G> searcher(evaluator, 1 + static_cast<int>(random.Below(5)));
    searcher.Run(pointers);
    EXPECT_EQ(searcher.Step(pointers), 0);
    for (const auto& search : searches) {
      EXPECT_TRUE(search->finished());
      ExpectNothingInFlight(*search);
      const SearchResult result = search->Result();
      ASSERT_GE(result.best, 0);
      ASSERT_LT(result.best, static_cast<int>(result.moves.size()));
    }
  }
}

TYPED_TEST(Batch, ABatchOfOneSearchEqualsThatSearchAmongOthers) {
  using G = TypeParam;
  WhiteIsBetter<G> evaluator(0.3F);
  const SearchSettings settings = SettingsFor(RootAlgorithm::kPuct, 60);
  const GameState<G> game(G::Position::Start());
  const auto alone = SearchGame(game, settings, evaluator);
  std::vector<std::unique_ptr<Search<G>>> searches;
  std::vector<Search<G>*> pointers;
  for (int i = 0; i < 5; ++i) {
    searches.push_back(std::make_unique<Search<G>>(settings, Exploration::kNone, Random(1)));
    searches.back()->Begin(game.position(), game.history());
    pointers.push_back(searches.back().get());
  }
  BatchSearcher<G>(evaluator, 1).Run(pointers);
  for (const auto& search : searches) {
    const SearchResult result = search->Result();
    for (size_t i = 0; i < result.moves.size(); ++i) {
      ASSERT_EQ(result.moves[i].move, alone.result.moves[i].move);
      ASSERT_EQ(result.moves[i].visits, alone.result.moves[i].visits);
    }
  }
}

}  // namespace
}  // namespace khanzero
