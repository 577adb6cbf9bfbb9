// SPDX-License-Identifier: GPL-3.0-or-later
//
// A tiny training run in a folder of its own, deleted in the end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "train/replay_store.h"

namespace khanzero {

class ScratchRun {
 public:
  explicit ScratchRun(const std::string& game) : game_(game) {
    std::string name = (std::filesystem::temp_directory_path() / "khanzero-run-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    std::ofstream(folder_ / "tiny.yaml") << "game: " << game << "\n"
                                         << R"(
network: {blocks: 1, channels: 8, value_hidden: 8}
search: {simulations: 2, gumbel_considered: 2}
selfplay: {workers: 1, games_per_worker: 4, max_plies: 24}
learner: {batch_size: 16, threads: 1, precision: fp32, samples_per_position: 2, validation_share: 0.1}
loop: {max_games: 12, games_per_cycle: 6}
evaluation: {pairs: 1, final_pairs: 2, simulations: 2}
inference: {precision: fp32}
)";
  }
  ~ScratchRun() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchRun(const ScratchRun&) = delete;
  ScratchRun& operator=(const ScratchRun&) = delete;

  std::filesystem::path path() const { return folder_ / "run"; }
  std::filesystem::path folder() const { return folder_; }

  // The arguments that train it.
  std::vector<std::string> Train(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"train", "--config", (folder_ / "tiny.yaml").string(),
                                          "--run", path().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  // The same for a network as soon as can be: two games, and no matches.
  std::vector<std::string> TrainShortest() const {
    return Train({"--json", "--set", "loop.max_games=2", "--set", "loop.games_per_cycle=2", "--set",
                  "evaluation.every_cycles=0", "--set", "evaluation.final_pairs=0"});
  }

  int64_t StoredGames() const {
    return ReplayStore(path() / "replay.db", game_, ReplayStore::Access::kReadOnly).Totals().games;
  }

 private:
  std::string game_;
  std::filesystem::path folder_;
};

}  // namespace khanzero
