// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a run and its actors are doing, as a Redis database tells it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "train/redis_run.h"

namespace khanzero {

struct ActorStatus {
  std::string id = {};
  std::string host = {};
  std::string program = {};  // its version
  std::string network = {};  // that it plays with
  int64_t games = 0;
  int64_t positions = 0;
  double games_per_second = 0.0;
  int64_t spooled_games = 0;  // that wait on its side
};

struct ClusterStatus {
  RunNotice run = {};
  NetworkNotice network = {};
  bool learner_ended = false;    // in good order
  double learner_seconds = 0.0;  // since its last word, else
  std::string learner_network = {};
  int64_t games = 0;  // that the learner's process stored
  int64_t duplicates = 0;
  int64_t refused = 0;
  double games_per_second = 0.0;  // stored
  StreamFigures stream = {};
  std::vector<ActorStatus> actors = {};

  bool learner_alive() const { return !learner_ended && learner_seconds <= kActorSeconds; }
  double actors_games_per_second() const;
  int64_t spooled_games() const;
  std::map<std::string, int64_t> versions() const;  // how many actors of each
};

// Throws InputError when no learner has announced a run there, and as RedisClient::Call does.
ClusterStatus ReadClusterStatus(RunDatabase& database);

nlohmann::ordered_json ToJson(const ClusterStatus& status);
std::string ToText(const ClusterStatus& status);

}  // namespace khanzero
