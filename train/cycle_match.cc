// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/cycle_match.h"

#include <fmt/format.h>

#include "train/self_play.h"

namespace khanzero {

MatchResult MatchNewest(const CycleMatch& cycle, const std::string& opponent, int pairs) {
  const Config& config = cycle.config;
  PlayerSettings player;
  player.search = {.algorithm = RootAlgorithm::kPuct, .simulations = config.evaluation.simulations};
  player.inference = config.inference;
  MatchSettings settings;
  settings.pairs = pairs;
  settings.seed = config.seed;
  settings.game = {.kings_landing = config.kings_landing};
  settings.threads = ThreadsFor(config.selfplay.workers);
  settings.stop = cycle.stop;
  settings.on_game = [&](const MatchResult&) { cycle.on_game(); };
  return PlayMatch(config.game,
                   {.spec = "checkpoint:" + cycle.checkpoint.string(),
                    .name = cycle.checkpoint.filename().string(),
                    .evaluator = nullptr,
                    .settings = player},
                   {.spec = opponent, .name = opponent, .evaluator = nullptr, .settings = {}},
                   settings);
}

MatchScores MeasureNewest(const CycleMatch& cycle) {
  MatchScores scores;
  for (const char* const opponent : {"random", "greedy"}) {
    const MatchResult result = MatchNewest(cycle, opponent, cycle.config.evaluation.pairs);
    if (cycle.stop.stop_requested()) break;
    scores.emplace_back(opponent, result.total.score());
  }
  return scores;
}

std::string Text(const MatchScores& scores) {
  std::string text;
  for (const auto& [opponent, score] : scores) {
    text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", opponent, 100.0 * score);
  }
  return text;
}

}  // namespace khanzero
