// SPDX-License-Identifier: GPL-3.0-or-later
//
// A person plays in the terminal against a network, a baseline or an engine: the board as text,
// moves typed in UCI notation or SAN, and what the network thinks of the game.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "env/position.h"
#include "env/types.h"
#include "play/player.h"
#include "play/skill.h"

namespace khanzero {

struct TerminalPlaySettings {
  std::string game;
  // The opponent: a network, or else a player's spec (see player_spec.h).
  std::filesystem::path network{};
  std::string opponent{};
  std::string name{};  // what it is called; the spec when empty
  // Of a network's moves; it evaluates and hints at full strength always.
  std::optional<Skill> skill{};
  PlayerSettings player{};
  Color side = Color::kWhite;  // of the person
  GameSettings settings{};
  std::string start_fen{};  // empty: the game's own start
  uint64_t seed = 1;
  bool color = false;     // by ANSI escapes
  bool show_eval = true;  // what a network thinks, after its moves
};

// Plays until the person leaves or the input ends. Throws InputError for a bad spec, start or
// network; bad input of the person is answered in the terminal.
void PlayInTerminal(const TerminalPlaySettings& settings, std::istream& in, std::ostream& out);

}  // namespace khanzero
