// SPDX-License-Identifier: GPL-3.0-or-later
//
// Players as users name them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace khanzero {

enum class PlayerKind { kRandom, kGreedy, kAlphaBeta, kCheckpoint, kUci };

struct PlayerSpec {
  PlayerKind kind = PlayerKind::kRandom;
  int depth = 0;                       // alphabeta
  std::filesystem::path checkpoint{};  // checkpoint; latest:RUN and best:RUN are resolved
  std::string command{};               // uci
  std::string name{};                  // what reports call the player
};

// checkpoint:PATH takes a checkpoint's folder or an export in safetensors format.
inline constexpr std::string_view kPlayerForms =
    "random, greedy, alphabeta:DEPTH, checkpoint:PATH, latest:RUN, best:RUN, uci:COMMAND";

inline constexpr int kMostAlphaBetaDepth = 30;

// Throws InputError that lists the forms for anything else, and for a run without checkpoints.
// COMMAND runs a UCI engine; it is split into words as SplitCommand says.
PlayerSpec ParsePlayerSpec(const std::string& text);

// The newest checkpoint of a run's folder: RUN/latest is a text file that holds the name of a
// folder below RUN/checkpoints. Throws InputError when there is none.
std::filesystem::path LatestCheckpoint(const std::filesystem::path& run);

// The checkpoint that `khanzero ladder` found to be the best: RUN/best, likewise.
std::filesystem::path BestCheckpoint(const std::filesystem::path& run);

}  // namespace khanzero
