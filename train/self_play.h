// SPDX-License-Identifier: GPL-3.0-or-later
//
// Self-play: workers, each with many games in lockstep. Every step each game of a worker gives one
// leaf, and one call evaluates them all. Games in play carry over from one call to the next, so
// that no time goes to waiting for the last ones; in a deterministic run (loop.deterministic) each
// call plays its games, and no others, from their beginning to their end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "env/random.h"
#include "mcts/evaluator.h"
#include "train/config.h"
#include "train/game_record.h"

namespace khanzero {

// Hands out the numbers of games to play: those missing below the greatest stored one first, then
// onwards. A number stands for a random stream, so no two games of a run are the same by seed.
// Thread-safe.
class GameNumbers {
 public:
  // `stored` rises. Numbers below `first` are not handed out.
  explicit GameNumbers(std::vector<uint64_t> stored, uint64_t first = 0)
      : stored_(std::move(stored)), next_(first) {}
  uint64_t Next();

 private:
  std::mutex mutex_;
  std::vector<uint64_t> stored_;  // guarded by mutex_
  size_t at_ = 0;                 // guarded by mutex_
  uint64_t next_;                 // guarded by mutex_
};

// Running totals; written by workers, read by whoever shows progress.
struct SelfPlayCounters {
  std::atomic<int64_t> games{0};
  std::atomic<int64_t> positions{0};  // searched
  std::atomic<int64_t> evaluations{0};
  std::atomic<int64_t> simulations{0};
  std::atomic<int64_t> terminal_visits{0};
  std::atomic<int64_t> cache_hits{0};  // leaves that the evaluation cache answered
  // Nanoseconds of all workers together. What is left of their time went to waiting.
  std::atomic<int64_t> tree_ns{0};  // searching, playing, making records
  std::atomic<int64_t> encode_ns{0};
  std::atomic<int64_t> inference_ns{0};
};

class SelfPlay {
 public:
  struct Network {
    // Called once in each worker's thread.
    std::function<std::unique_ptr<Evaluator>()> make_evaluator;
    int64_t step = 0;
    int simulations = 0;  // of a full search; 0: search.simulations
    // A position of an earlier game, as FEN, for the game of an id to start from; nothing when
    // there is none. Called in workers' threads at once; may be empty.
    std::function<std::optional<std::string>(uint64_t id, Random& random)> earlier_start{};
  };
  // Takes a finished game; called from workers' threads, one call at a time.
  using Sink = std::function<void(GameRecord)>;

  virtual ~SelfPlay() = default;

  // Plays until `games` more games have ended or stop is requested. An exception in a worker stops
  // all of them and is thrown here. REQUIRES: games > 0.
  virtual void Play(const Network& network, int64_t games, GameNumbers& numbers, const Sink& sink,
                    std::stop_token stop) = 0;

  virtual const SelfPlayCounters& counters() const = 0;
};

// Workers for the configured game. Throws InputError for an unknown game.
std::unique_ptr<SelfPlay> MakeSelfPlay(const Config& config);

// The threads that `setting` means: itself, or one for each core when it is 0.
int ThreadsFor(int setting);

// Most positions that a worker gives the network at once: selfplay.batch_size, or what is good for
// the machine where that is 0. Throws InputError as DescribeInference does.
int BatchSizeFor(const Config& config);

}  // namespace khanzero
