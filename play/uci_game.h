// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the UCI engine needs of the game that is played, behind one small interface that is chosen
// once by the game's name; and what both sides of it share.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "env/error.h"
#include "env/game_info.h"
#include "env/position.h"
#include "mcts/evaluator.h"

namespace khanzero {

// Whole lines from several threads, each flushed.
class UciOutput {
 public:
  explicit UciOutput(std::ostream& out) : out_(out) {}
  void Line(const std::string& text) {
    const std::lock_guard lock(mutex_);
    out_ << text << '\n' << std::flush;
  }
  // Fit for every reader: one line of printable ASCII, whatever `what` quotes.
  void Error(const std::string& what) { Line("info string error: " + Printable(what)); }

 private:
  std::mutex mutex_;
  std::ostream& out_;  // guarded by mutex_
};

// Between the thread that reads commands and the one that searches.
class SearchControl {
 public:
  using Clock = std::chrono::steady_clock;

  void Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  bool stopped() const { return stopped_; }
  void Finish() { finished_ = true; }
  bool finished() const { return finished_; }

  // While held, a search goes on (go infinite, go ponder). Released by ponderhit: then its time
  // starts.
  void Hold() { held_ = true; }
  void Release() {
    const std::lock_guard lock(mutex_);
    start_ = Clock::now();
    held_ = false;
    changed_.notify_all();
  }
  // Returns once the search is stopped or not held.
  void WaitWhileHeld() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_.load() || !held_.load(); });
  }
  bool held() const { return held_; }
  int64_t elapsed_ms() const {
    const std::lock_guard lock(mutex_);
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_).count();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> held_ = false;
  std::atomic<bool> finished_ = false;
  Clock::time_point start_ = Clock::now();  // guarded by mutex_
};

// What `go` asks for.
struct UciLimits {
  std::optional<int64_t> nodes{};
  std::optional<int> depth{};  // length of the principal variation
  std::optional<int64_t> movetime_ms{};
  std::optional<int64_t> white_time_ms{};
  std::optional<int64_t> black_time_ms{};
  int64_t white_increment_ms = 0;
  int64_t black_increment_ms = 0;
  int moves_to_go = 0;
  bool infinite = false;
  bool ponder = false;
  std::vector<std::string> search_moves{};
  std::optional<int> perft{};
  bool mate = false;  // until a win is proven
};

struct UciOptions;

class UciGame {
 public:
  virtual ~UciGame() = default;
  virtual GameInfo info() const = 0;
  // "variant NAME files F ranks R pocket P template fairy startpos FEN"
  virtual std::string VariantLine() const = 0;
  // Throws InputError for a bad FEN or an illegal move and leaves the position as it was. An empty
  // `fen` is the start position.
  virtual void SetPosition(const std::string& fen, const std::vector<std::string>& moves,
                           const GameSettings& settings) = 0;
  // The position as text, several lines.
  virtual std::string Board() const = 0;
  virtual bool has_legal_move() const = 0;
  // A task that searches the position as it is now, with a thread for each evaluator, and ends with
  // the line "bestmove". It goes on from what an earlier search knows of the position. One task at
  // a time; the game and everything passed must outlive it.
  // `seed` is for the dice of a weakened player.
  virtual std::function<void()> MakeSearch(const UciLimits& limits, const UciOptions& options,
                                           uint64_t seed, std::vector<Evaluator*> evaluators,
                                           UciOutput& out, SearchControl& control) = 0;
  // Forgets earlier searches. Due when the network or the memory changes. No task may run.
  virtual void Forget() = 0;
  // A task that counts move sequences below each move.
  virtual std::function<void()> MakePerft(int depth, UciOutput& out,
                                          SearchControl& control) const = 0;
};

// Throws InputError for an unknown name.
std::unique_ptr<UciGame> MakeUciGame(const std::string& name);

// What is left of the clock for this move: nothing when no time is given. `white` says whose move.
std::optional<int64_t> ThinkTimeMs(const UciLimits& limits, int64_t overhead_ms, Color mover);

// An expected value -1..1 in hundredths of a pawn: 200 log10(s / (1 - s)) of the expected score
// s = (1 + value) / 2, half the Elo difference; +100 is an expected score of 76 %.
int CentipawnsFromValue(double value);

}  // namespace khanzero
