// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/self_play.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <thread>

#include "env/games.h"
#include "train/self_play_game.h"

namespace khanzero {

uint64_t GameNumbers::Next() {
  const std::scoped_lock lock(mutex_);
  while (at_ < stored_.size() && stored_[at_] <= next_) {
    if (stored_[at_] == next_) ++next_;
    ++at_;
  }
  return next_++;
}

int ThreadsFor(int setting) {
  return setting > 0 ? setting : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

namespace {

// What the workers of one call to Play() share.
struct Round {
  const SelfPlay::Network& network;
  GameNumbers& numbers;
  const SelfPlay::Sink& sink;
  std::atomic<int64_t> games_left;
  std::stop_source stop;
  std::mutex mutex{};
  std::exception_ptr failure{};  // the first one; guarded by mutex
};

template <Game G>
class Worker {
 public:
  Worker(const Config& config, SelfPlayCounters& counters) : config_(config), counters_(counters) {}

  // Plays until the round has its games or is stopped.
  void Run(Round& round) {
    const std::unique_ptr<Evaluator> evaluator = round.network.make_evaluator();
    EvaluationBatch batch(evaluator->shape());
    SeatGames(round);
    const std::stop_token stop = round.stop.get_token();
    while (!stop.stop_requested() && round.games_left.load() > 0) {
      batch.Clear();
      waiting_.clear();
      for (SelfPlayGame<G>& game : games_) {
        if (Advance(game, round, batch)) waiting_.push_back(&game);
      }
      if (waiting_.empty()) continue;
      evaluator->Evaluate(batch);
      for (size_t i = 0; i < waiting_.size(); ++i) {
        const int row = static_cast<int>(i);
        waiting_[i]->search().Complete(waiting_[i]->leaf(), batch.logits(row), batch.wdl(row));
      }
      counters_.evaluations += batch.size();
    }
  }

 private:
  // Games in play go on with the round's network; the first call seats new ones.
  void SeatGames(Round& round) {
    for (SelfPlayGame<G>& game : games_) game.ChangeNetwork(round.network.step);
    while (static_cast<int>(games_.size()) < config_.selfplay.games_per_worker) {
      games_.emplace_back(config_).Begin(round.numbers.Next(), round.network.step);
    }
  }

  // Brings a game to its next leaf, playing moves and beginning new games on the way. False when
  // the round needs no more games.
  bool Advance(SelfPlayGame<G>& game, Round& round, EvaluationBatch& batch) {
    while (!GatherLeaf(game.search(), game.leaf(), batch)) {
      const SearchCounters& done = game.search().counters();
      counters_.simulations += static_cast<int64_t>(done.simulations);
      counters_.terminal_visits += static_cast<int64_t>(done.terminal_visits);
      ++counters_.positions;
      if (!game.PlaySearchedMove()) continue;
      Deliver(game.TakeRecord(), round);
      game.Begin(round.numbers.Next(), round.network.step);
      if (round.games_left.load() <= 0) return false;
    }
    return true;
  }

  void Deliver(GameRecord record, Round& round) {
    ++counters_.games;
    {
      const std::scoped_lock lock(round.mutex);
      round.sink(std::move(record));
    }
    --round.games_left;
  }

  const Config& config_;
  SelfPlayCounters& counters_;
  std::deque<SelfPlayGame<G>> games_;  // a deque: games stay where they are
  std::vector<SelfPlayGame<G>*> waiting_;
};

template <Game G>
class GameSelfPlay : public SelfPlay {
 public:
  explicit GameSelfPlay(const Config& config) : config_(config) {
    for (int i = 0; i < ThreadsFor(config.selfplay.workers); ++i) {
      workers_.emplace_back(config_, counters_);
    }
  }

  void Play(const Network& network, int64_t games, GameNumbers& numbers, const Sink& sink,
            std::stop_token stop) override {
    Check(games > 0, "self-play for no games");
    Round round{.network = network,
                .numbers = numbers,
                .sink = sink,
                .games_left = games,
                .stop = std::stop_source()};
    const std::stop_callback forward(stop, [&] { round.stop.request_stop(); });
    {
      std::vector<std::jthread> threads;
      for (Worker<G>& worker : workers_) {
        threads.emplace_back([&] {
          try {
            worker.Run(round);
          } catch (...) {
            const std::scoped_lock lock(round.mutex);
            if (!round.failure) round.failure = std::current_exception();
            round.stop.request_stop();
          }
        });
      }
    }
    if (round.failure) std::rethrow_exception(round.failure);
  }

  const SelfPlayCounters& counters() const override { return counters_; }

 private:
  const Config config_;
  SelfPlayCounters counters_;
  std::deque<Worker<G>> workers_;
};

}  // namespace

std::unique_ptr<SelfPlay> MakeSelfPlay(const Config& config) {
  return WithGame(config.game, [&]<class G>() -> std::unique_ptr<SelfPlay> {
    return std::make_unique<GameSelfPlay<G>>(config);
  });
}

}  // namespace khanzero
