// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the loop needs of actors on other machines: it offers networks and hears of games, which the
// hub puts into the run's store by itself, in a thread of its own, whatever the loop is doing. A
// run without such actors has a hub that does nothing (NoActors).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "train/cycle_games.h"

namespace khanzero {

struct CheckpointInfo;
struct Config;
struct FoldedNetwork;
class RunFolder;

// Where actors are listened to, and how.
struct ListenOptions {
  std::string url = {};                     // of a Redis server; empty: nowhere
  int64_t most_bytes = int64_t{256} << 20;  // of games that wait there for the learner
  bool own_games = false;                   // the learner plays, too
  bool replace_run = false;                 // take a database of another run whose learner is gone
};

// What is offered to actors.
struct NetworkOffer {
  std::string name = {};  // of the checkpoint
  std::shared_ptr<const CheckpointInfo> info = nullptr;
  std::shared_ptr<const FoldedNetwork> network = nullptr;
  int simulations = 0;   // of a full search
  bool uniform = false;  // play without it (loop.uniform_games)
};

// Counted since the learner's process began, but for what the stream holds now.
struct ActorFigures {
  int64_t alive = 0;  // actors that were heard of within a minute
  int64_t games = 0;  // stored
  double games_per_second = 0.0;
  int64_t duplicates = 0;  // that were stored already
  int64_t refused = 0;     // records and batches
  int64_t stream_batches = 0;
  int64_t stream_bytes = 0;
  double lag_seconds = 0.0;  // age of the oldest batch that waits
};

// Since it was asked last.
struct HubNews {
  CycleGames games;                // that were stored
  std::vector<std::string> notes;  // for people
};

class ActorHub {
 public:
  virtual ~ActorHub() = default;

  // Whether there may be actors, and whether the learner's own process plays games.
  virtual bool listens() const = 0;
  virtual bool plays_here() const = 0;
  // Hands a network to the actors, now or when they can be reached again.
  virtual void Offer(NetworkOffer offer) = 0;
  // Throws what ended the intake: a full disk, another learner that took the run over.
  virtual HubNews TakeNews() = 0;
  // Waits a moment for news, or for `stop`.
  virtual void Wait(const std::stop_token& stop) = 0;
  // Nothing where nobody is listened to.
  virtual std::optional<ActorFigures> figures() const = 0;
  // Tells actors that the run's budget is spent.
  virtual void Finish() = 0;
};

// Nobody plays but the process itself.
class NoActors : public ActorHub {
 public:
  bool listens() const override { return false; }
  bool plays_here() const override { return true; }
  void Offer(NetworkOffer) override {}
  HubNews TakeNews() override { return {}; }
  void Wait(const std::stop_token&) override {}
  std::optional<ActorFigures> figures() const override { return std::nullopt; }
  void Finish() override {}
};

// The hub that the options mean. Throws InputError for a deterministic run, for a database of
// another run, and what keeps a server from being used; RuntimeFailure when there is none.
std::unique_ptr<ActorHub> OpenActorHub(const ListenOptions& options, const Config& config,
                                       const RunFolder& run);

}  // namespace khanzero
