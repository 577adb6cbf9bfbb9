// SPDX-License-Identifier: GPL-3.0-or-later
//
// What one search does with its evaluations: perspective, priors, noise, visits and targets.
#include "mcts/search.h"

#include <cmath>

#include "mcts/signature.h"
#include "tests/mcts/search_testing.h"

namespace khanzero {
namespace {

template <class G>
class SearchOf : public testing::Test {
 protected:
  static GameState<G> Start() { return GameState<G>(G::Position::Start()); }
  // A game after some random moves in which nothing is decided soon.
  static GameState<G> Middle(uint64_t seed, int plies) {
    Random random(seed);
    GameState<G> game = Start();
    typename G::Moves moves;
    for (int i = 0; i < plies && !game.position().ComputeOutcome().over(); ++i) {
      game.position().LegalMoves(moves);
      game.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
    }
    return game;
  }
  static uint64_t VisitSum(const SearchResult& result) {
    uint64_t sum = 0;
    for (const RootMove& move : result.moves) sum += move.visits;
    return sum;
  }
  static void ExpectGoodTargets(const SearchResult& result) {
    double sum = 0.0;
    for (const RootMove& move : result.moves) {
      EXPECT_TRUE(std::isfinite(move.target));
      EXPECT_GE(move.target, 0.0);
      sum += move.target;
    }
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
};
TYPED_TEST_SUITE(SearchOf, TestedGames, GameTypeName);

TYPED_TEST(SearchOf, ValuesAreForTheSideToMoveAtEveryDepth) {
  using G = TypeParam;
  WhiteIsBetter<G> evaluator(0.6F);
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    for (const int simulations : {1, 8, 100, 1500}) {
      for (const int plies : {0, 1}) {
        const auto searched =
            SearchGame(this->Middle(1, plies), SettingsFor(algorithm, simulations), evaluator,
                       Exploration::kSelfPlay);  // without mates below the root: values alone
        const double expected = plies == 0 ? 0.6 : -0.6;
        EXPECT_NEAR(static_cast<double>(searched.result.root.value()), expected, 1e-5);
        for (const RootMove& move : searched.result.moves) {
          if (move.visits > 0) {
            EXPECT_NEAR(move.value, expected, 1e-5);
          }
        }
      }
    }
  }
}

TYPED_TEST(SearchOf, TheSameSeedGivesTheSameTree) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    const auto visits = [&](uint64_t seed) {
      std::vector<std::pair<std::string, uint32_t>> list;
      const auto searched = SearchGame(this->Middle(3, 6), SettingsFor(algorithm, 64), evaluator,
                                       Exploration::kSelfPlay, seed);
      for (const RootMove& m : searched.result.moves) {
        if (m.visits > 0) list.emplace_back(G::MoveToText(m.move), m.visits);
      }
      return list;
    };
    EXPECT_EQ(visits(5), visits(5));
    EXPECT_NE(visits(5), visits(6));
  }
}

TYPED_TEST(SearchOf, ASecondSearchWithOneObjectEqualsAFreshOne) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    const SearchSettings settings = SettingsFor(algorithm, 50);
    const GameState<G> game = this->Middle(4, 8);
    const auto fresh = SearchGame(game, settings, evaluator);
    auto used = SearchGame(this->Middle(9, 5), settings, evaluator);
    used.search->Begin(game.position(), game.history());
    Search<G>* const one = used.search.get();
    BatchSearcher<G>(evaluator, 1).Run(std::span(&one, 1));
    const SearchResult again = used.search->Result();
    ASSERT_EQ(again.moves.size(), fresh.result.moves.size());
    for (size_t i = 0; i < again.moves.size(); ++i) {
      EXPECT_EQ(again.moves[i].move, fresh.result.moves[i].move);
      EXPECT_EQ(again.moves[i].visits, fresh.result.moves[i].visits);
      EXPECT_EQ(again.moves[i].target, fresh.result.moves[i].target);
    }
  }
}

TYPED_TEST(SearchOf, VisitsSumToTheSimulations) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    for (const int simulations : {1, 2, 15, 16, 17, 100}) {
      const auto searched =
          SearchGame(this->Start(), SettingsFor(algorithm, simulations), evaluator);
      EXPECT_EQ(this->VisitSum(searched.result), static_cast<uint64_t>(simulations));
      EXPECT_EQ(searched.search->counters().simulations, static_cast<uint64_t>(simulations));
      EXPECT_EQ(searched.search->tree().root().visit_count, static_cast<uint32_t>(simulations) + 1);
    }
  }
}

TYPED_TEST(SearchOf, TargetsAreFiniteAndSumToOne) {
  using G = TypeParam;
  WhiteIsBetter<G> evaluator(0.9F);
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    for (const Exploration exploration : {Exploration::kNone, Exploration::kSelfPlay}) {
      int single = 0;
      int proven = 0;
      Random random(11);
      typename G::Moves moves;
      for (int games = 0; games < 12; ++games) {
        GameState<G> game = this->Start();
        for (int ply = 0; ply < 300 && !game.position().ComputeOutcome().over(); ++ply) {
          game.position().LegalMoves(moves);
          if (ply % 10 == 0 || moves.size() <= 2) {
            for (const int simulations : {1, 20}) {
              const auto searched = SearchGame(game, SettingsFor(algorithm, simulations), evaluator,
                                               exploration, random.Next());
              this->ExpectGoodTargets(searched.result);
              proven += searched.result.proof != Proof::kUnknown ? 1 : 0;
            }
            single += moves.size() == 1 ? 1 : 0;
          }
          game.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
        }
      }
      EXPECT_GT(proven, 0);
      EXPECT_TRUE(single > 0 || (std::is_same_v<G, Serbest>));
    }
  }
}

TYPED_TEST(SearchOf, TheFirstSimulationFollowsThePrior) {
  using G = TypeParam;
  typename G::Moves moves;
  const GameState<G> game = this->Start();
  game.position().LegalMoves(moves);
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    for (const int at : {0, moves.size() / 2, moves.size() - 1}) {
      OneFavourite<G> evaluator(G::PolicyIndex(game.position(), moves[at]), 3.0F);
      const auto searched = SearchGame(game, SettingsFor(algorithm, 1), evaluator);
      EXPECT_EQ(searched.result.moves[0].move, moves[at]);
      EXPECT_EQ(searched.result.moves[0].visits, 1U);
      EXPECT_EQ(searched.best().move, moves[at]);
    }
  }
}

TYPED_TEST(SearchOf, PuctNoiseShowsInThePriorsOfSelfPlayOnly) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  const auto spread = [&](Exploration exploration) {
    const auto searched =
        SearchGame(this->Start(), SettingsFor(RootAlgorithm::kPuct, 50), evaluator, exploration);
    const Tree& tree = searched.search->tree();
    float least = 1.0F;
    float most = 0.0F;
    double sum = 0.0;
    for (const Edge& edge : tree.edges(tree.root())) {
      least = std::min(least, edge.prior);
      most = std::max(most, edge.prior);
      sum += edge.prior;
    }
    EXPECT_NEAR(sum, 1.0, 1e-3);
    // What is reported as prior has no noise.
    for (const RootMove& move : searched.result.moves) {
      EXPECT_NEAR(move.prior, 1.0 / static_cast<double>(searched.result.moves.size()), 1e-6);
    }
    return most / least;
  };
  EXPECT_NEAR(spread(Exploration::kNone), 1.0F, 1e-4F);
  EXPECT_GT(spread(Exploration::kSelfPlay), 1.3F);
}

// A move that noise alone recommends: it is tried often enough to be known, and not learned from.
TYPED_TEST(SearchOf, ForcedPlayoutsAreSpentAndLeftOutOfTheTarget) {
  using G = TypeParam;
  OpinionatedEvaluator evaluator(InfoOf<G>().shape);
  SearchSettings settings = SettingsFor(RootAlgorithm::kPuct, 800);
  settings.dirichlet_weight = 0.6;
  const auto search = [&](double forced) {
    settings.forced_playouts = forced;
    return SearchGame(this->Start(), settings, evaluator, Exploration::kSelfPlay);
  };
  const auto without = search(0.0);
  const auto with = search(4.0);
  const Tree& tree = with.search->tree();
  const auto shortfall = [&](const RootMove& move) {
    for (const Edge& edge : tree.edges(tree.root())) {
      if (edge.move == move.move) return std::sqrt(4.0 * edge.prior * 800.0) - move.visits;
    }
    return 0.0;
  };
  double sum = 0.0;
  for (const RootMove& move : with.result.moves) {
    EXPECT_TRUE(move.visits == 0 || shortfall(move) < 2.0) << G::MoveToText(move.move);
    EXPECT_LE(move.target * 800.0, 800.0 * (move.visits > 0));
    sum += move.target;
  }
  EXPECT_NEAR(sum, 1.0, 1e-9);
  // The most visited keeps all of its visits, so its share grows.
  EXPECT_GT(with.result.moves[0].target, with.result.moves[0].visits / 800.0);
  for (const RootMove& move : without.result.moves) {
    EXPECT_NEAR(move.target, move.visits / 800.0, 1e-9);
  }
}

TYPED_TEST(SearchOf, NothingIsForcedInPlay) {
  using G = TypeParam;
  WhiteIsBetter<G> evaluator(0.3F);
  SearchSettings settings = SettingsFor(RootAlgorithm::kPuct, 400);
  settings.forced_playouts = 0.0;
  const auto off = SearchGame(this->Start(), settings, evaluator);
  settings.forced_playouts = 50.0;
  const auto on = SearchGame(this->Start(), settings, evaluator);
  for (size_t i = 0; i < off.result.moves.size(); ++i) {
    EXPECT_EQ(off.result.moves[i].visits, on.result.moves[i].visits);
    EXPECT_EQ(off.result.moves[i].target, on.result.moves[i].target);
  }
}

TYPED_TEST(SearchOf, GumbelConsidersOtherMovesWithAnotherSeed) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  SearchSettings settings = SettingsFor(RootAlgorithm::kGumbel, 8);
  settings.gumbel_considered = 4;
  const auto visited = [&](uint64_t seed) {
    const auto searched =
        SearchGame(this->Start(), settings, evaluator, Exploration::kSelfPlay, seed);
    int count = 0;
    for (const RootMove& move : searched.result.moves) count += move.visits > 0 ? 1 : 0;
    EXPECT_EQ(count, 4);
    return searched.result.moves[0].move;
  };
  int different = 0;
  for (uint64_t seed = 2; seed < 10; ++seed) different += visited(1) != visited(seed) ? 1 : 0;
  EXPECT_GT(different, 3);
}

TYPED_TEST(SearchOf, GumbelTargetPrefersWhatTheSearchFoundBetter) {
  using G = TypeParam;
  // The evaluator thinks White is winning: after a search by White no move is better than another,
  // so the target stays near the prior; it must not fall on the visited moves alone.
  WhiteIsBetter<G> evaluator(0.5F);
  const auto searched =
      SearchGame(this->Start(), SettingsFor(RootAlgorithm::kGumbel, 16), evaluator);
  const double uniform = 1.0 / static_cast<double>(searched.result.moves.size());
  for (const RootMove& move : searched.result.moves) EXPECT_NEAR(move.target, uniform, 1e-6);
}

// UCI's searchmoves.
TEST(RootMoves, OnlyTheseAreLookedAtAndTheNextSearchKnowsAllAgain) {
  for (const RootAlgorithm algorithm : kBothAlgorithms) {
    const GameState<Khans> game(Khans::Position::Start());
    const std::vector<Move> moves = {Khans::TextToMove(game.position(), "a2a3"),
                                     Khans::TextToMove(game.position(), "h2h4")};
    UniformEvaluator evaluator(InfoOf<Khans>().shape);
    EvaluationCache cache(size_t{1} << 20);
    Search<Khans> search(SettingsFor(algorithm, 200), Exploration::kNone, Random(1));
    Search<Khans>* const one = &search;
    search.Begin(game.position(), game.history());
    search.LimitRoot(moves);
    BatchSearcher<Khans>(evaluator, 1, &cache).Run(std::span(&one, 1));
    const SearchResult limited = search.Result();
    ASSERT_EQ(limited.moves.size(), 2U);
    EXPECT_EQ(limited.moves[0].visits + limited.moves[1].visits, 200U);
    // What was said of two moves must not be taken for what is said of two others.
    std::vector<float> logits;
    Wdl wdl;
    EXPECT_FALSE(cache.Find(game.position().EvaluationKey(), 2, logits, wdl));
    search.Begin(game.position(), game.history());
    BatchSearcher<Khans>(evaluator, 1, &cache).Run(std::span(&one, 1));
    EXPECT_GT(search.Result().moves.size(), 2U);
  }
}

TEST(RootMoves, AWinByAnotherMoveIsNotPlayed) {
  const auto position = Khans::Position::FromFen("8/4K3/8/8/8/8/7k/8 w - - 20 70");
  const GameState<Khans> game(position);
  const std::vector<Move> moves = {Khans::TextToMove(position, "e7e6"),
                                   Khans::TextToMove(position, "e7d6")};
  UniformEvaluator evaluator(InfoOf<Khans>().shape);
  Search<Khans> search(SettingsFor(RootAlgorithm::kPuct, 50), Exploration::kNone, Random(1));
  Search<Khans>* const one = &search;
  search.Begin(position, game.history());
  search.LimitRoot(moves);
  BatchSearcher<Khans>(evaluator, 1).Run(std::span(&one, 1));
  const SearchResult result = search.Result();
  const Move best = result.moves[static_cast<size_t>(result.best)].move;
  EXPECT_TRUE(best == moves[0] || best == moves[1]);
}

}  // namespace
}  // namespace khanzero
