// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/folder_link.h"

#include <chrono>

#include "env/error.h"
#include "env/games.h"
#include "model/checkpoint_files.h"
#include "play/self_calibration.h"
#include "train/replay_store.h"
#include "train/run_folder.h"
#include "train/run_progress.h"

namespace khanzero {

namespace {

using std::chrono::steady_clock;

std::filesystem::path NewestCheckpoint(const RunFolder& run) {
  const auto latest = run.LatestCheckpoint();
  if (!latest) {
    throw InputError("run '" + run.path().string() +
                     "' has no checkpoint yet; start 'khanzero train' on it first");
  }
  return *latest;
}

class FolderLink : public ActorLink {
 public:
  FolderLink(const std::filesystem::path& run, const Config& config)
      : config_(config),
        run_(run),
        checkpoint_(Checked()),
        store_(run_.store(), config_.game, ReplayStore::Access::kReadWrite) {}

  const Config& config() const override { return config_; }
  uint64_t FirstNumber() override { return store_.ClaimNumbers(); }

  std::optional<ToPlayWith> Next(const std::stop_token& stop) override {
    while (!stop.stop_requested()) {
      checkpoint_ = NewestCheckpoint(run_);
      try {
        return Load();
      } catch (const InputError&) {
        // Pruned between the look at `latest` and the reading: then there is a newer one.
        if (NewestCheckpoint(run_) == checkpoint_) throw;
      }
    }
    return std::nullopt;
  }

  bool Take(std::span<const GameRecord> games, int64_t& taken) override {
    if (!games.empty()) taken += store_.Add(games);
    constexpr std::chrono::seconds kBetweenLooks(2);
    const auto now = steady_clock::now();
    if (now - looked_ < kBetweenLooks) return true;
    looked_ = now;
    return NewestCheckpoint(run_) == checkpoint_;
  }

  void Finish() override {}

 private:
  // The newest checkpoint, before a store is made in what is no run.
  std::filesystem::path Checked() const {
    if (config_.loop.deterministic) {
      throw InputError("run '" + run_.path().string() +
                       "' is deterministic (loop.deterministic): it takes games of its own alone");
    }
    return NewestCheckpoint(run_);
  }

  ToPlayWith Load() const {
    const CheckpointInfo made = ReadCheckpointInfo(checkpoint_);
    ToPlayWith next{.name = checkpoint_.filename().string(), .step = made.step};
    next.simulations =
        SimulationsAt(config_, {.games = made.games, .hours = HoursOf(checkpoint_).value_or(0.0)});
    if (made.games < config_.loop.uniform_games) {
      next.step = -1;
    } else {
      next.network =
          LoadNetworkForPlay(checkpoint_.string(), InfoOfGame(config_.game), config_.inference);
    }
    return next;
  }

  const Config config_;
  const RunFolder run_;
  std::filesystem::path checkpoint_;
  ReplayStore store_;
  steady_clock::time_point looked_ = steady_clock::now();
};

}  // namespace

std::unique_ptr<ActorLink> OpenFolderLink(const std::filesystem::path& run, const Config& config) {
  return std::make_unique<FolderLink>(run, config);
}

}  // namespace khanzero
