// SPDX-License-Identifier: GPL-3.0-or-later
//
// An actor's link to a run on another machine, through Redis: games wait in a spool (game_spool.h)
// until Redis has confirmed them, networks come as safetensors exports. The server may go away and
// come back at any time; games are played on meanwhile, as many as the spool holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "train/actor_link.h"

namespace khanzero {

struct RedisLinkOptions {
  std::string url = {};                      // see redis_address.h
  std::vector<std::string> settings = {};    // "section.key=value", over the run's configuration
  std::filesystem::path spool = {};          // a folder; empty: memory
  int64_t spool_bytes = int64_t{256} << 20;  // with so much undelivered, no game is played
  std::filesystem::path sent_log = {};       // ids of confirmed games are appended; empty: nowhere
  std::stop_token stop = {};
  std::function<void(const std::string&)> say = {};  // a line for people
};

// Waits until a learner has announced a run; nothing when `stop` came first. Throws RuntimeFailure
// when there is no server; InputError when it cannot be used, when its run is of another game,
// rules, encoding, protocol or program version, or when the spool holds games of another run.
std::unique_ptr<ActorLink> OpenRedisLink(const RedisLinkOptions& options);

}  // namespace khanzero
