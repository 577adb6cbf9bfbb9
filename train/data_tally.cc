// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/data_tally.h"

#include <algorithm>

#include "env/random.h"

namespace khanzero {

uint64_t HashMoves(const GameRecord& game, size_t plies) {
  uint64_t hash = 0;
  for (const char c : game.start_fen) hash = Mix64(hash ^ static_cast<uint8_t>(c));
  plies = std::min(plies, game.move_ranks.size());
  for (size_t ply = 0; ply < plies; ++ply) hash = Mix64(hash ^ game.move_ranks[ply]);
  return hash;
}

void GameTally::Count(const GameRecord& game) {
  ++games;
  positions += static_cast<int64_t>(game.samples.size());
  policy_positions += PolicyTargets(game);
  plies += static_cast<int64_t>(game.move_ranks.size());
  white_wins += game.outcome.result == Result::kWhiteWins;
  black_wins += game.outcome.result == Result::kBlackWins;
  draws += game.outcome.result == Result::kDraw;
  capped += game.outcome.reason == EndReason::kPlyCap;
  ++endings[std::string(Text(game.outcome.reason))];
}

void StepTally::Count(int64_t step, int64_t positions) {
  StepRange& range = steps_[step];
  range.first_step = range.last_step = step;
  ++range.games;
  range.positions += positions;
}

std::vector<StepRange> StepTally::Ranges(int most) const {
  std::vector<StepRange> ranges;
  if (steps_.size() <= static_cast<size_t>(most)) {
    for (const auto& [step, range] : steps_) ranges.push_back(range);
    return ranges;
  }
  const int64_t first = steps_.begin()->first;
  const int64_t width = (steps_.rbegin()->first - first) / most + 1;
  for (const auto& [step, range] : steps_) {
    const int64_t begin = first + (step - first) / width * width;
    if (ranges.empty() || ranges.back().first_step != begin) {
      ranges.push_back({.first_step = begin, .last_step = begin + width - 1});
    }
    ranges.back().games += range.games;
    ranges.back().positions += range.positions;
  }
  return ranges;
}

}  // namespace khanzero
