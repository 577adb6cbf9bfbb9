// SPDX-License-Identifier: GPL-3.0-or-later
//
// A player that searches with a network, all its games in one batch and without noise. One object
// plays both sides of a match between two settings of one network, so that they share its batches.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "env/game_info.h"
#include "mcts/batch.h"
#include "mcts/parallel.h"
#include "play/player.h"

namespace khanzero {

template <Game G>
class NetworkPlayer : public Player<G> {
 public:
  // `evaluator` must outlive the player and have the game's shape. A turn's `side` chooses between
  // the settings; both sides have the same leaves_per_search.
  NetworkPlayer(std::string name, Evaluator& evaluator, std::array<PlayerSettings, 2> settings)
      : name_(std::move(name)),
        settings_(std::move(settings)),
        cache_(kCacheBytes),
        searcher_(evaluator, settings_[0].leaves_per_search, &cache_),
        timed_searcher_(std::array{&evaluator}, kTimedLeaves, &cache_) {
    Check(evaluator.shape() == InfoOf<G>().shape, "the evaluator is for another game");
  }
  NetworkPlayer(std::string name, Evaluator& evaluator, const PlayerSettings& settings)
      : NetworkPlayer(std::move(name), evaluator, std::array{settings, settings}) {}
  NetworkPlayer(std::string name, std::unique_ptr<Evaluator> evaluator,
                std::array<PlayerSettings, 2> settings)
      : NetworkPlayer(std::move(name), *evaluator, std::move(settings)) {
    owned_ = std::move(evaluator);
  }
  NetworkPlayer(std::string name, std::unique_ptr<Evaluator> evaluator,
                const PlayerSettings& settings)
      : NetworkPlayer(std::move(name), std::move(evaluator), std::array{settings, settings}) {}

  const std::string& name() const override { return name_; }

  void ChooseMoves(std::span<const Turn<G>> turns, std::span<Move> moves) override {
    std::vector<Choice> choices(turns.size());
    Choose(turns, choices);
    for (size_t i = 0; i < turns.size(); ++i) moves[i] = choices[i].move;
  }

  // Searches that time limits come one after the other, each with the whole machine; the others in
  // one batch.
  void Choose(std::span<const Turn<G>> turns, std::span<Choice> choices) override {
    std::array<size_t, 2> used{};
    active_.clear();
    std::vector<size_t> owners;
    typename G::Moves legal;
    const Clock::time_point begin = Clock::now();
    for (size_t i = 0; i < turns.size(); ++i) {
      const Turn<G>& turn = turns[i];
      turn.game->position().LegalMoves(legal);
      Check(!legal.empty(), "a player is asked for a move in a game that is over");
      if (legal.size() == 1) {
        choices[i] = {.move = legal[0]};
      } else if (ThinkTimeMs(turn.limits, 0, turn.game->position().side_to_move())) {
        choices[i] = ChooseInTime(turn);
      } else {
        Search<G>& search = NextSearch(turn.side, used);
        search.Begin(turn.game->position(), turn.game->history());
        if (turn.limits.nodes) search.set_simulation_limit(*turn.limits.nodes);
        active_.push_back(&search);
        owners.push_back(i);
      }
    }
    searcher_.Run(active_);
    for (size_t i = 0; i < active_.size(); ++i) {
      choices[owners[i]] = ChoiceOf(*active_[i], Since(begin));
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr size_t kCacheBytes = size_t{64} << 20;
  static constexpr size_t kMostTreeBytes = size_t{1} << 30;
  static constexpr int kTimedLeaves = 32;
  static constexpr int64_t kMostSimulations = 2'000'000'000;
  static constexpr int kLongestLine = 60;

  static std::chrono::microseconds Since(Clock::time_point begin) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  }

  Search<G>& NextSearch(int side, std::array<size_t, 2>& used) {
    const auto index = static_cast<size_t>(side);
    std::deque<Search<G>>& searches = searches_[index];
    if (searches.size() <= used[index]) {
      searches.emplace_back(settings_[index].search, Exploration::kNone, Random(0));
    }
    return searches[used[index]++];
  }

  // PUCT whatever the settings say: halving needs to know the number of simulations beforehand.
  Choice ChooseInTime(const Turn<G>& turn) {
    const Clock::time_point begin = Clock::now();
    const PlayerSettings& settings = settings_[static_cast<size_t>(turn.side)];
    const int64_t think_time_ms =
        ThinkTimeMs(turn.limits, settings.overhead_ms, turn.game->position().side_to_move())
            .value_or(1);
    SearchSettings search_settings = settings.search;
    search_settings.algorithm = RootAlgorithm::kPuct;
    timed_searches_.clear();
    Search<G>& search =
        timed_searches_.emplace_back(search_settings, Exploration::kNone, Random(0));
    search.Begin(turn.game->position(), turn.game->history());
    search.set_simulation_limit(turn.limits.nodes.value_or(kMostSimulations));
    const Clock::time_point end = begin + std::chrono::milliseconds(think_time_ms);
    timed_searcher_.Run(search, [&] {
      return Clock::now() < end && !settings.stop.stop_requested() && !search.finished() &&
             search.tree().bytes() < kMostTreeBytes;
    });
    Choice choice = ChoiceOf(search, Since(begin));
    choice.elapsed = Since(begin);
    return choice;
  }

  static Choice ChoiceOf(const Search<G>& search, std::chrono::microseconds elapsed) {
    const SearchResult result = search.Result();
    const RootMove& best = result.moves[static_cast<size_t>(result.best)];
    Choice choice{.move = best.move, .elapsed = elapsed};
    const auto line = search.LineAfter(best.move, kLongestLine);
    choice.report.depth = static_cast<int>(line.size());
    choice.report.nodes = static_cast<int64_t>(search.counters().simulations);
    if (result.proof == Proof::kWin || result.proof == Proof::kLoss) {
      const int moves = (result.proof_plies + 1) / 2;
      choice.report.mate = result.proof == Proof::kWin ? moves : -moves;
    } else {
      choice.report.centipawns = CentipawnsFromValue(static_cast<double>(result.root.value()));
    }
    return choice;
  }

  std::string name_;
  std::array<PlayerSettings, 2> settings_;
  std::unique_ptr<Evaluator> owned_;
  EvaluationCache cache_;  // of all games and moves
  BatchSearcher<G> searcher_;
  ParallelSearcher<G> timed_searcher_;
  std::array<std::deque<Search<G>>, 2> searches_;  // of each side; kept, so that their memory is
  std::deque<Search<G>> timed_searches_;
  std::vector<Search<G>*> active_;
};

template <Game G>
std::unique_ptr<Player<G>> MakeNetworkPlayer(const std::string& name, Evaluator& evaluator,
                                             const PlayerSettings& settings) {
  return std::make_unique<NetworkPlayer<G>>(name, evaluator, settings);
}

}  // namespace khanzero
