// SPDX-License-Identifier: GPL-3.0-or-later
//
// Self-play in threads of its own; finished games come to the calling thread.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "train/self_play.h"

namespace khanzero {

// What self-play did since PlayGames() was called.
struct PlayProgress {
  double seconds = 0.0;
  int64_t evaluations = 0;
  int64_t positions = 0;
  double waiting_share = 0.0;  // of the workers' time, 0..1

  double evaluations_per_second() const { return static_cast<double>(evaluations) / seconds; }
  double positions_per_second() const { return static_cast<double>(positions) / seconds; }
};

// Plays `games` games with `workers` workers' self-play. `take` is called in this thread with the
// games that ended since its last call, perhaps none, some times a second and once at the end; it
// returns whether to go on. Throws what self-play or `take` throw, when every worker has ended.
void PlayGames(SelfPlay& self_play, const SelfPlay::Network& network, int workers, int64_t games,
               GameNumbers& numbers, const std::stop_token& stop,
               const std::function<bool(std::vector<GameRecord>, const PlayProgress&)>& take);

}  // namespace khanzero
