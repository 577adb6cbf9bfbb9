// SPDX-License-Identifier: GPL-3.0-or-later
//
// Networks ready to play, and the positions they meet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "env/game_info.h"
#include "mcts/evaluator.h"
#include "model/settings.h"

namespace khanzero {

struct FoldedNetwork;

// `count` positions, with all their legal moves, of games that the network plays against itself by
// its policy alone (every fourth position of several games at once). Throws as Evaluate does.
EvaluationBatch SelfPlayPositions(const std::shared_ptr<const FoldedNetwork>& network,
                                  const std::string& game, int count, uint64_t seed);

// The network, calibrated on positions of its own play where it is not calibrated.
std::shared_ptr<const FoldedNetwork> Calibrated(std::shared_ptr<const FoldedNetwork> network,
                                                const std::string& game);

// The same where `settings` can make use of it (see NeedsCalibration).
std::shared_ptr<const FoldedNetwork> CalibratedForPlay(std::shared_ptr<const FoldedNetwork> network,
                                                       const std::string& game,
                                                       const InferenceSettings& settings);

// LoadFoldedNetwork, then CalibratedForPlay. Throws as both do.
std::shared_ptr<const FoldedNetwork> LoadNetworkForPlay(const std::string& path,
                                                        const GameInfo& game,
                                                        const InferenceSettings& settings);

}  // namespace khanzero
