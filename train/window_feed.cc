// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/window_feed.h"

#include "env/error.h"

namespace khanzero {

void WindowFeed::Refill(int64_t cycle) {
  if (config_.loop.deterministic) {
    positions_ = store_.Pruned().positions;
    TakeNumbered(cycle * config_.loop.games_per_cycle);
    return;
  }
  const int64_t positions = store_.MadeTotals().positions;
  sequence_ = store_.SequenceBeforeNewest(WindowPositions(config_.learner, positions));
  TakeNew();
}

void WindowFeed::TakeCycle(int64_t cycle) {
  if (config_.loop.deterministic) {
    TakeNumbered((cycle + 1) * config_.loop.games_per_cycle);
  } else {
    TakeNew();
  }
}

std::optional<std::string> WindowFeed::EarlierStart(uint64_t id, Random& random) const {
  const ReplayedGame* const game = window_.DrawStart(id, random);
  if (game == nullptr || game->moves.empty() ||
      game->settings.kings_landing != config_.kings_landing) {
    return std::nullopt;
  }
  return replayer_.FenAt(*game, random.Below(game->moves.size()));
}

void WindowFeed::TakeNew() {
  constexpr int64_t kAtOnce = 1000;
  while (store_.ReadAfter(sequence_, kAtOnce, [&](const StoredGame& game) { Take(game); }) ==
         kAtOnce) {
  }
  Shrink();
}

void WindowFeed::TakeNumbered(int64_t end) {
  store_.ReadNumbered(static_cast<uint64_t>(next_number_), static_cast<uint64_t>(end),
                      [&](const StoredGame& game) {
                        positions_ += game.columns.positions;
                        Take(game);
                      });
  next_number_ = end;
  Shrink();
}

void WindowFeed::Take(const StoredGame& stored) {
  sequence_ = stored.sequence;
  try {
    window_.Add(replayer_.Replay(ParseRecord(stored.bytes)));
  } catch (const InputError& e) {
    refuse_("A stored game is left out: " + std::string(e.what()));
  }
}

void WindowFeed::Shrink() {
  const int64_t made = config_.loop.deterministic ? positions_ : store_.MadeTotals().positions;
  window_.Shrink(WindowPositions(config_.learner, made));
}

}  // namespace khanzero
