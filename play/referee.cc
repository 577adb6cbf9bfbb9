// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/referee.h"

#include <cstdlib>

#include "env/error.h"

namespace khanzero {

namespace {

struct FaultNames {
  const char* reason;
  const char* termination;
};

FaultNames NamesOf(Fault fault) {
  switch (fault) {
    case Fault::kIllegalMove:
      return {"illegal move", "illegal move"};
    case Fault::kTime:
      return {"time", "time forfeit"};
    case Fault::kCrash:
      return {"crash", "abandoned"};
    case Fault::kHang:
      return {"hang", "abandoned"};
    case Fault::kGarbage:
      return {"garbage", "abandoned"};
    case Fault::kNone:
    case Fault::kStopped:
      break;
  }
  Check(false, "no fault ends this game");
  return {"", ""};
}

}  // namespace

GameEnding EndingByRules(const Outcome& outcome) {
  if (!outcome.over()) return {};
  return {.result = outcome.result,
          .reason = std::string(Text(outcome.reason)),
          .termination = outcome.reason == EndReason::kPlyCap ? "adjudication" : "normal"};
}

GameEnding EndingByFault(Fault fault, Color whose, const std::string& text) {
  const FaultNames names = NamesOf(fault);
  return {.result = WinFor(~whose),
          .reason = names.reason,
          .termination = names.termination,
          .detail = (whose == Color::kWhite ? "White: " : "Black: ") + text};
}

std::optional<GameEnding> ScoreAdjudicator::Note(Color mover, std::optional<int> centipawns,
                                                 int number) {
  const auto index = static_cast<size_t>(Index(mover));
  if (settings_.resign) {
    const ResignRule& rule = *settings_.resign;
    const bool lost = centipawns && *centipawns <= -rule.centipawns;
    const bool won = centipawns && *centipawns >= rule.centipawns;
    lost_moves_[index] = lost ? lost_moves_[index] + 1 : 0;
    won_moves_[index] = won ? won_moves_[index] + 1 : 0;
    for (const Color loser : {mover, ~mover}) {
      const auto lost_index = static_cast<size_t>(Index(loser));
      if (lost_moves_[lost_index] < rule.moves) continue;
      if (rule.both && won_moves_[1 - lost_index] < rule.moves) continue;
      return GameEnding{
          .result = WinFor(~loser), .reason = "win by score", .termination = "adjudication"};
    }
  }
  if (settings_.draw) {
    const DrawRule& rule = *settings_.draw;
    const bool level =
        centipawns && std::abs(*centipawns) <= rule.centipawns && number >= rule.from_move;
    level_moves_ = level ? level_moves_ + 1 : 0;
    if (level_moves_ >= 2 * rule.moves) {
      return GameEnding{
          .result = Result::kDraw, .reason = "draw by score", .termination = "adjudication"};
    }
  }
  return std::nullopt;
}

}  // namespace khanzero
