// SPDX-License-Identifier: GPL-3.0-or-later
//
// Who won and why, in sentences.
#pragma once

#include <string>

#include "env/game.h"

namespace khanzero {

inline std::string SideName(Color side) { return side == Color::kWhite ? "White" : "Black"; }

// "Checkmate: White's king is attacked and has no way out. Black wins." REQUIRES: outcome.over().
template <Game G>
std::string OutcomeText(const Outcome& outcome) {
  const Color winner = outcome.result == Result::kWhiteWins ? Color::kWhite : Color::kBlack;
  const std::string wins = " " + SideName(winner) + " wins.";
  const std::string rank = std::to_string(G::Position::Geo::LastRank(winner) + 1);
  switch (outcome.reason) {
    case EndReason::kCheckmate:
      return "Checkmate: " + SideName(~winner) + "'s king is attacked and has no way out." + wins;
    case EndReason::kStalemate:
      return "Stalemate: " + SideName(~winner) + " has no legal move, which loses here." + wins;
    case EndReason::kCampmate:
      return "Campmate: " + SideName(winner) + "'s king has reached rank " + rank + "." + wins;
    case EndReason::kKhan:
      return SideName(winner) + "'s king has reached rank " + rank + " and is Khan." + wins;
    case EndReason::kRepetition:
      return "The same position for the third time: a draw.";
    case EndReason::kFiftyMoves:
      return std::string("Fifty moves of both sides without a capture or ") +
             (G::Spec::kHasHands ? "a placement" : "a move of a pawn or a scout") + ": a draw.";
    case EndReason::kPlyCap:
    case EndReason::kNone:
      break;
  }
  return "The game was broken off: a draw.";
}

}  // namespace khanzero
