// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/cycle_games.h"

#include <algorithm>

namespace khanzero {

void CycleGames::Count(const GameRecord& game) {
  ++new_games;
  new_positions += static_cast<int64_t>(game.samples.size());
  new_policy_positions += PolicyTargets(game);
  new_plies += static_cast<int64_t>(game.move_ranks.size());
  white_wins += game.outcome.result == Result::kWhiteWins;
  black_wins += game.outcome.result == Result::kBlackWins;
  draws += game.outcome.result == Result::kDraw;
  capped_games += game.outcome.reason == EndReason::kPlyCap;
  ++endings[std::string(Text(game.outcome.reason))];
  if (!game.start_fen.empty()) {
    ++earlier_starts;
    return;
  }
  const auto begin = game.move_ranks.begin();
  openings.emplace(
      begin, begin + static_cast<std::ptrdiff_t>(std::min(kOpeningPlies, game.move_ranks.size())));
}

void CycleGames::Add(const CycleGames& others) {
  new_games += others.new_games;
  new_positions += others.new_positions;
  new_policy_positions += others.new_policy_positions;
  new_plies += others.new_plies;
  white_wins += others.white_wins;
  black_wins += others.black_wins;
  draws += others.draws;
  capped_games += others.capped_games;
  for (const auto& [reason, count] : others.endings) endings[reason] += count;
  earlier_starts += others.earlier_starts;
  openings.insert(others.openings.begin(), others.openings.end());
}

}  // namespace khanzero
