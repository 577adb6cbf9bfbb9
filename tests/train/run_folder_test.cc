// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/run_folder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "env/error.h"
#include "tests/train/sample_games.h"
#include "train/status_display.h"

namespace khanzero {
namespace {

TEST(RunFolder, LatestNamesACheckpointOfTheRun) {
  const ScratchFolder folder;
  const RunFolder run(folder.path());
  EXPECT_EQ(run.LatestCheckpoint(), std::nullopt);
  const std::string name = RunFolder::CheckpointName(42);
  EXPECT_EQ(name, "step-000000042");
  run.SetLatest(name);
  EXPECT_THROW(run.LatestCheckpoint(), InputError);  // it is not there
  std::filesystem::create_directories(run.checkpoints() / name);
  EXPECT_EQ(run.LatestCheckpoint(), run.checkpoints() / name);
  std::ofstream(run.latest()) << "../elsewhere\n";
  EXPECT_THROW(run.LatestCheckpoint(), InputError);
}

TEST(RunFolder, PruningKeepsTheNewestAndTheLatest) {
  const ScratchFolder folder;
  const RunFolder run(folder.path());
  for (int step = 0; step < 10; ++step) {
    std::filesystem::create_directories(run.checkpoints() / RunFolder::CheckpointName(step));
  }
  std::filesystem::create_directories(run.checkpoints() / "mine");
  run.SetLatest(RunFolder::CheckpointName(2));
  run.PruneCheckpoints(3);
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(run.checkpoints())) {
    left.push_back(entry.path().filename().string());
  }
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"mine", "step-000000002", "step-000000007",
                                            "step-000000008", "step-000000009"}));
}

TEST(RunFolder, BestNamesACheckpointOfTheRunAndIsNotPruned) {
  const ScratchFolder folder;
  const RunFolder run(folder.path());
  EXPECT_EQ(run.BestCheckpoint(), std::nullopt);
  run.SetBest(RunFolder::CheckpointName(1));
  EXPECT_EQ(run.BestCheckpoint(), std::nullopt);  // it is not there
  for (int step = 0; step < 5; ++step) {
    std::filesystem::create_directories(run.checkpoints() / RunFolder::CheckpointName(step));
  }
  EXPECT_EQ(run.BestCheckpoint(), run.checkpoints() / RunFolder::CheckpointName(1));
  run.SetLatest(RunFolder::CheckpointName(4));
  run.PruneCheckpoints(1);
  EXPECT_EQ(run.Checkpoints(),
            (std::vector<std::filesystem::path>{run.checkpoints() / RunFolder::CheckpointName(1),
                                                run.checkpoints() / RunFolder::CheckpointName(4)}));
  std::ofstream(run.best()) << "../elsewhere\n";
  EXPECT_THROW(run.BestCheckpoint(), InputError);
}

TEST(RunLock, TrainingAndRatingDoNotStandInEachOthersWay) {
  const ScratchFolder folder;
  const RunFolder run(folder.path());
  const RunLock training(run);
  const RunLock rating(run, RunWork::kRating);
  try {
    const RunLock second(run, RunWork::kRating);
    FAIL() << "locked twice";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("is being rated already"), std::string::npos) << e.what();
  }
}

TEST(RunLock, OneHolderAtATime) {
  const ScratchFolder folder;
  const RunFolder run(folder.path());
  {
    const RunLock lock(run);
    try {
      const RunLock second(run);
      FAIL() << "locked twice";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("is being trained already by process"),
                std::string::npos)
          << e.what();
    }
  }
  EXPECT_NO_THROW(RunLock{run});
}

TEST(StatusDisplay, SaysWhatMattersInOneLineAndInABlock) {
  TrainingStatus status;
  status.run = "first";
  status.game = "khans";
  status.phase = "self-play";
  status.games = 120;
  status.positions = 4000;
  status.step = 300;
  status.hours = 1.5;
  status.hours_left = 0.25;
  status.policy_loss = 2.125;
  status.value_loss = 0.5;
  for (const std::string& text : {StatusDisplay::Line(status), StatusDisplay::Block(status)}) {
    for (const char* const part : {"self-play", "120", "4000", "300", "policy loss 2.125",
                                   "value loss 0.500", "1 h 30 min", "15 min 00 s left"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
  }
  EXPECT_EQ(StatusDisplay::Line(status).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace khanzero
