// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/actor.h"

#include <fmt/format.h>

#include <chrono>

#include "env/games.h"
#include "model/inference.h"
#include "train/play_games.h"

namespace khanzero {

ActorSummary RunActor(ActorLink& link, const ActorOptions& options) {
  using std::chrono::steady_clock;
  const Config& config = link.config();
  const GameInfo info = InfoOfGame(config.game);
  GameNumbers numbers({}, link.FirstNumber());
  const auto self_play = MakeSelfPlay(config);
  ActorSummary summary;
  steady_clock::time_point said = steady_clock::now();
  while (options.games == 0 || summary.games < options.games) {
    const std::optional<ToPlayWith> next = link.Next(options.stop);
    if (!next) break;
    const SelfPlay::Network player{.make_evaluator = [&]() -> std::unique_ptr<Evaluator> {
                                     if (!next->network)
                                       return std::make_unique<UniformEvaluator>(info.shape);
                                     return MakeEvaluator(next->network, config.inference);
                                   },
                                   .step = next->step,
                                   .simulations = next->simulations};
    options.say(next->network ? "Playing with " + next->name
                              : "Playing with uniform priors, as loop.uniform_games asks for");
    constexpr int64_t kEndless = int64_t{1} << 40;
    const int64_t left = options.games == 0 ? kEndless : options.games - summary.games;
    PlayGames(
        *self_play, player, ThreadsFor(config.selfplay.workers), left, numbers, options.stop,
        [&](const std::vector<GameRecord>& games, const PlayProgress& progress) {
          const bool go_on = link.Take(games, summary.games);
          for (const GameRecord& game : games) {
            summary.positions += static_cast<int64_t>(game.samples.size());
          }
          constexpr std::chrono::seconds kBetweenLines(30);
          if (const auto now = steady_clock::now(); now - said >= kBetweenLines) {
            said = now;
            options.say(fmt::format("{} games, {} positions, {:.0f} evaluations/s", summary.games,
                                    summary.positions, progress.evaluations_per_second()));
          }
          return go_on;
        });
  }
  link.Finish();
  return summary;
}

}  // namespace khanzero
