// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/report_ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "env/error.h"
#include "model/files.h"

namespace khanzero {

namespace {

using nlohmann::ordered_json;

// An anchor that is known worse than so many times what was asked for is not drawn: it has played a
// few games only, and its line would mislead.
constexpr double kAnchorFactor = 6.0;

// A number or null, whatever else stands there.
ordered_json NumberOf(const ordered_json& player, const char* key) {
  const auto found = player.find(key);
  return found != player.end() && found->is_number() ? *found : ordered_json(nullptr);
}

ordered_json Drawn(const ordered_json& ladder) {
  std::vector<ordered_json> checkpoints;
  ordered_json anchors = ordered_json::array();
  const double asked = ladder.at("asked_error").get<double>();
  for (const ordered_json& player : ladder.at("players")) {
    if (!player.at("elo").is_number()) continue;
    if (player.at("kind") == "checkpoint") {
      checkpoints.push_back(player);
    } else if (player.at("error").get<double>() <= kAnchorFactor * asked) {
      anchors.push_back({{"name", player.at("name").get<std::string>()},
                         {"value", player.at("elo").get<double>()}});
    }
  }
  std::stable_sort(checkpoints.begin(), checkpoints.end(),
                   [](const ordered_json& x, const ordered_json& y) {
                     return x.value("step", int64_t{0}) < y.value("step", int64_t{0});
                   });
  const ordered_json& conditions = ladder.at("conditions");
  const bool by_time = conditions.contains("movetime_ms");
  ordered_json drawn = {
      {"about",
       fmt::format("{} {}, {}", conditions.at(by_time ? "movetime_ms" : "nodes").get<int64_t>(),
                   by_time ? "ms" : "nodes", conditions.at("algorithm").get<std::string>())}};
  drawn["level_error"] = NumberOf(ladder, "level_error");
  ordered_json names = ordered_json::array();
  for (const ordered_json& player : checkpoints) names.push_back(player.at("name"));
  drawn["name"] = std::move(names);
  for (const char* const key : {"games", "hours", "elo", "error"}) {
    ordered_json column = ordered_json::array();
    for (const ordered_json& player : checkpoints) column.push_back(NumberOf(player, key));
    drawn[key] = std::move(column);
  }
  drawn["anchors"] = std::move(anchors);
  drawn["best"] = ladder.at("best");
  return drawn;
}

}  // namespace

ordered_json LadderForReport(const RunFolder& run, std::vector<std::string>& notes) {
  if (!std::filesystem::exists(run.ladder())) return nullptr;
  try {
    return Drawn(ordered_json::parse(ReadFile(run.ladder())));
  } catch (const std::exception& e) {
    notes.push_back("No rating is shown: ladder.json is damaged: " + Printable(e.what()));
    return nullptr;
  }
}

}  // namespace khanzero
