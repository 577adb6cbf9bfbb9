// SPDX-License-Identifier: GPL-3.0-or-later
//
// A person plays against any player in the terminal: the board as text, moves typed in UCI
// notation.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "env/position.h"
#include "env/types.h"
#include "play/player.h"

namespace khanzero {

struct TerminalPlaySettings {
  std::string game;
  std::string opponent;  // a player's spec, see player_spec.h
  std::string name;      // what it is called; the spec when empty
  PlayerSettings player;
  Color side = Color::kWhite;  // of the person
  GameSettings settings;
  std::string start_fen;  // empty: the game's own start
  uint64_t seed = 1;
};

// Plays until the game is over and the person leaves, or until the input ends. Throws InputError
// for a bad spec, start or checkpoint; bad input of the person is answered in the terminal.
void PlayInTerminal(const TerminalPlaySettings& settings, std::istream& in, std::ostream& out);

}  // namespace khanzero
