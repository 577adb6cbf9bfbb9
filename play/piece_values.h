// SPDX-License-Identifier: GPL-3.0-or-later
//
// What each piece is worth to a network: how much lower it rates a side's chances when one piece is
// taken off, in positions of real games. It is the network's opinion of positions, not of games
// played on; a piece that protects others is worth what is lost with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mcts/evaluator.h"
#include "play/study_games.h"
#include "play/study_statistics.h"

namespace khanzero {

struct PieceValueSettings {
  int positions_per_game = 8;
  // Only positions count in which White's expected score is between this and 1 minus this: where
  // all is decided a piece changes nothing.
  double least_score = 0.1;
  int resamples = 1000;
  uint64_t seed = 1;
};

struct PieceValue {
  std::string piece{};  // "knight"
  char letter = ' ';    // as in FEN, capital for White
  Color side = Color::kWhite;
  bool in_hand = false;
  int64_t observations = 0;
  int64_t games = 0;
  Estimate score{};                 // points a game that go with it
  Estimate logit{};                 // the same as a change of ln(score / (1 - score))
  std::optional<Estimate> units{};  // `logit` in those of the unit
};

struct PieceValues {
  std::vector<PieceValue> values{};  // of pieces that were seen; White's first, the dearest first
  std::string unit{};                // "pawn": the piece that counts 1; empty: none could be found
  int64_t positions = 0;             // that were compared
  int64_t games = 0;                 // that had one
};

// Values with fewer games than this have no interval to speak of.
inline constexpr int64_t kFewGames = 20;

// `evaluator` is the network. Throws InputError for a start position that is none, and as
// Evaluate does.
PieceValues MeasurePieceValues(const std::string& game, Evaluator& evaluator,
                               const std::vector<StudyGame>& games,
                               const PieceValueSettings& settings, const StudyProgress& progress);

}  // namespace khanzero
