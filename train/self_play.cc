// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/self_play.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <thread>

#include "env/games.h"
#include "model/inference.h"
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

int BatchSizeFor(const Config& config) {
  return config.selfplay.batch_size > 0 ? config.selfplay.batch_size
                                        : DescribeInference(config.inference).good_batch;
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
  std::atomic<int64_t> games_to_begin;  // counts where games are played to their end
  std::stop_source stop;
  std::mutex mutex{};
  std::exception_ptr failure{};  // the first one; guarded by mutex
};

// Adds the time of one step of a worker to the counters: what was neither encoding nor inference
// nor waiting to deliver went to trees and games.
class StepClock {
 public:
  StepClock(SelfPlayCounters& counters, const LeafBatch& batch)
      : counters_(counters),
        batch_(batch),
        encode_before_(batch.encode_time()),
        inference_before_(batch.inference_time()) {}
  ~StepClock() {
    const auto encode = batch_.encode_time() - encode_before_;
    const auto inference = batch_.inference_time() - inference_before_;
    counters_.encode_ns += encode.count();
    counters_.inference_ns += inference.count();
    const std::chrono::nanoseconds all = std::chrono::steady_clock::now() - start_;
    counters_.tree_ns += (all - encode - inference).count();
  }
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;

 private:
  SelfPlayCounters& counters_;
  const LeafBatch& batch_;
  std::chrono::nanoseconds encode_before_;
  std::chrono::nanoseconds inference_before_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

template <Game G>
class Worker {
 public:
  Worker(const Config& config, EvaluationCache& cache, SelfPlayCounters& counters)
      : config_(config), batch_size_(BatchSizeFor(config)), cache_(cache), counters_(counters) {}

  // Plays until the round has its games or is stopped.
  void Run(Round& round) {
    const std::unique_ptr<Evaluator> evaluator = round.network.make_evaluator();
    LeafBatch batch(evaluator->shape(), &cache_);
    SeatGames(round);
    const std::stop_token stop = round.stop.get_token();
    while (!stop.stop_requested() && round.games_left.load() > 0) {
      if (steps_of_turn_ == 0) TakeNextGroup();
      --steps_of_turn_;
      const StepClock clock(counters_, batch);
      batch.Clear();
      waiting_.clear();
      for (SelfPlayGame<G>* const game : group_) {
        if (!game->left() && Advance(*game, round, batch)) waiting_.push_back(game);
      }
      if (waiting_.empty()) {
        steps_of_turn_ = 0;
        continue;
      }
      batch.Evaluate(*evaluator);
      for (size_t i = 0; i < waiting_.size(); ++i) {
        batch.Complete(waiting_[i]->search(), waiting_[i]->leaf(), static_cast<int>(i));
      }
      counters_.evaluations += batch.size();
    }
  }

 private:
  // Games in play go on with the round's network; the first call seats new ones. A deterministic
  // run forgets games that a stop left in play: they are played again from their beginning.
  void SeatGames(Round& round) {
    if (config_.loop.deterministic) {
      games_.clear();
      next_game_ = 0;
    }
    for (SelfPlayGame<G>& game : games_) game.ChangeNetwork(round.network);
    group_.clear();
    steps_of_turn_ = 0;
    while (static_cast<int>(games_.size()) < config_.selfplay.games_per_worker && MayBegin(round)) {
      games_.emplace_back(config_).Begin(round.numbers.Next(), round.network);
    }
  }

  // The games after those of the group before, as many as the network is given at once. A group
  // keeps its turn for a while, so that its trees stay in the processor's caches: all games in one
  // group of 4,096 made self-play a fifth slower than 512.
  void TakeNextGroup() {
    group_.clear();
    const size_t most = std::min(games_.size(), static_cast<size_t>(batch_size_));
    while (group_.size() < most) {
      if (next_game_ >= games_.size()) next_game_ = 0;
      group_.push_back(&games_[next_game_++]);
    }
    steps_of_turn_ = kStepsOfTurn;
  }

  bool MayBegin(Round& round) const {
    return !config_.loop.deterministic || round.games_to_begin-- > 0;
  }

  // Brings a game to its next leaf, playing moves and beginning new games on the way. False when
  // the round needs no more games.
  bool Advance(SelfPlayGame<G>& game, Round& round, LeafBatch& batch) {
    for (;;) {
      const bool waits = batch.Gather(game.search(), game.leaf());
      const SearchCounters done = game.TakeCounters();
      counters_.simulations += static_cast<int64_t>(done.simulations);
      counters_.terminal_visits += static_cast<int64_t>(done.terminal_visits);
      counters_.cache_hits += static_cast<int64_t>(done.cache_hits);
      if (waits) return true;
      ++counters_.positions;
      if (!game.PlaySearchedMove()) continue;
      Deliver(game.TakeRecord(), round);
      if (!MayBegin(round)) {
        game.Leave();
        return false;
      }
      game.Begin(round.numbers.Next(), round.network);
      if (round.games_left.load() <= 0) return false;
    }
  }

  void Deliver(GameRecord record, Round& round) {
    ++counters_.games;
    {
      const auto start = std::chrono::steady_clock::now();
      const std::scoped_lock lock(round.mutex);
      const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - start;
      counters_.tree_ns -= waited.count();
      round.sink(std::move(record));
    }
    --round.games_left;
  }

  const Config& config_;
  const int batch_size_;
  EvaluationCache& cache_;
  SelfPlayCounters& counters_;
  static constexpr int kStepsOfTurn = 64;  // a move or two of each game

  std::deque<SelfPlayGame<G>> games_;    // a deque: games stay where they are
  std::vector<SelfPlayGame<G>*> group_;  // whose turn it is
  size_t next_game_ = 0;                 // where the next group begins
  int steps_of_turn_ = 0;                // that the group has left
  std::vector<SelfPlayGame<G>*> waiting_;
};

template <Game G>
class GameSelfPlay : public SelfPlay {
 public:
  explicit GameSelfPlay(const Config& config)
      : config_(config), cache_(static_cast<size_t>(config.selfplay.cache_mib) << 20) {
    for (int i = 0; i < ThreadsFor(config.selfplay.workers); ++i) {
      workers_.emplace_back(config_, cache_, counters_);
    }
  }

  void Play(const Network& network, int64_t games, GameNumbers& numbers, const Sink& sink,
            std::stop_token stop) override {
    Check(games > 0, "self-play for no games");
    Round round{.network = network,
                .numbers = numbers,
                .sink = sink,
                .games_left = games,
                .games_to_begin = games,
                .stop = std::stop_source()};
    cache_.Clear();  // it held what another network said
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
  EvaluationCache cache_;
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
