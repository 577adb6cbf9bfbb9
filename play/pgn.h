// SPDX-License-Identifier: GPL-3.0-or-later
//
// Games as PGN, with moves in the UCI notation of both games (they read back with ParseMove).
#pragma once

#include <string>
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
  Outcome outcome{};
};

// The game with its tags, and an empty line after it.
std::string ToPgn(const PgnGame& game);

}  // namespace khanzero
