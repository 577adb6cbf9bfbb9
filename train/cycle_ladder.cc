// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/cycle_ladder.h"

#include <fmt/format.h>

#include "env/error.h"
#include "train/ladder.h"
#include "train/self_play.h"

namespace khanzero {

std::optional<LadderStanding> RateNewest(const CycleLadder& cycle) {
  const EvaluationSettings& settings = cycle.config.evaluation;
  LadderOptions options;
  options.conditions.nodes = settings.simulations;
  options.inference = cycle.config.inference;
  options.error_elo = settings.ladder_error;
  options.max_games = settings.ladder_games;
  options.last = 2;  // ratings are compared with other checkpoints
  options.threads = ThreadsFor(cycle.config.selfplay.workers);
  options.stop = cycle.stop;
  options.on_progress = [&](const LadderProgress&) { cycle.on_game(); };
  options.on_note = cycle.say;
  try {
    const LadderResult result = RunLadder(cycle.run, cycle.config, options);
    for (const LadderEntry& entry : result.entries) {
      const Rating& rating = entry.rating;
      if (!entry.present || entry.name != cycle.checkpoint || !rating.elo) continue;
      cycle.say(fmt::format("Ladder: {} is at {:.0f} +/- {:.0f} Elo above random after {} games{}",
                            entry.name, *rating.elo, rating.error, rating.games,
                            result.best ? "; the best is " + *result.best : ""));
      return LadderStanding{.elo = *rating.elo, .error = rating.error, .games = rating.games};
    }
  } catch (const InputError& e) {
    cycle.say("Warning: the ladder was left out: " + std::string(e.what()));
  }
  return std::nullopt;
}

}  // namespace khanzero
