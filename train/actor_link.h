// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an actor needs of the run that it plays for, wherever that is: the run's folder on the same
// machine (folder_link.h) or a Redis server that actor and learner both reach (redis_link.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "train/config.h"
#include "train/game_record.h"

namespace khanzero {

struct FoldedNetwork;

// What games are to be played with.
struct ToPlayWith {
  std::string name = {};  // of the checkpoint
  int64_t step = 0;
  int simulations = 0;  // of a full search
  // None: uniform priors and draws (loop.uniform_games).
  std::shared_ptr<const FoldedNetwork> network = nullptr;
};

// One thread uses it.
class ActorLink {
 public:
  virtual ~ActorLink() = default;

  // The run's configuration, with what this process has other.
  virtual const Config& config() const = 0;
  // The number of the first game to play; no other actor of the run plays it or those that follow.
  virtual uint64_t FirstNumber() = 0;

  // What to play with next. Waits while the run has nothing yet or takes no games; nothing when
  // `stop` came first or the run is finished.
  virtual std::optional<ToPlayWith> Next(const std::stop_token& stop) = 0;

  // Takes games that ended, perhaps none; to be called some times a second while games are played.
  // Returns whether to go on with what Next() gave last: no when there is something newer, or the
  // run takes no games. How many of them were new to the run is added to `taken`.
  virtual bool Take(std::span<const GameRecord> games, int64_t& taken) = 0;

  // Hands on what is still here as well as it can within seconds.
  virtual void Finish() = 0;
};

}  // namespace khanzero
