// SPDX-License-Identifier: GPL-3.0-or-later
#include "mcts/parallel.h"

#include "tests/mcts/search_testing.h"

namespace khanzero {
namespace {

template <class G>
class Parallel : public testing::Test {
 protected:
  // Searches the start with so many threads.
  template <class Again>
  void Run(std::vector<std::unique_ptr<Evaluator>>& evaluators, Search<G>& search, int leaves,
           EvaluationCache* cache, Again&& again) {
    const GameState<G> game(G::Position::Start());
    search.Begin(game.position(), game.history());
    std::vector<Evaluator*> pointers;
    for (const auto& evaluator : evaluators) pointers.push_back(evaluator.get());
    ParallelSearcher<G>(pointers, leaves, cache).Run(search, again);
  }
  static std::vector<std::unique_ptr<Evaluator>> Uniform(int threads) {
    std::vector<std::unique_ptr<Evaluator>> evaluators;
    for (int i = 0; i < threads; ++i) {
      evaluators.push_back(std::make_unique<UniformEvaluator>(InfoOf<G>().shape));
    }
    return evaluators;
  }
};
TYPED_TEST_SUITE(Parallel, TestedGames, GameTypeName);

template <Game G>
void ExpectVisitsAddUp(const Search<G>& search) {
  const Tree& tree = search.tree();
  for (NodeIndex i = 0; i < tree.node_count(); ++i) {
    const Node& node = tree.node(i);
    ASSERT_EQ(node.in_flight, 0U);
    ASSERT_FALSE(node.widening);
    uint64_t below = 0;
    for (const Edge& edge : tree.edges(node)) below += tree.EdgeVisits(edge);
    ASSERT_EQ(node.visit_count, node.expanded ? below + 1 : node.visit_count);
  }
}

TYPED_TEST(Parallel, EverySimulationIsCountedOnce) {
  using G = TypeParam;
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    for (const int threads : {1, 2, 5}) {
      for (const int leaves : {1, 7}) {
        for (const int simulations : {1, 10, 900}) {
          auto evaluators = this->Uniform(threads);
          EvaluationCache cache(size_t{1} << 20);
          Search<G> search(SettingsFor(algorithm, simulations), Exploration::kNone, Random(1));
          this->Run(evaluators, search, leaves, &cache, [] { return true; });
          EXPECT_TRUE(search.finished());
          EXPECT_EQ(search.counters().simulations, static_cast<uint64_t>(simulations));
          ExpectVisitsAddUp(search);
        }
      }
    }
  }
}

TYPED_TEST(Parallel, OneThreadWithOneLeafSearchesAsABatchDoes) {
  using G = TypeParam;
  const GameState<G> game(G::Position::Start());
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    auto evaluators = this->Uniform(1);
    Search<G> search(SettingsFor(algorithm, 300), Exploration::kNone, Random(1));
    this->Run(evaluators, search, 1, nullptr, [] { return true; });
    const auto batched = SearchGame(game, SettingsFor(algorithm, 300), *evaluators[0]);
    const SearchResult result = search.Result();
    for (size_t i = 0; i < result.moves.size(); ++i) {
      EXPECT_EQ(result.moves[i].move, batched.result.moves[i].move);
      EXPECT_EQ(result.moves[i].visits, batched.result.moves[i].visits);
    }
  }
}

// Leaves in flight distort a search: in a small tree there are few, in a grown one full batches.
TYPED_TEST(Parallel, BatchesGrowWithTheTree) {
  using G = TypeParam;
  class Sizes : public UniformEvaluator {
   public:
    using UniformEvaluator::UniformEvaluator;
    void Evaluate(EvaluationBatch& batch) override {
      UniformEvaluator::Evaluate(batch);
      evaluated += batch.size();
      EXPECT_LE(batch.size(), 1 + evaluated / 32);
      largest = std::max(largest, batch.size());
    }
    int evaluated = 0;
    int largest = 0;
  };
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  evaluators.push_back(std::make_unique<Sizes>(InfoOf<G>().shape));
  Search<G> search(SettingsFor(RootAlgorithm::kPuct, 3000), Exploration::kNone, Random(1));
  this->Run(evaluators, search, 24, nullptr, [] { return true; });
  EXPECT_EQ(dynamic_cast<Sizes&>(*evaluators[0]).largest, 24);
}

TYPED_TEST(Parallel, StopsWhenToldAndLeavesNothingWaiting) {
  using G = TypeParam;
  for (const int threads : {1, 4}) {
    auto evaluators = this->Uniform(threads);
    Search<G> search(SettingsFor(RootAlgorithm::kPuct, 1'000'000), Exploration::kNone, Random(1));
    int asked = 0;
    this->Run(evaluators, search, 4, nullptr, [&] { return ++asked < 10; });
    EXPECT_EQ(asked, 10);
    EXPECT_FALSE(search.finished());
    EXPECT_GE(search.counters().simulations, 1U);
    ExpectVisitsAddUp(search);
    EXPECT_FALSE(search.Result().moves.empty());
  }
}

TYPED_TEST(Parallel, AFailingEvaluatorStopsEveryThread) {
  using G = TypeParam;
  class FailsAt : public UniformEvaluator {
   public:
    explicit FailsAt(int call) : UniformEvaluator(InfoOf<G>().shape), left_(call) {}
    void Evaluate(EvaluationBatch& batch) override {
      if (--left_ < 0) throw RuntimeFailure("the device is lost");
      UniformEvaluator::Evaluate(batch);
    }

   private:
    int left_;
  };
  for (const int threads : {1, 2, 4}) {
    for (const int call : {0, 1, 20}) {
      auto evaluators = this->Uniform(threads - 1);
      evaluators.push_back(std::make_unique<FailsAt>(call));
      Search<G> search(SettingsFor(RootAlgorithm::kPuct, 1'000'000), Exploration::kNone, Random(1));
      try {
        this->Run(evaluators, search, 3, nullptr, [] { return true; });
        FAIL() << "nothing was thrown";
      } catch (const RuntimeFailure& failure) {
        EXPECT_STREQ(failure.what(), "the device is lost");
      }
      // A search that begins anew is as good as any.
      auto sound = this->Uniform(2);
      this->Run(sound, search, 3, nullptr, [&] { return search.counters().simulations < 100; });
      ExpectVisitsAddUp(search);
    }
  }
}

// A position where everything is proven while other threads still look for leaves.
TYPED_TEST(Parallel, EndsWhenTheRootIsProven) {
  using G = TypeParam;
  const std::string fen = G::kSquares == 64 ? "8/4K3/8/8/k7/8/8/8 w - - 0 1"
                                            : "10/4K5/10/10/k9/10/10/10/10/10[] w - - 0 1";
  for (const int threads : {1, 3}) {
    auto evaluators = this->Uniform(threads);
    std::vector<Evaluator*> pointers;
    for (const auto& evaluator : evaluators) pointers.push_back(evaluator.get());
    Search<G> search(SettingsFor(RootAlgorithm::kPuct, 1'000'000), Exploration::kNone, Random(1));
    search.Begin(G::Position::FromFen(fen), KeyHistory());
    ParallelSearcher<G>(pointers, 4, nullptr).Run(search, [] { return true; });
    EXPECT_EQ(search.Result().proof, Proof::kWin);
  }
}

}  // namespace
}  // namespace khanzero
