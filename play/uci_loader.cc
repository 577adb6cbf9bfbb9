// SPDX-License-Identifier: GPL-3.0-or-later
//
// The engine's networks. Apart from the engine, which needs no LibTorch.
#include "model/inference.h"
#include "play/default_weights.h"
#include "play/uci.h"

namespace khanzero {

EvaluatorLoader NetworkLoader(const InferenceSettings& settings) {
  return [settings](const std::string& path, const GameInfo& game, int threads) {
    const std::shared_ptr<const FoldedNetwork> network =
        LoadFoldedNetwork(FindWeights(path).string(), &game);
    std::vector<std::unique_ptr<Evaluator>> evaluators;
    for (int i = 0; i < threads; ++i) evaluators.push_back(MakeEvaluator(network, settings));
    return evaluators;
  };
}

}  // namespace khanzero
