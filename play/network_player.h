// SPDX-License-Identifier: GPL-3.0-or-later
//
// A player that searches with a network, all its games in one batch and without noise.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "env/game_info.h"
#include "mcts/batch.h"
#include "play/player.h"

namespace khanzero {

template <Game G>
class NetworkPlayer : public Player<G> {
 public:
  // `evaluator` must outlive the player and have the game's shape.
  NetworkPlayer(std::string name, Evaluator& evaluator, const PlayerSettings& settings)
      : name_(std::move(name)),
        settings_(settings),
        cache_(kCacheBytes),
        searcher_(evaluator, settings.leaves_per_search, &cache_) {
    Check(evaluator.shape() == InfoOf<G>().shape, "the evaluator is for another game");
  }
  NetworkPlayer(std::string name, std::unique_ptr<Evaluator> evaluator,
                const PlayerSettings& settings)
      : NetworkPlayer(std::move(name), *evaluator, settings) {
    owned_ = std::move(evaluator);
  }

  const std::string& name() const override { return name_; }

  void ChooseMoves(std::span<const Turn<G>> turns, std::span<Move> moves) override {
    active_.clear();
    std::vector<size_t> owners;
    typename G::Moves legal;
    for (size_t i = 0; i < turns.size(); ++i) {
      const GameState<G>& game = *turns[i].game;
      game.position().LegalMoves(legal);
      Check(!legal.empty(), "a player is asked for a move in a game that is over");
      if (legal.size() == 1) {
        moves[i] = legal[0];
        continue;
      }
      if (searches_.size() <= active_.size()) {
        searches_.emplace_back(settings_.search, Exploration::kNone, Random(0));
      }
      Search<G>& search = searches_[active_.size()];
      search.Begin(game.position(), game.history());
      active_.push_back(&search);
      owners.push_back(i);
    }
    searcher_.Run(active_);
    for (size_t i = 0; i < active_.size(); ++i) {
      const SearchResult result = active_[i]->Result();
      moves[owners[i]] = result.moves[static_cast<size_t>(result.best)].move;
    }
  }

 private:
  static constexpr size_t kCacheBytes = size_t{64} << 20;

  std::string name_;
  PlayerSettings settings_;
  std::unique_ptr<Evaluator> owned_;
  EvaluationCache cache_;  // of all games and moves
  BatchSearcher<G> searcher_;
  std::deque<Search<G>> searches_;  // kept, so that their memory is
  std::vector<Search<G>*> active_;
};

template <Game G>
std::unique_ptr<Player<G>> MakeNetworkPlayer(const std::string& name, Evaluator& evaluator,
                                             const PlayerSettings& settings) {
  return std::make_unique<NetworkPlayer<G>>(name, evaluator, settings);
}

}  // namespace khanzero
