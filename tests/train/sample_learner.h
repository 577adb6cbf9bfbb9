// SPDX-License-Identifier: GPL-3.0-or-later
//
// Small learners for tests: what they train on, and what they have become.
#pragma once

#include <filesystem>
#include <vector>

#include "model/folded_network.h"
#include "tests/train/sample_games.h"
#include "train/learner.h"
#include "train/replayed_game.h"

namespace khanzero {

inline ReplayWindow WindowOf(const Config& config, int64_t games) {
  const auto replayer = MakeReplayer(config.game);
  ReplayWindow window(config.learner);
  for (const GameRecord& game : PlayGames(config, games)) window.Add(replayer->Replay(game));
  return window;
}

inline TrainingReport Train(Learner& learner, ReplayWindow& window, int64_t steps) {
  return learner.Train(window, steps, 0.0, std::stop_token(), [](const TrainingReport&) {});
}

inline CheckpointInfo InfoFor(const Config& config, const Learner& learner) {
  return {.game = InfoOfGame(config.game),
          .network = config.network,
          .step = learner.step(),
          .config_yaml = ToYaml(config),
          .program_version = {},
          .date = {}};
}

inline void SaveTo(const std::filesystem::path& path, const Config& config,
                   const Learner& learner) {
  ReplayWindow nothing{LearnerSettings{}};
  learner.Save(path, InfoFor(config, learner), *learner.Folded(nothing), "{}");
}

// All weights of a network, to compare two to the last bit.
inline std::vector<float> Weights(const Learner& learner) {
  ReplayWindow nothing{LearnerSettings{}};
  const auto folded = learner.Folded(nothing);
  std::vector<float> all;
  for (const auto& [name, layer] : folded->convolutions()) {
    all.insert(all.end(), layer->weight.begin(), layer->weight.end());
    all.insert(all.end(), layer->bias.begin(), layer->bias.end());
  }
  for (const auto& [name, layer] : folded->linears()) {
    all.insert(all.end(), layer->weight.begin(), layer->weight.end());
    all.insert(all.end(), layer->bias.begin(), layer->bias.end());
  }
  return all;
}

}  // namespace khanzero
