// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the `data` commands share: going through a store without holding up its writer, and counting
// results, endings and network steps.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "train/replay_store.h"

namespace khanzero {

// Told now and then how many games of how many are done.
using DataProgress = std::function<void(int64_t done, int64_t games)>;

// Calls `visit` for the games after `after` up to `through`, oldest first. Each batch is read by
// itself: a long look at the file as it was would keep the writer's log from being emptied.
template <class Visit>
void VisitGames(const ReplayStore& store, int64_t after, int64_t through, Visit&& visit) {
  constexpr int64_t kAtOnce = 256;
  for (bool more = true; more && after < through;) {
    const int64_t read = store.ReadAfter(after, kAtOnce, [&](StoredGame game) {
      after = game.sequence;
      if (after <= through) visit(game);
    });
    more = read == kAtOnce;
  }
}

// A hash of the start and of the first `plies` moves (all of them when there are fewer).
uint64_t HashMoves(const GameRecord& game, size_t plies);

// Results and endings of games.
struct GameTally {
  int64_t games = 0;
  int64_t positions = 0;
  int64_t policy_positions = 0;  // those of them that have a policy target
  int64_t plies = 0;
  int64_t white_wins = 0;
  int64_t black_wins = 0;
  int64_t draws = 0;
  int64_t capped = 0;  // cut off at the length cap; they count as draws too
  std::map<std::string, int64_t> endings;

  void Count(const GameRecord& game);
};

struct StepRange {
  int64_t first_step = 0;
  int64_t last_step = 0;  // the last one in it
  int64_t games = 0;
  int64_t positions = 0;
};

// Games by the network step they ended with.
class StepTally {
 public:
  void Count(int64_t step, int64_t positions);
  // Every step that has games, or at most `most` ranges of equal width; rising.
  std::vector<StepRange> Ranges(int most) const;

 private:
  std::map<int64_t, StepRange> steps_;
};

}  // namespace khanzero
