// SPDX-License-Identifier: GPL-3.0-or-later
//
// Small self-play for tests: real games, played with the uniform evaluator, and a folder that goes
// away.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "env/games.h"
#include "mcts/evaluator.h"
#include "train/self_play.h"

namespace khanzero {

inline Config SmallConfig(const std::string& game) {
  Config config;
  config.game = game;
  config.seed = 7;
  config.network = {.blocks = 1, .channels = 8, .value_hidden = 8};
  config.search.simulations = 4;
  config.search.gumbel_considered = 4;
  config.selfplay.workers = 1;
  config.selfplay.games_per_worker = 8;
  config.selfplay.max_plies = 200;
  config.learner.batch_size = 16;
  config.learner.warmup_steps = 4;
  config.learner.validation_share = 0.3;
  config.learner.threads = 1;
  config.learner.precision = Precision::kFp32;
  config.learner.window_min_positions = 2000;
  return config;
}

// With cheap searches: a quarter of the searches are full.
inline Config WithCheapSearches(Config config) {
  config.selfplay.full_search_share = 0.25;
  config.selfplay.cheap_simulations = 2;
  return config;
}

inline SelfPlay::Network UniformNetwork(const std::string& game) {
  return {.make_evaluator = [game]() -> std::unique_ptr<Evaluator> {
            return std::make_unique<UniformEvaluator>(InfoOfGame(game).shape);
          },
          .step = -1};
}

// At least `count` games; deterministic with one worker.
inline std::vector<GameRecord> PlayGames(const Config& config, int64_t count) {
  std::vector<GameRecord> games;
  GameNumbers numbers({});
  MakeSelfPlay(config)->Play(
      UniformNetwork(config.game), count, numbers,
      [&](GameRecord record) { games.push_back(std::move(record)); }, std::stop_token());
  return games;
}

// An empty folder of its own, deleted in the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "khanzero-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace khanzero
