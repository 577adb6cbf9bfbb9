// SPDX-License-Identifier: GPL-3.0-or-later
//
// Players from their specs.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <system_error>

#include "env/game_info.h"
#include "model/inference.h"
#include "play/alpha_beta.h"
#include "play/baseline_players.h"
#include "play/network_player.h"
#include "play/player_spec.h"
#include "play/self_calibration.h"
#include "play/uci_player.h"

namespace khanzero {

// Makes one player for each thread that wants one; they share the network's weights.
template <Game G>
using PlayerFactory = std::function<std::unique_ptr<Player<G>>()>;

// Reads `spec` (see kPlayerForms) and loads what it names. Throws InputError for a bad spec, for a
// checkpoint that is missing, damaged or of another game, and for a device this machine has not.
// An engine is started when its player is made, which throws as UciClient does.
template <Game G>
PlayerFactory<G> MakePlayerFactory(const std::string& spec, const PlayerSettings& settings,
                                   const GameSettings& game = {}) {
  const PlayerSpec parsed = ParsePlayerSpec(spec);
  switch (parsed.kind) {
    case PlayerKind::kRandom:
      return [parsed] { return std::make_unique<RandomPlayer<G>>(parsed.name); };
    case PlayerKind::kGreedy:
      return [parsed] { return std::make_unique<GreedyPlayer<G>>(parsed.name); };
    case PlayerKind::kAlphaBeta:
      return [parsed] { return std::make_unique<AlphaBetaPlayer<G>>(parsed.name, parsed.depth); };
    case PlayerKind::kUci:
      return [parsed, settings, game] {
        return std::make_unique<UciPlayer<G>>(parsed.name, parsed.command, game, settings);
      };
    case PlayerKind::kCheckpoint:
      break;
  }
  const GameInfo info = InfoOf<G>();
  std::shared_ptr<const FoldedNetwork> network =
      LoadNetworkForPlay(parsed.checkpoint.string(), info, settings.inference);
  return [parsed, settings, network] {
    return std::make_unique<NetworkPlayer<G>>(parsed.name,
                                              MakeEvaluator(network, settings.inference), settings);
  };
}

// The same for one player.
template <Game G>
std::unique_ptr<Player<G>> MakePlayer(const std::string& spec, const PlayerSettings& settings,
                                      const GameSettings& game = {}) {
  return MakePlayerFactory<G>(spec, settings, game)();
}

// The two players of a match, for one thread.
template <Game G>
struct PlayerPair {
  std::unique_ptr<Player<G>> first;
  std::unique_ptr<Player<G>> second;  // null: `first` plays both sides, by each turn's `side`
};
template <Game G>
using PairFactory = std::function<PlayerPair<G>()>;

// As MakePlayerFactory, for both. Two networks that are the same share one evaluator and its
// batches, whatever the settings of their searches.
template <Game G, class TwoContestants>
PairFactory<G> MakePairFactory(const TwoContestants& players, const GameSettings& game) {
  const auto& [a, b] = players;
  const std::array settings = {a.settings, b.settings};
  const bool alike = a.settings.inference == b.settings.inference &&
                     a.settings.leaves_per_search == b.settings.leaves_per_search;
  if (a.evaluator != nullptr && a.evaluator == b.evaluator && alike) {
    return [settings, evaluator = a.evaluator] {
      return PlayerPair<G>{std::make_unique<NetworkPlayer<G>>("network", *evaluator, settings), {}};
    };
  }
  if (a.evaluator == nullptr && b.evaluator == nullptr && alike) {
    const PlayerSpec first = ParsePlayerSpec(a.spec);
    const PlayerSpec second = ParsePlayerSpec(b.spec);
    std::error_code error;
    if (first.kind == PlayerKind::kCheckpoint && second.kind == PlayerKind::kCheckpoint &&
        std::filesystem::equivalent(first.checkpoint, second.checkpoint, error) && !error) {
      const GameInfo info = InfoOf<G>();
      std::shared_ptr<const FoldedNetwork> network =
          LoadNetworkForPlay(first.checkpoint.string(), info, settings[0].inference);
      return [settings, network, name = first.name] {
        return PlayerPair<G>{std::make_unique<NetworkPlayer<G>>(
                                 name, MakeEvaluator(network, settings[0].inference), settings),
                             {}};
      };
    }
  }
  const auto factory_of = [&game](const auto& c) -> PlayerFactory<G> {
    if (c.evaluator == nullptr) return MakePlayerFactory<G>(c.spec, c.settings, game);
    return [settings_of_c = c.settings, evaluator = c.evaluator] {
      return MakeNetworkPlayer<G>("network", *evaluator, settings_of_c);
    };
  };
  return [first = factory_of(a), second = factory_of(b)] {
    return PlayerPair<G>{first(), second()};
  };
}

}  // namespace khanzero
