// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/referee.h"

#include <algorithm>
#include <cstdlib>

#include "env/error.h"

namespace khanzero {

namespace {

struct FaultNames {
  Fault fault;
  std::string_view reason;
  std::string_view termination;
};
constexpr std::array<FaultNames, 5> kFaults = {{
    {Fault::kIllegalMove, "illegal move", "illegal move"},
    {Fault::kTime, "time", "time forfeit"},
    {Fault::kCrash, "crash", "abandoned"},
    {Fault::kHang, "hang", "abandoned"},
    {Fault::kGarbage, "garbage", "abandoned"},
}};

}  // namespace

GameEnding EndingByRules(const Outcome& outcome) {
  if (!outcome.over()) return {};
  return {.result = outcome.result,
          .reason = std::string(Text(outcome.reason)),
          .termination = outcome.reason == EndReason::kPlyCap ? "adjudication" : "normal"};
}

bool IsFault(std::string_view reason) {
  return std::ranges::any_of(kFaults,
                             [&](const FaultNames& names) { return names.reason == reason; });
}

GameEnding EndingByFault(Fault fault, Color whose, const std::string& text) {
  const auto names = std::ranges::find(kFaults, fault, &FaultNames::fault);
  Check(names != kFaults.end(), "no fault ends this game");
  return {.result = WinFor(~whose),
          .reason = std::string(names->reason),
          .termination = std::string(names->termination),
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
