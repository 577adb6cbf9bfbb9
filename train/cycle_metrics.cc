// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/cycle_metrics.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "env/error.h"

namespace khanzero {

void CycleMetrics::Count(const GameRecord& game) {
  ++new_games;
  new_positions += static_cast<int64_t>(game.samples.size());
  new_plies += static_cast<int64_t>(game.move_ranks.size());
  white_wins += game.outcome.result == Result::kWhiteWins;
  black_wins += game.outcome.result == Result::kBlackWins;
  draws += game.outcome.result == Result::kDraw;
  ++endings[std::string(Text(game.outcome.reason))];
}

void CycleMetrics::AppendTo(const std::filesystem::path& path) const {
  const auto rate = [](int64_t count, double seconds) {
    return seconds > 0.0 ? static_cast<double>(count) / seconds : 0.0;
  };
  nlohmann::ordered_json line = {
      {"cycle", cycle},
      {"hours", hours},
      {"step", step},
      {"games", games},
      {"positions", positions},
      {"window_positions", window_positions},
      {"window_bytes", window_bytes},
      {"self_play",
       {{"seconds", self_play_seconds},
        {"games", new_games},
        {"positions", new_positions},
        {"plies", new_plies},
        {"white_wins", white_wins},
        {"black_wins", black_wins},
        {"draws", draws},
        {"endings", endings},
        {"evaluations_per_second", rate(evaluations, self_play_seconds)}}},
      {"learner",
       {{"seconds", learner_seconds},
        {"steps", training.steps},
        {"skipped_steps", training.skipped_steps},
        {"samples_per_second", rate(training.samples, learner_seconds)},
        {"policy_loss", training.policy_loss},
        {"value_loss", training.value_loss},
        {"policy_entropy", training.policy_entropy},
        {"gradient_norm", training.gradient_norm},
        {"learning_rate", training.learning_rate}}},
      {"validation",
       {{"samples", validation.samples},
        {"policy_loss", validation.policy_loss},
        {"value_loss", validation.value_loss},
        {"top_move_agreement", validation.top_move_agreement}}},
      {"damaged_games", damaged_games}};
  for (const auto& [opponent, score] : scores) line["scores"][opponent] = score;
  // One write of a whole line: a reader sees it or not.
  const std::string text = line.dump() + "\n";
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.flush();
  if (!file) {
    throw RuntimeFailure("cannot write '" + path.string() + "': " + std::strerror(errno));
  }
}

}  // namespace khanzero
