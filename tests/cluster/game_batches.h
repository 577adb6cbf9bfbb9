// SPDX-License-Identifier: GPL-3.0-or-later
//
// Games as an actor sends them.
#pragma once

#include <string>
#include <vector>

#include "tests/train/sample_games.h"
#include "train/game_intake.h"

namespace khanzero {

inline constexpr const char* kRunId = "0123456789abcdef";

inline GameBatch BatchOf(const std::vector<GameRecord>& games, const std::string& run = kRunId) {
  GameBatch batch{.run = run, .actor = "tester", .protocol = std::to_string(kActorProtocol)};
  for (const GameRecord& game : games) batch.records.push_back(SerializeRecord(game));
  return batch;
}

}  // namespace khanzero
