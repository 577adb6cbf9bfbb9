// SPDX-License-Identifier: GPL-3.0-or-later
//
// Players from their specs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "env/game_info.h"
#include "model/inference.h"
#include "play/alpha_beta.h"
#include "play/baseline_players.h"
#include "play/network_player.h"
#include "play/player_spec.h"

namespace khanzero {

// Makes one player for each thread that wants one; they share the network's weights.
template <Game G>
using PlayerFactory = std::function<std::unique_ptr<Player<G>>()>;

// Reads `spec` (see kPlayerForms) and loads what it names. Throws InputError for a bad spec, for a
// checkpoint that is missing, damaged or of another game, and for a device this machine has not.
template <Game G>
PlayerFactory<G> MakePlayerFactory(const std::string& spec, const PlayerSettings& settings) {
  const PlayerSpec parsed = ParsePlayerSpec(spec);
  switch (parsed.kind) {
    case PlayerKind::kRandom:
      return [parsed] { return std::make_unique<RandomPlayer<G>>(parsed.name); };
    case PlayerKind::kGreedy:
      return [parsed] { return std::make_unique<GreedyPlayer<G>>(parsed.name); };
    case PlayerKind::kAlphaBeta:
      return [parsed] { return std::make_unique<AlphaBetaPlayer<G>>(parsed.name, parsed.depth); };
    case PlayerKind::kCheckpoint:
      break;
  }
  const GameInfo info = InfoOf<G>();
  std::shared_ptr<const FoldedNetwork> network =
      LoadFoldedNetwork(parsed.checkpoint.string(), &info);
  return [parsed, settings, network] {
    return std::make_unique<NetworkPlayer<G>>(parsed.name,
                                              MakeEvaluator(network, settings.inference), settings);
  };
}

// The same for one player.
template <Game G>
std::unique_ptr<Player<G>> MakePlayer(const std::string& spec, const PlayerSettings& settings) {
  return MakePlayerFactory<G>(spec, settings)();
}

}  // namespace khanzero
