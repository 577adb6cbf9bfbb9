// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/replay_window.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace khanzero {
namespace {

ReplayedGame GameOf(uint64_t id, int samples) {
  ReplayedGame game;
  game.id = id;
  for (int i = 0; i < samples; ++i) {
    game.samples.push_back({.ply = static_cast<uint16_t>(i), .target_end = 0});
  }
  return game;
}

LearnerSettings Settings() {
  LearnerSettings settings;
  settings.window_min_positions = 1000;
  settings.validation_share = 0.2;
  return settings;
}

TEST(ReplayWindow, GrowsByTheFormula) {
  const LearnerSettings settings = Settings();
  EXPECT_EQ(WindowPositions(settings, 0), 1000);
  EXPECT_EQ(WindowPositions(settings, 1000), 1000);
  // w (N^e - M^e) / (e M^(e-1)) + M for w 0.4, e 0.65, M 1000, N 100000:
  // 0.4 (1778.279 - 89.125) / (0.65 x 0.0891251) + 1000.
  EXPECT_NEAR(static_cast<double>(WindowPositions(settings, 100'000)), 12663.0, 15.0);
  int64_t before = 0;
  for (int64_t total = 0; total < 1'000'000; total += 9973) {
    const int64_t size = WindowPositions(settings, total);
    EXPECT_GE(size, before);
    EXPECT_LE(size, std::max<int64_t>(1000, total));
    before = size;
  }
}

// A game that will be for validation starts from validation games only, and the other way round.
TEST(ReplayWindow, StartsAreOfTheSamePart) {
  ReplayWindow window(Settings());
  Random random(1);
  EXPECT_EQ(window.DrawStart(0, random), nullptr);
  for (uint64_t id = 0; id < 40; ++id) window.Add(GameOf(id, 10));
  std::set<uint64_t> drawn;
  for (uint64_t id = 1000; id < 1400; ++id) {
    const ReplayedGame* const start = window.DrawStart(id, random);
    ASSERT_NE(start, nullptr);
    EXPECT_EQ(IsValidationGame(start->id, 0.2), IsValidationGame(id, 0.2));
    drawn.insert(start->id);
  }
  EXPECT_GE(drawn.size(), 38U);
}

TEST(ReplayWindow, OldGamesLeave) {
  ReplayWindow window(Settings());
  // Three windows' worth: only the newest is left.
  for (uint64_t id = 0; id < 300; ++id) {
    window.Add(GameOf(id, 10));
    window.Shrink(1000);
  }
  EXPECT_EQ(window.positions(), 1000);
  EXPECT_EQ(window.games(), 100U);
  Random random(1);
  for (const SampleRef& ref : window.Draw(ReplayWindow::Part::kTraining, 5000, random)) {
    EXPECT_GE(ref.game->id, 200U);
  }
  const size_t bytes = window.bytes();
  window.Shrink(0);
  EXPECT_GT(bytes, 0U);
  EXPECT_EQ(window.bytes(), 0U);
  EXPECT_EQ(window.positions(), 0);
}

TEST(ReplayWindow, ValidationGamesAreNeverTrainedOn) {
  ReplayWindow window(Settings());
  for (uint64_t id = 0; id < 400; ++id) window.Add(GameOf(id, 5));
  EXPECT_EQ(window.training_positions() + window.validation_positions(), 2000);
  EXPECT_NEAR(static_cast<double>(window.validation_positions()) / 2000.0, 0.2, 0.06);
  Random random(1);
  std::set<uint64_t> trained;
  std::set<uint64_t> validated;
  for (const SampleRef& r : window.Draw(ReplayWindow::Part::kTraining, 100'000, random)) {
    trained.insert(r.game->id);
  }
  for (const SampleRef& r : window.Draw(ReplayWindow::Part::kValidation, 100'000, random)) {
    validated.insert(r.game->id);
  }
  EXPECT_EQ(trained.size() + validated.size(), 400U);
  for (const uint64_t id : validated) EXPECT_FALSE(trained.contains(id));
}

TEST(ReplayWindow, TheSplitStaysWhenTheWindowMoves) {
  for (uint64_t id = 0; id < 1000; ++id) {
    const bool validation = IsValidationGame(id, 0.1);
    EXPECT_EQ(IsValidationGame(id, 0.1), validation);
    // A larger share takes more games, never other ones.
    if (validation) {
      EXPECT_TRUE(IsValidationGame(id, 0.2));
    }
  }
  EXPECT_FALSE(IsValidationGame(5, 0.0));
}

TEST(ReplayWindow, NoPositionTwiceAndFewOfOneGame) {
  LearnerSettings settings = Settings();
  settings.validation_share = 0.0;
  ReplayWindow window(settings);
  for (uint64_t id = 0; id < 200; ++id) window.Add(GameOf(id, 60));
  Random random(1);
  for (int batch = 0; batch < 20; ++batch) {
    std::set<std::pair<const ReplayedGame*, uint32_t>> seen;
    std::map<const ReplayedGame*, int> of_game;
    const auto drawn = window.Draw(ReplayWindow::Part::kTraining, 256, random);
    ASSERT_EQ(drawn.size(), 256U);
    for (const SampleRef& r : drawn) {
      EXPECT_TRUE(seen.insert({r.game, r.sample}).second);
      EXPECT_LE(++of_game[r.game], 4);
    }
  }
}

TEST(ReplayWindow, FewGamesStillFillABatch) {
  LearnerSettings settings = Settings();
  settings.validation_share = 0.0;
  ReplayWindow window(settings);
  window.Add(GameOf(1, 500));
  Random random(1);
  EXPECT_EQ(window.Draw(ReplayWindow::Part::kTraining, 256, random).size(), 256U);
  // Never more than there is.
  EXPECT_EQ(window.Draw(ReplayWindow::Part::kTraining, 5000, random).size(), 500U);
}

TEST(ReplayWindow, TheSameSeedDrawsTheSame) {
  ReplayWindow window(Settings());
  for (uint64_t id = 0; id < 100; ++id) window.Add(GameOf(id, 30));
  Random a(5);
  Random b(5);
  for (int i = 0; i < 5; ++i) {
    const auto first = window.Draw(ReplayWindow::Part::kTraining, 64, a);
    const auto second = window.Draw(ReplayWindow::Part::kTraining, 64, b);
    for (size_t k = 0; k < first.size(); ++k) {
      EXPECT_EQ(first[k].game, second[k].game);
      EXPECT_EQ(first[k].sample, second[k].sample);
    }
  }
}

TEST(ReplayWindow, SurprisesShareOutAGame) {
  ReplayedGame game = GameOf(1, 4);
  game.surprises = {0, 10, 30, 0};
  const std::vector<double> weights = SampleWeights(game, 0.5);
  EXPECT_DOUBLE_EQ(weights[0], 0.5);
  EXPECT_DOUBLE_EQ(weights[1], 0.5 + 0.5);
  EXPECT_DOUBLE_EQ(weights[2], 0.5 + 1.5);
  EXPECT_DOUBLE_EQ(weights[0] + weights[1] + weights[2] + weights[3], 4.0);
  // Without a surprise anywhere, or without a share for it, all count the same.
  for (const double w : SampleWeights(game, 0.0)) EXPECT_EQ(w, 1.0);
  game.surprises = {0, 0, 0, 0};
  for (const double w : SampleWeights(game, 0.5)) EXPECT_EQ(w, 1.0);
}

TEST(ReplayWindow, SurprisingPositionsAreDrawnMoreOften) {
  LearnerSettings settings = Settings();
  settings.validation_share = 0.0;
  settings.surprise_share = 0.5;
  ReplayWindow window(settings);
  for (uint64_t id = 0; id < 400; ++id) {
    ReplayedGame game = GameOf(Mix64(id), 4);
    game.surprises = {0, 10, 30, 0};
    window.Add(std::move(game));
  }
  Random random(3);
  std::map<uint32_t, int> count;
  for (int batch = 0; batch < 400; ++batch) {
    std::set<std::pair<const ReplayedGame*, uint32_t>> different;
    for (const SampleRef& ref : window.Draw(ReplayWindow::Part::kTraining, 64, random)) {
      ++count[ref.sample];
      different.insert({ref.game, ref.sample});
    }
    EXPECT_EQ(different.size(), 64U);  // no position twice in a batch
  }
  EXPECT_NEAR(count[1] / static_cast<double>(count[0]), 2.0, 0.25);
  EXPECT_NEAR(count[2] / static_cast<double>(count[0]), 4.0, 0.5);
  EXPECT_NEAR(count[3] / static_cast<double>(count[0]), 1.0, 0.15);
}

}  // namespace
}  // namespace khanzero
