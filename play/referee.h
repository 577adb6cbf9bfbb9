// SPDX-License-Identifier: GPL-3.0-or-later
//
// What ends a game of a match: the rules, and beside them the cap on its length, agreed scores, and
// the faults of players.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "env/types.h"
#include "play/player.h"

namespace khanzero {

// How a game ended; `result` is kOngoing while it has not.
struct GameEnding {
  Result result = Result::kOngoing;
  // What it is counted under: an EndReason's text, "win by score", "draw by score", "illegal move",
  // "time", "crash", "hang" or "garbage".
  std::string reason{};
  // PGN's tag: normal, adjudication, time forfeit, illegal move, abandoned, unterminated.
  std::string termination = "unterminated";
  std::string detail{};  // of a fault: "White played e2e5"

  bool over() const { return result != Result::kOngoing; }
};

GameEnding EndingByRules(const Outcome& outcome);
// Whether a game that ended for `reason` was lost by a player's fault and not by play.
bool IsFault(std::string_view reason);
// REQUIRES: fault is neither kNone nor kStopped.
GameEnding EndingByFault(Fault fault, Color whose, const std::string& text);

// A game is given up for lost when its player's score stays so low.
struct ResignRule {
  int centipawns = 0;  // at least so far below 0
  int moves = 0;       // so many moves of that player in a row
  bool both = false;   // and the other says the same of its own moves between
};
// A game is a draw when both players' scores stay near 0.
struct DrawRule {
  int centipawns = 0;  // at most so far from 0
  int moves = 0;       // so many moves of each in a row
  int from_move = 0;   // not before this full move of the game
};
struct AdjudicationSettings {
  std::optional<ResignRule> resign{};
  std::optional<DrawRule> draw{};
};

// Follows the scores of one game. A move without a score breaks every row.
class ScoreAdjudicator {
 public:
  explicit ScoreAdjudicator(const AdjudicationSettings& settings) : settings_(settings) {}

  // Takes the score that `mover` gave its move, the full move `number` of the game, which the rules
  // have not ended. The ending, if that is one.
  std::optional<GameEnding> Note(Color mover, std::optional<int> centipawns, int number);

 private:
  AdjudicationSettings settings_;
  std::array<int, 2> lost_moves_{};  // of each colour, in a row
  std::array<int, 2> won_moves_{};
  int level_moves_ = 0;  // of both together
};

}  // namespace khanzero
