// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/weights.h"

#include <optional>

#include "env/error.h"
#include "env/games.h"
#include "model/load_network.h"

namespace khanzero {

ChosenNetwork ChooseNetwork(const std::string& weights, const std::string& game) {
  if (!weights.empty()) {
    const std::filesystem::path path = FindCheckpoint(weights);
    return {.path = path, .game = game.empty() ? ReadNetworkInfo(path).game.name : game};
  }
  if (game.empty()) {
    throw InputError("either --weights or --game is needed; the games are " + GameNamesText());
  }
  const std::optional<std::filesystem::path> found = DefaultWeights(game);
  if (!found) throw InputError(NoDefaultWeightsText(game) + " with --weights");
  return {.path = *found, .game = game};
}

}  // namespace khanzero
