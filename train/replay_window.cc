// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/replay_window.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

namespace khanzero {

int64_t WindowPositions(const LearnerSettings& settings, int64_t total) {
  const auto least = static_cast<double>(settings.window_min_positions);
  const auto made = static_cast<double>(total);
  if (made <= least) return settings.window_min_positions;
  const double e = settings.window_exponent;
  const double grown = settings.window_growth * (std::pow(made, e) - std::pow(least, e)) /
                       (e * std::pow(least, e - 1.0));
  return static_cast<int64_t>(grown + least);
}

std::vector<double> SampleWeights(const ReplayedGame& game, double share) {
  const size_t count = game.samples.size();
  std::vector<double> weights(count, 1.0);
  double sum = 0.0;
  for (const uint8_t surprise : game.surprises) sum += surprise;
  if (share <= 0.0 || sum <= 0.0) return weights;
  for (size_t i = 0; i < count; ++i) {
    weights[i] = 1.0 - share + share * static_cast<double>(count) * game.surprises[i] / sum;
  }
  return weights;
}

bool IsValidationGame(uint64_t id, double share) {
  constexpr uint64_t kParts = 1'000'000;
  return static_cast<double>(Mix64(id ^ 0x76616C6964ULL) % kParts) < share * kParts;
}

void ReplayWindow::Add(ReplayedGame game) {
  const auto count = static_cast<int64_t>(game.samples.size());
  (IsValidationGame(game.id, settings_.validation_share) ? validation_positions_
                                                         : training_positions_) += count;
  bytes_ += game.bytes();
  games_.push_back(std::make_unique<ReplayedGame>(std::move(game)));
  indexed_ = false;
}

void ReplayWindow::Shrink(int64_t positions) {
  while (!games_.empty() && this->positions() > positions) {
    const ReplayedGame& oldest = *games_.front();
    (IsValidationGame(oldest.id, settings_.validation_share) ? validation_positions_
                                                             : training_positions_) -=
        static_cast<int64_t>(oldest.samples.size());
    bytes_ -= oldest.bytes();
    games_.pop_front();
    indexed_ = false;
  }
}

const ReplayedGame* ReplayWindow::DrawStart(uint64_t id, Random& random) const {
  constexpr int kTries = 200;
  const bool validates = IsValidationGame(id, settings_.validation_share);
  for (int i = 0; i < kTries && !games_.empty(); ++i) {
    const ReplayedGame& game = *games_[random.Below(games_.size())];
    if (IsValidationGame(game.id, settings_.validation_share) == validates) return &game;
  }
  return nullptr;
}

void ReplayWindow::Index() {
  if (indexed_) return;
  training_.clear();
  validation_.clear();
  different_training_ = 0;
  training_.reserve(static_cast<size_t>(training_positions_));
  for (const auto& game : games_) {
    if (IsValidationGame(game->id, settings_.validation_share)) {
      for (uint32_t i = 0; i < game->samples.size(); ++i) validation_.push_back({game.get(), i});
      continue;
    }
    const std::vector<double> weights = SampleWeights(*game, settings_.surprise_share);
    for (uint32_t i = 0; i < game->samples.size(); ++i) {
      constexpr double kParts = 1 << 20;
      const auto hash = static_cast<double>(Mix64(game->id + i) % static_cast<uint64_t>(kParts));
      const auto copies = static_cast<size_t>(weights[i] + hash / kParts);
      training_.insert(training_.end(), copies, {game.get(), i});
      different_training_ += copies > 0 ? 1 : 0;
    }
  }
  indexed_ = true;
}

std::vector<SampleRef> ReplayWindow::Draw(Part part, int count, Random& random) {
  Index();
  const std::vector<SampleRef>& all = part == Part::kTraining ? training_ : validation_;
  const size_t different = part == Part::kTraining ? different_training_ : all.size();
  const auto same = [](const SampleRef& a, const SampleRef& b) {
    return a.game == b.game && a.sample == b.sample;
  };
  std::vector<SampleRef> batch;
  if (different <= static_cast<size_t>(count)) {
    std::unique_copy(all.begin(), all.end(), std::back_inserter(batch), same);
    return batch;
  }
  // Positions of one game resemble each other; most batches can do with a few of each.
  constexpr int kFewOfOneGame = 4;
  std::set<std::pair<const ReplayedGame*, uint32_t>> drawn;
  std::unordered_map<const ReplayedGame*, int> of_game;
  int refused = 0;
  while (batch.size() < static_cast<size_t>(count)) {
    const size_t at = random.Below(all.size());
    if (drawn.contains({all[at].game, all[at].sample})) continue;
    // With few games the limit gives way, lest the drawing never ends.
    if (of_game[all[at].game] >= kFewOfOneGame && ++refused < 4 * count) continue;
    drawn.insert({all[at].game, all[at].sample});
    ++of_game[all[at].game];
    batch.push_back(all[at]);
  }
  return batch;
}

}  // namespace khanzero
