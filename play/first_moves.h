// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a network plays first: its policy and its search at the start and after the best first
// moves, and, in a game of placements, where it puts each piece.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mcts/evaluator.h"
#include "play/study_games.h"
#include "play/svg.h"

namespace khanzero {

struct FirstMovesSettings {
  int nodes = 1600;  // simulations for each position
  int moves = 8;     // that are told, of each position
  int replies = 3;   // so many of the best first moves are looked behind
  GameSettings rules{};
};

struct MoveOpinion {
  std::string move{};  // UCI
  std::string san{};
  double prior = 0.0;   // the policy's share
  double visits = 0.0;  // the search's share
  std::optional<double>
      score{};  // expected points of the side to move; nothing where not looked at
  int from = 0;
  int to = 0;
  bool placement = false;
  std::vector<std::string> line{};  // SAN, the move first
};

struct PositionOpinion {
  std::string after{};  // "1. e4", "1... "; empty at the start
  std::string fen{};
  std::string letters{};  // of the board, as SvgBoard has them
  std::string side{};     // to move
  int legal_moves = 0;
  int64_t nodes = 0;
  double network_score = 0.0;           // expected points of the side to move, by the network alone
  double score = 0.0;                   // and by the search
  std::vector<MoveOpinion> searched{};  // the best first
  std::vector<MoveOpinion> policy{};    // the policy's favourites
};

// Where one kind of piece is placed.
struct PlacementMap {
  std::string piece{};
  int64_t count = 0;              // of placements; 0 where shares are those of the policy
  double share = 0.0;             // of all placements
  std::vector<double> squares{};  // shares of this piece's; own side below
};

struct FirstMoves {
  std::vector<PositionOpinion> positions{};  // the start, then after each of the best moves
  std::vector<PlacementMap> placements{};    // by the policy at the start; none without hands
};

// Searches with one evaluator, so the same settings give the same answer. Throws as Evaluate does.
FirstMoves StudyFirstMoves(const std::string& game, std::unique_ptr<Evaluator> evaluator,
                           const FirstMovesSettings& settings, const StudyProgress& progress);

// Where each side put each piece for the first time in a game: counts as shares. Empty for games
// without hands. Squares are turned for Black, so that its own side is below.
struct PlacedPieces {
  int64_t games = 0;
  std::vector<PlacementMap> white{};
  std::vector<PlacementMap> black{};
};
PlacedPieces CountPlacements(const std::string& game, const std::vector<StudyGame>& games);

}  // namespace khanzero
