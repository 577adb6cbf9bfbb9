// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/loop_state.h"

#include <nlohmann/json.hpp>

#include "env/error.h"

namespace khanzero {

std::string ToText(const LoopState& state) {
  return nlohmann::json{{"cycle", state.cycle},
                        {"hours", state.hours},
                        {"trained_samples", state.trained_samples},
                        {"last_match", state.last_match}}
      .dump(2);
}

LoopState ParseLoopState(const std::string& text, const std::string& checkpoint) {
  LoopState state;
  try {
    const auto json = nlohmann::json::parse(text);
    json.at("cycle").get_to(state.cycle);
    json.at("hours").get_to(state.hours);
    json.at("trained_samples").get_to(state.trained_samples);
    json.at("last_match").get_to(state.last_match);
  } catch (const nlohmann::json::exception& e) {
    throw InputError("checkpoint '" + checkpoint + "': the loop's state is damaged: " + e.what());
  }
  return state;
}

Config LoopConfig(Config config) {
  if (!config.loop.deterministic) return config;
  const auto use_one = [](const char* key, int& setting) {
    if (setting > 1) {
      throw InputError(std::string("loop.deterministic needs ") + key + " 1, but it is " +
                       std::to_string(setting));
    }
    setting = 1;
  };
  use_one("selfplay.workers", config.selfplay.workers);
  use_one("learner.threads", config.learner.threads);
  if (config.loop.max_hours > 0.0) {
    throw InputError(
        "loop.deterministic needs an end by games, not by the clock: set loop.max_hours to 0 and "
        "loop.max_games to the number of games");
  }
  return config;
}

}  // namespace khanzero
