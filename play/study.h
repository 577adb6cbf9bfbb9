// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a network knows, as a folder of pages: how its games end and whom they favour, what each
// piece is worth to it, and what it plays first. Every figure comes with its uncertainty.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "play/first_moves.h"
#include "play/match_result.h"
#include "play/piece_values.h"
#include "play/study_games.h"

namespace khanzero {

struct Study {
  std::string game{};
  std::string network{};     // what it is: "runs/x, step 3579"
  std::string games_from{};  // "400 games of the network against itself, 64 nodes, ..."
  uint64_t seed = 1;
  MatchResult games{};  // as games of one player, who is White
  PieceValueSettings piece_settings{};
  PieceValues pieces{};
  FirstMoves first{};
  PlacedPieces placed{};
};

// Counts games as a match of one player against itself. REQUIRES: all are over.
MatchResult CountGames(const std::string& game, const std::vector<StudyGame>& games);

// The files by their names: study.md, study.json and the pictures that the page shows.
std::map<std::string, std::string> StudyFiles(const Study& study);

// One object; study.json holds it. One line.
std::string StudyJson(const Study& study);

}  // namespace khanzero
