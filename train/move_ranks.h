// SPDX-License-Identifier: GPL-3.0-or-later
//
// The legal moves of a position in rising order of policy index: a move's place in that order is
// its rank, by which game records name it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "env/error.h"
#include "env/game.h"

namespace khanzero {

struct RankedMove {
  uint16_t policy_index = 0;
  Move move;
};

template <Game G>
class MoveRanks {
 public:
  explicit MoveRanks(const typename G::Position& position) {
    typename G::Moves moves;
    position.LegalMoves(moves);
    ranked_.reserve(static_cast<size_t>(moves.size()));
    for (const Move& move : moves) ranked_.push_back({G::PolicyIndex(position, move), move});
    std::sort(ranked_.begin(), ranked_.end(), [](const RankedMove& a, const RankedMove& b) {
      return a.policy_index < b.policy_index;
    });
  }

  size_t size() const { return ranked_.size(); }
  // REQUIRES: rank < size().
  const RankedMove& operator[](size_t rank) const { return ranked_[rank]; }
  const std::vector<RankedMove>& all() const { return ranked_; }

  // REQUIRES: `policy_index` is that of a legal move.
  uint16_t RankOf(uint16_t policy_index) const {
    const auto at = std::lower_bound(
        ranked_.begin(), ranked_.end(), policy_index,
        [](const RankedMove& a, uint16_t index) { return a.policy_index < index; });
    Check(at != ranked_.end() && at->policy_index == policy_index, "rank of a move not legal here");
    return static_cast<uint16_t>(at - ranked_.begin());
  }

 private:
  std::vector<RankedMove> ranked_;
};

}  // namespace khanzero
