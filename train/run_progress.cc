// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/run_progress.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "env/error.h"
#include "model/files.h"

namespace khanzero {

double ProgressOf(const LoopSettings& loop, const RunSpent& spent) {
  double progress = 0.0;
  if (loop.max_hours > 0.0) progress = spent.hours / loop.max_hours;
  if (loop.max_games > 0) {
    progress =
        std::max(progress, static_cast<double>(spent.games) / static_cast<double>(loop.max_games));
  }
  return std::min(1.0, progress);
}

std::optional<double> HoursLeft(const LoopSettings& loop, const RunSpent& spent) {
  if (loop.max_hours > 0.0 && loop.max_games == 0) {
    return std::max(0.0, loop.max_hours - spent.hours);
  }
  const double progress = ProgressOf(loop, spent);
  if (progress <= 0.0) return std::nullopt;
  return spent.hours * (1.0 - progress) / progress;
}

int SimulationsAt(const Config& config, const RunSpent& spent) {
  const SelfPlaySettings& settings = config.selfplay;
  const int full = config.search.simulations;
  if (settings.simulations_start == 0) return full;
  const double grown = settings.simulations_grow_games > 0
                           ? std::min(1.0, static_cast<double>(spent.games) /
                                               static_cast<double>(settings.simulations_grow_games))
                           : ProgressOf(config.loop, spent);
  const double ratio = static_cast<double>(full) / settings.simulations_start;
  return static_cast<int>(std::lround(settings.simulations_start * std::pow(ratio, grown)));
}

std::optional<double> HoursOf(const std::filesystem::path& checkpoint) {
  const std::filesystem::path file = checkpoint / "loop.json";
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    const auto state = nlohmann::json::parse(ReadFile(file));
    if (!state.contains("hours")) return std::nullopt;
    return state.at("hours").get<double>();
  } catch (const nlohmann::json::exception& e) {
    throw InputError("'" + file.string() + "' is damaged: " + e.what());
  }
}

}  // namespace khanzero
