// SPDX-License-Identifier: GPL-3.0-or-later
//
// Self-play for a run that another process trains: plays with the run's newest network, hands over
// the games, and takes each new network as it comes. Where the run is, its link knows.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "train/actor_link.h"

namespace khanzero {

struct ActorOptions {
  int64_t games = 0;  // to play; 0: no such end
  std::stop_token stop;
  std::function<void(const std::string&)> say;  // a line for each network, and now and then
};

struct ActorSummary {
  int64_t games = 0;
  int64_t positions = 0;
};

// Plays until it is stopped, has its games, or the run is finished. Throws what the link throws.
ActorSummary RunActor(ActorLink& link, const ActorOptions& options);

}  // namespace khanzero
