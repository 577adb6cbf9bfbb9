// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a network is, as checkpoints and exports state it, and checkpoint.json, which besides lists
// a checkpoint's files. No LibTorch here.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "env/game_info.h"
#include "model/settings.h"

namespace khanzero {

class ForeignJson;

struct CheckpointInfo {
  GameInfo game;
  NetworkSettings network;
  int64_t step = 0;       // optimiser steps
  int64_t games = 0;      // games seen
  int64_t positions = 0;  // positions seen
  std::string config_yaml = {};
  // SaveCheckpoint fills these in when they are empty.
  std::string program_version = {};
  std::string date = {};  // UTC, "2024-05-01T12:00:00Z"
  // What the run was begun from (`train --from`), empty where it began with a fresh network.
  std::string origin = {};

  friend bool operator==(const CheckpointInfo&, const CheckpointInfo&) = default;
};

// Everything but the configuration, as fields of a JSON object, and back. Throws InputError for
// what is missing or outside the limits of the settings, so that a forged description cannot make
// a network of absurd size.
nlohmann::json ToJson(const CheckpointInfo& info);
CheckpointInfo InfoFrom(const ForeignJson& json);

struct FileEntry {
  uint64_t bytes = 0;
  std::string checksum;
};

struct CheckpointDescription {
  CheckpointInfo info;
  std::map<std::string, FileEntry> files;  // every file but checkpoint.json itself
};

// The text of checkpoint.json, which carries a checksum of itself, and back. Throws InputError,
// naming `source`, for text that is damaged, altered or of a newer format.
std::string SerializeDescription(const CheckpointDescription& description);
CheckpointDescription ParseDescription(std::string_view text, const std::string& source);

// Throws InputError naming `what` and both sides unless `found` may be used where `expected` is
// needed.
void CheckSameGame(const GameInfo& found, const GameInfo& expected, const std::string& what);

}  // namespace khanzero
