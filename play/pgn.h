// SPDX-License-Identifier: GPL-3.0-or-later
//
// Games as PGN, with moves in the UCI notation of both games (they read back with ParseMove).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/types.h"

namespace khanzero {

struct PgnGame {
  std::string event = "?";
  std::string date{};  // "2024.05.01"; "????.??.??" when empty
  std::string round = "?";
  std::string white{};
  std::string black{};
  std::string variant{};
  std::string start_fen{};  // empty: the game's own start
  Color first_mover = Color::kWhite;
  int first_move_number = 1;
  int kings_landing = 0;  // 0: the game has no such setting
  int opening_plies = 0;  // random moves before the players' own
  std::vector<std::string> moves{};
  // What is said of each move, in its order: "+0.36/24 1.2s, n=800"; "" is left out. May be shorter
  // than `moves`. REQUIRES: no longer than `moves`.
  std::vector<std::string> comments{};
  Outcome outcome{};
  // Why the game ended, in the comment before the result; empty: the outcome's reason. It is what a
  // match counts the game's ending as, also when the match is resumed from its PGN.
  std::string ending{};
  // One of kPgnTerminations; empty: "normal", "adjudication" (the length cap) or "unterminated", by
  // the outcome.
  std::string termination{};
  std::string time_control{};  // "40/60+0.5"; the tag is left out when empty
  std::vector<std::pair<std::string, std::string>> more_tags{};  // name, value; they come last
};

inline constexpr std::string_view kPgnTerminations[] = {
    "normal", "adjudication", "time forfeit", "illegal move", "abandoned", "unterminated"};

// The game with its tags, and an empty line after it. A '}' in a comment becomes ')'.
std::string ToPgn(const PgnGame& game);

}  // namespace khanzero
