// SPDX-License-Identifier: GPL-3.0-or-later
//
// Who takes part in a ladder: the anchors and the checkpoints of the run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "play/match.h"
#include "train/ladder.h"
#include "train/ladder_store.h"

namespace khanzero {

struct LadderPlayer {
  LadderIdentity identity;
  bool checkpoint = false;  // of the run, or an entrant
  bool entrant = false;
  bool present = false;
  bool wanted = false;
  Contestant contestant{};  // when it is present
  double cost = 1.0;        // of its moves, in evaluations of a network for each move, roughly

  // What its play comes from is still there: a run that trains deletes old checkpoints.
  bool CanPlay() const;
};

// `random` first, then the baselines, then what was asked for, each with the nodes it has. Throws
// InputError for a bad anchor.
std::vector<LadderPlayer> AnchorsOf(const LadderOptions& options);

// options.entrants, all of them wanted. Throws InputError for one that is no NAME=PLAYER, whose
// player is no checkpoint, or whose name is taken.
std::vector<LadderPlayer> EntrantsOf(const LadderOptions& options);

// The checkpoints that are there, by rising step; `wanted` by options.every and options.last. One
// that cannot be read is left out and told.
std::vector<LadderPlayer> CheckpointsOf(const RunFolder& run, const LadderOptions& options);

}  // namespace khanzero
