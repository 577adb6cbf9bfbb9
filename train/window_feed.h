// SPDX-License-Identifier: GPL-3.0-or-later
//
// Brings games from the store into the window, each once, damaged ones left out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "train/replay_store.h"
#include "train/replay_window.h"
#include "train/replayed_game.h"

namespace khanzero {

class WindowFeed {
 public:
  // `refuse` is told of each game that cannot be read, and why. All must outlive the feed.
  WindowFeed(const Config& config, const ReplayStore& store, const Replayer& replayer,
             ReplayWindow& window, std::function<void(const std::string&)> refuse)
      : config_(config),
        store_(store),
        replayer_(replayer),
        window_(window),
        refuse_(std::move(refuse)) {}

  // Fills an empty window as it was when `cycle` cycles were done.
  void Refill(int64_t cycle);
  // Takes the games of `cycle`. A deterministic run takes them by number, and no others: the order
  // in which games ended changes when a cycle is played in two parts.
  void TakeCycle(int64_t cycle);

  // A position for the game of `id` to start from: a ply of a game in the window, every game and
  // each of its plies alike. Several threads may ask while nobody changes the window.
  std::optional<std::string> EarlierStart(uint64_t id, Random& random) const;

 private:
  void TakeNew();
  void TakeNumbered(int64_t end);
  void Take(const StoredGame& stored);
  void Shrink();

  const Config& config_;
  const ReplayStore& store_;
  const Replayer& replayer_;
  ReplayWindow& window_;
  std::function<void(const std::string&)> refuse_;
  int64_t sequence_ = 0;  // the newest game taken
  // Deterministic: games below were taken, and so many positions were made with them. What is
  // stored already of a cycle that was interrupted is not to be seen before its time.
  int64_t next_number_ = 0;
  int64_t positions_ = 0;
};

}  // namespace khanzero
