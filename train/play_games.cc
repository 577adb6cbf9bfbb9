// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/play_games.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>

namespace khanzero {

namespace {

// Games on their way from the workers to the thread that takes them.
class FinishedGames {
 public:
  void Add(GameRecord record) {
    const std::scoped_lock lock(mutex_);
    games_.push_back(std::move(record));
    wake_.notify_one();
  }
  void End() {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    wake_.notify_one();
  }
  // Those that are there, after a wait for one; `ended` says that no more will come.
  std::vector<GameRecord> Take(bool& ended) {
    constexpr std::chrono::milliseconds kLongestWait(250);  // progress is shown that often
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, kLongestWait, [&] { return ended_ || !games_.empty(); });
    ended = ended_;
    return std::exchange(games_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<GameRecord> games_;  // guarded by mutex_
  bool ended_ = false;             // guarded by mutex_
};

int64_t WorkedNs(const SelfPlayCounters& counters) {
  return counters.tree_ns + counters.encode_ns + counters.inference_ns;
}

}  // namespace

void PlayGames(SelfPlay& self_play, const SelfPlay::Network& network, int workers, int64_t games,
               GameNumbers& numbers, const std::stop_token& stop,
               const std::function<bool(std::vector<GameRecord>, const PlayProgress&)>& take) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const SelfPlayCounters& counters = self_play.counters();
  const int64_t evaluations = counters.evaluations;
  const int64_t positions = counters.positions;
  const int64_t worked = WorkedNs(counters);

  FinishedGames finished;
  std::stop_source ending;
  const std::stop_callback forward(stop, [&] { ending.request_stop(); });
  std::future<void> playing = std::async(std::launch::async, [&] {
    try {
      self_play.Play(
          network, games, numbers, [&](GameRecord record) { finished.Add(std::move(record)); },
          ending.get_token());
    } catch (...) {
      finished.End();
      throw;
    }
    finished.End();
  });
  try {
    for (bool ended = false; !ended;) {
      std::vector<GameRecord> records = finished.Take(ended);
      const double seconds =
          std::max(1e-3, std::chrono::duration<double>(Clock::now() - start).count());
      const double share =
          static_cast<double>(WorkedNs(counters) - worked) / (1e9 * seconds * workers);
      const PlayProgress progress = {.seconds = seconds,
                                     .evaluations = counters.evaluations - evaluations,
                                     .positions = counters.positions - positions,
                                     .waiting_share = std::clamp(1.0 - share, 0.0, 1.0)};
      if (!take(std::move(records), progress)) ending.request_stop();
    }
  } catch (...) {
    ending.request_stop();  // the workers must end before the exception leaves
    throw;
  }
  playing.get();
}

}  // namespace khanzero
