// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/cycle_metrics.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "env/error.h"

namespace khanzero {

namespace {

// Whether the last line of a file was not written to its end.
bool HasTornLine(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() <= 0) return false;
  file.seekg(-1, std::ios::end);
  return file.get() != '\n';
}

}  // namespace

void CycleMetrics::AppendTo(const std::filesystem::path& path) const {
  const auto rate = [](int64_t count, double seconds) {
    return seconds > 0.0 ? static_cast<double>(count) / seconds : 0.0;
  };
  const auto share = [](int64_t part, int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
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
        {"simulations", simulations},
        {"games", new_games},
        {"positions", new_positions},
        {"policy_positions", new_policy_positions},
        {"plies", new_plies},
        {"white_wins", white_wins},
        {"black_wins", black_wins},
        {"draws", draws},
        {"endings", endings},
        {"white_score", white_score()},
        {"capped_share", share(capped_games, new_games)},
        {"mean_plies", share(new_plies, new_games)},
        {"unique_openings", openings.size()},
        {"earlier_starts", earlier_starts},
        {"waiting_share", waiting_share},
        {"evaluations_per_second", rate(evaluations, self_play_seconds)}}},
      {"learner",
       {{"seconds", learner_seconds},
        {"steps", training.steps},
        {"returns", training.returns},
        {"reuse", reuse},
        {"waiting_share", learner_waiting_share()},
        {"samples_per_second", rate(training.samples, learner_seconds)},
        {"policy_loss", training.loss.policy},
        {"value_loss", training.loss.value},
        {"reply_loss", training.loss.reply},
        {"survival_loss", training.loss.survival},
        {"moves_left_loss", training.loss.moves_left},
        {"policy_entropy", training.policy_entropy},
        {"gradient_norm", training.gradient_norm},
        {"learning_rate", training.learning_rate}}},
      {"validation",
       {{"samples", validation.samples},
        {"policy_loss", validation.loss.policy},
        {"value_loss", validation.loss.value},
        {"reply_loss", validation.loss.reply},
        {"survival_loss", validation.loss.survival},
        {"moves_left_loss", validation.loss.moves_left},
        {"policy_entropy", validation.policy_entropy},
        {"policy_divergence", validation.policy_divergence},
        {"calibration_error", validation.calibration_error},
        {"top_move_agreement", validation.top_move_agreement}}},
      {"health",
       {{"search_divergence", search_gap.divergence}, {"search_agreement", search_gap.agreement}}},
      {"alarms", alarms},
      {"damaged_games", damaged_games}};
  for (const auto& [opponent, score] : scores) line["scores"][opponent] = score;
  if (ladder) {
    line["ladder"] = {{"elo", ladder->elo}, {"error", ladder->error}, {"games", ladder->games}};
  }
  if (actors) {
    line["actors"] = {{"alive", actors->alive},
                      {"games", actors->games},
                      {"games_per_second", actors->games_per_second},
                      {"duplicates", actors->duplicates},
                      {"refused", actors->refused},
                      {"stream_batches", actors->stream_batches},
                      {"stream_bytes", actors->stream_bytes},
                      {"lag_seconds", actors->lag_seconds}};
  }
  // One write of a whole line: a reader sees it or not. What a killed process left of a line is
  // ended first, so that only that one is lost.
  std::string text = line.dump() + "\n";
  if (HasTornLine(path)) text.insert(0, "\n");
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.flush();
  if (!file) {
    throw RuntimeFailure("cannot write '" + path.string() + "': " + std::strerror(errno));
  }
}

}  // namespace khanzero
