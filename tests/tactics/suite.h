// SPDX-License-Identifier: GPL-3.0-or-later
//
// A line of the tactical suite (tests/data/tactics/GAME.txt):
//
//   FEN;plies of the shortest forced win;every first move that forces it;King's Landing
//
// The King's Landing stands in games with hands only. Lines that begin with '#' are comments.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "env/game.h"

namespace khanzero {

struct Tactic {
  std::string fen;
  int plies = 0;
  std::vector<std::string> moves = {};
  GameSettings settings = {};
};

template <Game G>
std::string TacticText(const Tactic& tactic) {
  std::string text = tactic.fen + ";" + std::to_string(tactic.plies) + ";";
  for (size_t i = 0; i < tactic.moves.size(); ++i) text += (i > 0 ? " " : "") + tactic.moves[i];
  if (G::kHasSettings) text += ";" + std::to_string(tactic.settings.kings_landing);
  return text;
}

// Throws InputError when the file cannot be read or a line is malformed.
template <Game G>
std::vector<Tactic> LoadTactics(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError("cannot read " + path);
  std::vector<Tactic> tactics;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    Tactic tactic;
    std::string plies;
    std::string moves;
    std::getline(fields, tactic.fen, ';');
    std::getline(fields, plies, ';');
    std::getline(fields, moves, ';');
    std::istringstream move_list(moves);
    for (std::string move; move_list >> move;) tactic.moves.push_back(move);
    if (plies.size() != 1) throw InputError("no number of plies in " + path + ": " + line);
    tactic.plies = plies[0] - '0';
    if constexpr (G::kHasSettings) fields >> tactic.settings.kings_landing;
    if (fields.fail() || TacticText<G>(tactic) != line) {
      throw InputError("malformed line in " + path + ": " + line);
    }
    tactics.push_back(tactic);
  }
  return tactics;
}

}  // namespace khanzero
