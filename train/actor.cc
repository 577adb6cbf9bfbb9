// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/actor.h"

#include <fmt/format.h>

#include <chrono>

#include "env/error.h"
#include "env/games.h"
#include "model/checkpoint_files.h"
#include "model/inference.h"
#include "play/self_calibration.h"
#include "train/play_games.h"
#include "train/replay_store.h"
#include "train/run_folder.h"
#include "train/run_progress.h"
#include "train/self_play.h"

namespace khanzero {

namespace {

std::filesystem::path NewestCheckpoint(const RunFolder& run) {
  const auto latest = run.LatestCheckpoint();
  if (!latest) {
    throw InputError("run '" + run.path().string() +
                     "' has no checkpoint yet; start 'khanzero train' on it first");
  }
  return *latest;
}

}  // namespace

ActorSummary RunActor(const ActorOptions& options) {
  const RunFolder run(options.run);
  const Config& config = options.config;
  if (config.loop.deterministic) {
    throw InputError("run '" + options.run.string() +
                     "' is deterministic (loop.deterministic): it takes games of its own alone");
  }
  const GameInfo info = InfoOfGame(config.game);
  std::filesystem::path checkpoint = NewestCheckpoint(run);
  ReplayStore store(run.store(), config.game, ReplayStore::Access::kReadWrite);
  // Numbers of its own: no other process plays the same games.
  GameNumbers numbers({}, store.ClaimNumbers());
  const auto self_play = MakeSelfPlay(config);
  ActorSummary summary;
  while (!options.stop.stop_requested() && (options.games == 0 || summary.games < options.games)) {
    const std::string name = checkpoint.filename().string();
    std::shared_ptr<const FoldedNetwork> network;
    int64_t step = 0;
    int simulations = 0;
    try {
      const CheckpointInfo made = ReadCheckpointInfo(checkpoint);
      step = made.step;
      simulations =
          SimulationsAt(config, {.games = made.games, .hours = HoursOf(checkpoint).value_or(0.0)});
      network = LoadNetworkForPlay(checkpoint.string(), info, config.inference);
    } catch (const InputError&) {
      // Pruned between the look at `latest` and the reading: then there is a newer one.
      const std::filesystem::path newer = NewestCheckpoint(run);
      if (newer == checkpoint) throw;
      checkpoint = newer;
      continue;
    }
    const SelfPlay::Network player{
        .make_evaluator = [&] { return MakeEvaluator(network, config.inference); },
        .step = step,
        .simulations = simulations};
    options.say(fmt::format("Playing with {}", name));
    constexpr int64_t kEndless = int64_t{1} << 40;
    const int64_t left = options.games == 0 ? kEndless : options.games - summary.games;
    auto looked = std::chrono::steady_clock::now();
    auto said = looked;
    PlayGames(
        *self_play, player, ThreadsFor(config.selfplay.workers), left, numbers, options.stop,
        [&](const std::vector<GameRecord>& games, const PlayProgress& progress) {
          if (!games.empty()) summary.games += store.Add(games);
          for (const GameRecord& game : games) {
            summary.positions += static_cast<int64_t>(game.samples.size());
          }
          constexpr std::chrono::seconds kBetweenLooks(2);
          constexpr std::chrono::seconds kBetweenLines(30);
          const auto now = std::chrono::steady_clock::now();
          if (now - said >= kBetweenLines) {
            said = now;
            options.say(fmt::format("{} games, {} positions, {:.0f} evaluations/s", summary.games,
                                    summary.positions, progress.evaluations_per_second()));
          }
          if (now - looked < kBetweenLooks) return true;
          looked = now;
          return NewestCheckpoint(run) == checkpoint;
        });
    checkpoint = NewestCheckpoint(run);
  }
  return summary;
}

}  // namespace khanzero
