// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/player_spec.h"

#include <charconv>
#include <fstream>

#include "env/error.h"
#include "play/engine_process.h"

namespace khanzero {

namespace {

[[noreturn]] void Refuse(const std::string& text, const std::string& why) {
  throw InputError("player '" + text + "': " + why + "; a player is one of " +
                   std::string(kPlayerForms));
}

int ParseDepth(const std::string& text, const std::string& digits) {
  int depth = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, depth);
  if (error != std::errc{} || stop != end || depth < 1 || depth > kMostAlphaBetaDepth) {
    Refuse(text,
           "DEPTH must be a number from 1 to " + std::to_string(kMostAlphaBetaDepth) + " plies");
  }
  return depth;
}

// The checkpoint whose name stands in RUN/`pointer`. `missing` says what a run without one lacks.
std::filesystem::path PointedAt(const std::filesystem::path& run, const char* pointer,
                                const std::string& missing) {
  const std::filesystem::path path = run / pointer;
  std::ifstream file(path);
  std::string name;
  if (!file || !std::getline(file, name) || name.empty()) {
    throw InputError("the run '" + run.string() + "' " + missing + ": " + path.string() +
                     " cannot be read or is empty");
  }
  // Only a name, so that a damaged pointer leads nowhere else.
  if (std::filesystem::path(name).filename() != name || name == "..") {
    throw InputError(path.string() + " holds '" + name +
                     "'; it must be the name of a folder below " + (run / "checkpoints").string());
  }
  return run / "checkpoints" / name;
}

}  // namespace

PlayerSpec ParsePlayerSpec(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string argument = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (kind == "random" || kind == "greedy") {
    if (colon != std::string::npos) Refuse(text, "'" + kind + "' takes nothing after it");
    return {.kind = kind == "random" ? PlayerKind::kRandom : PlayerKind::kGreedy, .name = text};
  }
  if (kind == "alphabeta") {
    return {.kind = PlayerKind::kAlphaBeta, .depth = ParseDepth(text, argument), .name = text};
  }
  if (kind == "checkpoint" || kind == "latest" || kind == "best") {
    if (argument.empty()) Refuse(text, "the path is missing after '" + kind + ":'");
    return {.kind = PlayerKind::kCheckpoint,
            .checkpoint = kind == "latest" ? LatestCheckpoint(argument)
                          : kind == "best" ? BestCheckpoint(argument)
                                           : std::filesystem::path(argument),
            .name = text};
  }
  if (kind == "uci") {
    SplitCommand(argument);  // refuses what is no command
    return {.kind = PlayerKind::kUci, .command = argument, .name = text};
  }
  Refuse(text, "there is no such kind of player");
}

std::filesystem::path LatestCheckpoint(const std::filesystem::path& run) {
  return PointedAt(run, "latest", "has no checkpoint yet");
}

std::filesystem::path BestCheckpoint(const std::filesystem::path& run) {
  return PointedAt(run, "best", "has no best checkpoint; 'khanzero ladder --run' finds it");
}

}  // namespace khanzero
