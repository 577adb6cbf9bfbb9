// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rate of the network with nothing around it: what self-play can reach at best.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mcts/evaluator.h"
#include "model/settings.h"

namespace khanzero {

struct FoldedNetwork;

// What is measured.
struct RawInference {
  std::string game;
  std::shared_ptr<const FoldedNetwork> network;
  InferenceSettings settings;
};

struct RawRate {
  int threads = 0;
  int batch = 0;
  double positions_per_second = 0.0;  // of all threads together
};

// The middle one, or the greater of the two in the middle. REQUIRES: not empty.
double Median(std::vector<double> values);

// The first `count` positions of random games, each with all its legal moves. Throws InputError for
// an unknown game.
EvaluationBatch RandomPositions(const std::string& game, int count, uint64_t seed);

// Positions a second that `threads` threads evaluate together, each with an evaluator and a batch
// of its own, all from the same moment on for `seconds`, and one batch each at least. Throws as
// MakeEvaluator and Evaluate do.
double MeasureRawRate(const RawInference& raw, int threads, int batch, double seconds);

// The same for each batch size, `seconds` for all of them, one after the other and that several
// times over. The best rate of each counts: other work on the machine only takes away.
std::vector<RawRate> SweepBatches(const RawInference& raw, int threads,
                                  const std::vector<int>& batches, double seconds);

// How far the outputs of two settings are apart.
struct OutputDifference {
  double top_move_agreement = 1.0;    // share of positions with the same best move
  double mean_score_error = 0.0;      // of the expected score, 0..1
  double largest_chance_error = 0.0;  // of win, draw or loss
};
// On kComparedPositions positions of the network's own games.
inline constexpr int kComparedPositions = 2000;
OutputDifference CompareOutputs(const RawInference& raw, const InferenceSettings& one,
                                const InferenceSettings& other);

}  // namespace khanzero
