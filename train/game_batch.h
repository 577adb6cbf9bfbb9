// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an actor sends: some finished games in one entry of a stream. Of an entry from outside
// nothing is trusted; what its records hold is for game_intake.h to see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace khanzero {

inline constexpr size_t kMostBatchRecords = 256;
// What actor and learner agree on. Another number: they do not understand each other.
inline constexpr int kActorProtocol = 1;

// What an actor sends at once: the fields of one entry of the stream, in any order. `record` comes
// once for each game.
struct GameBatch {
  std::string run = {};    // the run's id
  std::string actor = {};  // the actor's id
  std::string protocol = {};
  std::vector<std::string> records = {};  // as SerializeRecord makes them
  std::string fault = {};                 // why it is no such entry; empty: it is one

  int64_t record_bytes() const;
};

// From names and values by turns.
GameBatch ParseBatch(std::vector<std::string> fields);
// Back again, without the fault.
std::vector<std::string> FieldsOf(const GameBatch& batch);

// Of an actor or a run, from outside and on its way into a log: printable, and not too long.
std::string PrintableName(std::string_view name);

}  // namespace khanzero
