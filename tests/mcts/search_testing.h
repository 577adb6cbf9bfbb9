// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the tests of the search share: evaluators with known answers, and searching in one call.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "env/games.h"
#include "mcts/batch.h"

namespace khanzero {

using TestedGames = testing::Types<Khans, Serbest>;
struct GameTypeName {
  template <class G>
  static std::string GetName(int) {
    return std::string(G::kName);
  }
};

// White always stands better: the value is `value` for White, whoever is to move.
template <Game G>
class WhiteIsBetter : public UniformEvaluator {
 public:
  explicit WhiteIsBetter(float value) : UniformEvaluator(InfoOf<G>().shape), value_(value) {}
  void Evaluate(EvaluationBatch& batch) override {
    UniformEvaluator::Evaluate(batch);
    constexpr size_t kColorPlane = Encoder<typename G::Spec>::kColorPlane;
    const auto size = static_cast<size_t>(batch.shape().input_size());
    for (int i = 0; i < batch.size(); ++i) {
      const bool white = batch.planes()[static_cast<size_t>(i) * size + kColorPlane] == 1.0F;
      const float value = white ? value_ : -value_;
      batch.mutable_wdl(i) = {(1.0F + value) / 2.0F, 0.0F, (1.0F - value) / 2.0F};
    }
  }

 private:
  float value_;
};

// Every policy index but one has logit 0.
template <Game G>
class OneFavourite : public UniformEvaluator {
 public:
  OneFavourite(uint16_t index, float logit)
      : UniformEvaluator(InfoOf<G>().shape), index_(index), logit_(logit) {}
  void Evaluate(EvaluationBatch& batch) override {
    UniformEvaluator::Evaluate(batch);
    for (int i = 0; i < batch.size(); ++i) {
      for (size_t k = 0; k < batch.policy_indices(i).size(); ++k) {
        if (batch.policy_indices(i)[k] == index_) batch.mutable_logits(i)[k] = logit_;
      }
    }
  }

 private:
  uint16_t index_;
  float logit_;
};

inline SearchSettings SettingsFor(RootAlgorithm algorithm, int simulations) {
  SearchSettings settings;
  settings.algorithm = algorithm;
  settings.simulations = simulations;
  return settings;
}

template <Game G>
struct Searched {
  GameState<G> game;
  std::unique_ptr<Search<G>> search;
  SearchResult result;

  const RootMove& best() const { return result.moves[static_cast<size_t>(result.best)]; }
  const RootMove& Find(const std::string& text) const {
    for (const RootMove& m : result.moves) {
      if (G::MoveToText(m.move) == text) return m;
    }
    throw InputError("no such move: " + text);
  }
};

template <Game G>
Searched<G> SearchGame(const GameState<G>& game, const SearchSettings& settings,
                       Evaluator& evaluator, Exploration exploration = Exploration::kNone,
                       uint64_t seed = 1, int leaves = 1) {
  Searched<G> searched{game, std::make_unique<Search<G>>(settings, exploration, Random(seed)), {}};
  searched.search->Begin(game.position(), game.history());
  Search<G>* const one = searched.search.get();
  BatchSearcher<G>(evaluator, leaves).Run(std::span(&one, 1));
  searched.result = searched.search->Result();
  return searched;
}

template <Game G>
Searched<G> SearchFen(const std::string& fen, const SearchSettings& settings) {
  UniformEvaluator evaluator(InfoOf<G>().shape);
  return SearchGame(GameState<G>(G::Position::FromFen(fen)), settings, evaluator);
}

inline constexpr std::array kBothAlgorithms = {RootAlgorithm::kGumbel, RootAlgorithm::kPuct};

}  // namespace khanzero
