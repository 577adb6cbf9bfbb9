// SPDX-License-Identifier: GPL-3.0-or-later
//
// A few games of a run, replayed for the report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "train/replay_store.h"

namespace khanzero {

// The newest games, and the longest and the shortest of the newest thousand, each as an object:
// why it was chosen, number, network_step, result, reason, plies; and for the plies that are shown
// `positions` (placement, hands and side to move of FEN, one more than moves), `moves`, and
// `values` (the search's value of the position for White, -100..100, null where it was not
// searched). A game that cannot be read is left out and told in `notes`. Throws InputError for an
// unknown game.
nlohmann::ordered_json SampleGames(const ReplayStore& store, const std::string& game,
                                   std::vector<std::string>& notes);

}  // namespace khanzero
