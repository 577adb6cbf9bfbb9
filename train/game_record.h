// SPDX-License-Identifier: GPL-3.0-or-later
//
// The record of one self-play game: everything needed to rebuild each of its positions and its
// training targets. Positions are not stored; they are rebuilt by replaying the moves.
//
// A move is stored as its rank: its place among all legal moves of its position in rising order of
// policy index. That order follows from the rules and the policy map alone, so a record does not
// depend on how moves happen to be generated.
//
// On disk a record is "KZR", a version byte, the XXH3 checksum (8 bytes, least first) of what
// follows, and one zstd frame around a protobuf message (record.proto). Sizes: docs/formats.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "env/position.h"
#include "env/random.h"
#include "env/types.h"

namespace khanzero {

// An entry of a policy target.
struct TargetEntry {
  uint16_t rank = 0;
  uint8_t weight = 0;  // relative to the target's greatest entry, 1..255
};

// One searched position. A cheap search (selfplay.full_search_share) teaches the value alone: its
// position has no policy target.
struct SampleRecord {
  int ply = 0;                      // plies played before it
  std::vector<TargetEntry> target;  // rising ranks; empty: none
  uint8_t root_win = 0;             // of the search's root value, x 255, for the side to move
  uint8_t root_loss = 0;
  uint8_t surprise = 0;  // KL of the target from the network's policy in nats, x kSurpriseUnits
};
inline constexpr double kSurpriseUnits = 32.0;

struct GameRecord {
  std::string game;
  int rules_version = 0;
  GameSettings settings;
  std::string start_fen;  // empty: the game's start position

  uint64_t id = 0;
  uint64_t seed = 0;
  uint64_t number = 0;  // of the game within its run
  int64_t first_network_step = 0;
  int64_t last_network_step = 0;

  Outcome outcome;  // kPlyCap when the game was cut off

  std::vector<uint16_t> move_ranks;
  std::vector<SampleRecord> samples;  // rising plies
};

// How many of its samples have a policy target.
int64_t PolicyTargets(const GameRecord& record);

// The bytes of a record.
std::string SerializeRecord(const GameRecord& record);

// Reads the bytes back. Throws InputError that says what is wrong: not a record, another version, a
// failed checksum, arrays that do not fit each other. It does not replay the game.
GameRecord ParseRecord(std::string_view bytes);

// Makes a target from probabilities by rank. Entries of at least kTargetQuantum keep their weight.
// Smaller ones, of which The Serbest has hundreds, are sampled: each is kept as one quantum with
// the chance that makes its expected weight right (systematic sampling, Madow 1949), so the target
// is unbiased, as is the gradient of a loss that is linear in it, and never has more than some 40
// entries. REQUIRES: they sum to 1.
std::vector<TargetEntry> QuantizeTarget(const std::vector<double>& probabilities, Random& random);
// What one of 32 simulations is in a target made of visits.
inline constexpr double kTargetQuantum = 1.0 / 32.0;

// 0..1 as x 255, rounded.
uint8_t QuantizeShare(double share);

}  // namespace khanzero
