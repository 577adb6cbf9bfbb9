// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/self_calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "env/games.h"
#include "env/random.h"
#include "model/folded_network.h"
#include "model/inference.h"

namespace khanzero {
namespace {

constexpr int kCalibrationPositions = 512;
constexpr int kGamesAtOnce = 16;
// Neighbours in a game are alike.
constexpr int kPliesBetween = 4;

// An index by the chances that the logits stand for.
int SampleMove(std::span<const float> logits, Random& random) {
  const float largest = std::ranges::max(logits);
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - largest));
  double left = random.Uniform() * sum;
  for (size_t m = 0; m + 1 < logits.size(); ++m) {
    left -= std::exp(static_cast<double>(logits[m] - largest));
    if (left < 0.0) return static_cast<int>(m);
  }
  return static_cast<int>(logits.size()) - 1;
}

template <class G>
EvaluationBatch PlayByPolicy(Evaluator& evaluator, int count, uint64_t seed) {
  Random random(seed);
  EvaluationBatch kept(evaluator.shape());
  EvaluationBatch batch(evaluator.shape());
  std::vector<typename G::Position> games(kGamesAtOnce, G::Position::Start());
  std::vector<typename G::Moves> moves(games.size());
  std::vector<uint16_t> indices;
  for (int ply = 0; kept.size() < count; ++ply) {
    batch.Clear();
    for (size_t g = 0; g < games.size(); ++g) {
      if (games[g].ComputeOutcome().over()) games[g] = G::Position::Start();
      games[g].LegalMoves(moves[g]);
      indices.clear();
      for (const Move& move : moves[g]) indices.push_back(G::PolicyIndex(games[g], move));
      const std::span<float> planes = batch.Add(indices);
      G::Encode(games[g], planes);
      if (ply % kPliesBetween == 0 && kept.size() < count) {
        std::ranges::copy(planes, kept.Add(indices).begin());
      }
    }
    evaluator.Evaluate(batch);
    for (size_t g = 0; g < games.size(); ++g) {
      const int move = SampleMove(std::as_const(batch).logits(static_cast<int>(g)), random);
      games[g].Play(moves[g][move]);
    }
  }
  return kept;
}

}  // namespace

EvaluationBatch SelfPlayPositions(const std::shared_ptr<const FoldedNetwork>& network,
                                  const std::string& game, int count, uint64_t seed) {
  const auto evaluator = MakeEvaluator(network, {.precision = Precision::kFp32, .device = "cpu"});
  return WithGame(game, [&]<class G>() { return PlayByPolicy<G>(*evaluator, count, seed); });
}

std::shared_ptr<const FoldedNetwork> Calibrated(std::shared_ptr<const FoldedNetwork> network,
                                                const std::string& game) {
  if (network->calibrated()) return network;
  const EvaluationBatch positions =
      SelfPlayPositions(network, game, kCalibrationPositions, /*seed=*/1);
  return Calibrate(*network, positions.planes());
}

std::shared_ptr<const FoldedNetwork> CalibratedForPlay(std::shared_ptr<const FoldedNetwork> network,
                                                       const std::string& game,
                                                       const InferenceSettings& settings) {
  return NeedsCalibration(settings) ? Calibrated(std::move(network), game) : network;
}

std::shared_ptr<const FoldedNetwork> LoadNetworkForPlay(const std::string& path,
                                                        const GameInfo& game,
                                                        const InferenceSettings& settings) {
  return CalibratedForPlay(LoadFoldedNetwork(path, &game), game.name, settings);
}

}  // namespace khanzero
