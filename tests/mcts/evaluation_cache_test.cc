// SPDX-License-Identifier: GPL-3.0-or-later
#include "mcts/evaluation_cache.h"

#include <thread>

#include "tests/mcts/search_testing.h"

namespace khanzero {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;

// What the tests keep for `key`: logits and a value that follow from it.
std::vector<float> LogitsOf(uint64_t key, size_t count) {
  std::vector<float> logits;
  for (size_t i = 0; i < count; ++i) {
    logits.push_back(static_cast<float>(Mix64(key + i) % 1000) / 7.0F);
  }
  return logits;
}
Wdl WdlOf(uint64_t key) {
  const float win = static_cast<float>(key % 100) / 100.0F;
  return {win, 0.0F, 1.0F - win};
}
size_t CountOf(uint64_t key) { return 1 + Mix64(key) % 700; }

// Whether the cache knows `key`, and then rightly.
bool Knows(EvaluationCache& cache, uint64_t key) {
  std::vector<float> logits;
  Wdl wdl;
  if (!cache.Find(key, CountOf(key), logits, wdl)) return false;
  EXPECT_EQ(logits, LogitsOf(key, CountOf(key)));
  EXPECT_EQ(wdl.win, WdlOf(key).win);
  EXPECT_EQ(wdl.loss, WdlOf(key).loss);
  return true;
}
void Keep(EvaluationCache& cache, uint64_t key) {
  cache.Insert(key, LogitsOf(key, CountOf(key)), WdlOf(key));
}

TEST(EvaluationCache, FindsWhatWasKept) {
  EvaluationCache cache(kMebibyte);
  EXPECT_FALSE(Knows(cache, 5));
  Keep(cache, 5);
  EXPECT_TRUE(Knows(cache, 5));
  EXPECT_FALSE(Knows(cache, 6));
  cache.Clear();
  EXPECT_FALSE(Knows(cache, 5));
}

TEST(EvaluationCache, AKeyOfTheSameSlotIsAnotherPosition) {
  EvaluationCache cache(kMebibyte);
  Keep(cache, 1);
  // Keys that differ in their upper bits alone meet in one shard; many must meet in one set.
  for (uint64_t upper = 1; upper < 100000; ++upper) ASSERT_FALSE(Knows(cache, upper << 40 | 1));
}

TEST(EvaluationCache, ANumberOfMovesThatDiffersIsRefused) {
  EvaluationCache cache(kMebibyte);
  cache.Insert(9, LogitsOf(9, 30), WdlOf(9));
  std::vector<float> logits;
  Wdl wdl;
  EXPECT_FALSE(cache.Find(9, 29, logits, wdl));
  EXPECT_TRUE(cache.Find(9, 30, logits, wdl));
}

TEST(EvaluationCache, TheOldestMakeRoomAndNothingIsEverWrong) {
  EvaluationCache cache(kMebibyte);
  constexpr uint64_t kMany = 20000;  // about 28 MB of logits
  for (uint64_t i = 0; i < kMany; ++i) {
    Keep(cache, Mix64(i));
    ASSERT_TRUE(Knows(cache, Mix64(i)));
  }
  int known = 0;
  int newest_known = 0;
  for (uint64_t i = 0; i < kMany; ++i) {
    const bool knows = Knows(cache, Mix64(i));
    known += knows;
    newest_known += knows && i >= kMany - 200;
  }
  EXPECT_GT(newest_known, 190);
  EXPECT_GT(known, 400);
  // A mebibyte holds no more than this many floats.
  EXPECT_LT(known, 262144 / 350 * 2);
}

TEST(EvaluationCache, WithoutMemoryKeepsNothing) {
  for (const size_t bytes : {size_t{0}, size_t{100}, size_t{5000}}) {
    EvaluationCache cache(bytes);
    for (uint64_t key = 0; key < 50; ++key) {
      Keep(cache, key);
      Knows(cache, key);
    }
    EXPECT_TRUE(bytes > 0 || !Knows(cache, 49));
  }
}

TEST(EvaluationCache, ThreadsReadAndWriteAtOnce) {
  EvaluationCache cache(kMebibyte / 4);
  std::vector<std::jthread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, t] {
      Random random(t);
      for (int i = 0; i < 20000; ++i) {
        const uint64_t key = Mix64(random.Below(2000));
        if (!Knows(cache, key)) Keep(cache, key);
      }
    });
  }
}

template <class G>
class CachedSearch : public testing::Test {};
TYPED_TEST_SUITE(CachedSearch, TestedGames, GameTypeName);

// Counts what it is asked.
class Counting : public UniformEvaluator {
 public:
  using UniformEvaluator::UniformEvaluator;
  void Evaluate(EvaluationBatch& batch) override {
    UniformEvaluator::Evaluate(batch);
    asked += batch.size();
  }
  int asked = 0;
};

TYPED_TEST(CachedSearch, GivesTheSameResultWithFewerEvaluations) {
  using G = TypeParam;
  const GameState<G> game(
      G::Position::FromFen(G::kSquares == 64 ? "8/4k3/8/s7/7P/8/4K3/8 w - - 0 1"
                                             : "10/4k5/10/10/p9/9P/10/10/4K5/10[] w - - 0 1"));
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    Counting evaluator(InfoOf<G>().shape);
    EvaluationCache cache(16 * kMebibyte);
    SearchResult results[2];
    int asked[2];
    for (const bool cached : {false, true}) {
      Search<G> search(SettingsFor(algorithm, 1500), Exploration::kNone, Random(1));
      search.Begin(game.position(), game.history());
      Search<G>* const one = &search;
      evaluator.asked = 0;
      BatchSearcher<G>(evaluator, 1, cached ? &cache : nullptr).Run(std::span(&one, 1));
      asked[cached] = evaluator.asked;
      results[cached] = search.Result();
      EXPECT_EQ(search.counters().evaluations - search.counters().cache_hits,
                static_cast<uint64_t>(evaluator.asked));
    }
    EXPECT_LT(asked[1], asked[0]);
    ASSERT_EQ(results[0].moves.size(), results[1].moves.size());
    for (size_t i = 0; i < results[0].moves.size(); ++i) {
      EXPECT_EQ(results[0].moves[i].move, results[1].moves[i].move);
      EXPECT_EQ(results[0].moves[i].visits, results[1].moves[i].visits);
      EXPECT_EQ(results[0].moves[i].value, results[1].moves[i].value);
    }
  }
}

}  // namespace
}  // namespace khanzero
