// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/activation_ranges.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "env/error.h"

namespace khanzero {
namespace {

// Layers of the tower come first in convolutions().
std::vector<std::string> LayerNames(const FoldedNetwork& network) {
  std::vector<std::string> names;
  const auto convolutions = network.convolutions();
  for (size_t i = 0; i < 1 + 2 * network.blocks.size(); ++i) names.push_back(convolutions[i].first);
  return names;
}

}  // namespace

std::string SerializeActivationRanges(const FoldedNetwork& network) {
  Check(network.calibrated(), "a network is calibrated before its ranges are written");
  nlohmann::json json;
  const std::vector<std::string> names = LayerNames(network);
  for (size_t i = 0; i < names.size(); ++i) json[names[i]] = network.activation_ranges[i];
  return json.dump() + "\n";
}

void ParseActivationRanges(const std::string& text, const std::string& source,
                           FoldedNetwork& network) {
  const auto damaged = [&](const std::string& why) {
    return InputError(source + " is damaged: " + why);
  };
  std::vector<std::vector<float>> ranges;
  try {
    // The parser's own message would quote the text, which may come from a stranger's file.
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) throw damaged("it is no JSON object");
    const std::vector<std::string> names = LayerNames(network);
    for (const std::string& name : names) {
      ranges.push_back(json.at(name).get<std::vector<float>>());
      if (ranges.back().size() != static_cast<size_t>(network.settings.channels)) {
        throw damaged("layer '" + name + "' has " + std::to_string(ranges.back().size()) +
                      " channels instead of " + std::to_string(network.settings.channels));
      }
      for (const float range : ranges.back()) {
        if (!std::isfinite(range) || range < 0.0F) {
          throw damaged("a range of layer '" + name + "' is no number from 0 up");
        }
      }
    }
    if (json.size() != names.size()) throw damaged("it has layers that the network has not");
  } catch (const nlohmann::json::exception& e) {
    throw damaged(e.what());
  }
  network.activation_ranges = std::move(ranges);
}

}  // namespace khanzero
