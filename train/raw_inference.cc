// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/raw_inference.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <future>

#include "env/games.h"
#include "model/inference.h"
#include "play/self_calibration.h"

namespace khanzero {

namespace {

constexpr int kSweeps = 3;

}  // namespace

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

EvaluationBatch RandomPositions(const std::string& game, int count, uint64_t seed) {
  return WithGame(game, [&]<class G>() {
    EvaluationBatch batch(InfoOf<G>().shape);
    Random random(seed);
    typename G::Moves moves;
    std::vector<uint16_t> indices;
    while (batch.size() < count) {
      auto position = G::Position::Start();
      while (batch.size() < count && !position.ComputeOutcome().over()) {
        position.LegalMoves(moves);
        indices.clear();
        for (const Move& move : moves) indices.push_back(G::PolicyIndex(position, move));
        G::Encode(position, batch.Add(indices));
        position.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
      }
    }
    return batch;
  });
}

double MeasureRawRate(const RawInference& raw, int threads, int batch, double seconds) {
  using Clock = std::chrono::steady_clock;
  std::barrier ready(threads);
  const auto measure = [&] {
    std::unique_ptr<Evaluator> evaluator;
    EvaluationBatch positions = RandomPositions(raw.game, batch, 1);
    try {
      evaluator = MakeEvaluator(raw.network, raw.settings);
      evaluator->Evaluate(positions);  // plans and memory are made once
    } catch (...) {
      ready.arrive_and_drop();  // nobody waits for a thread that failed
      throw;
    }
    ready.arrive_and_wait();
    const Clock::time_point start = Clock::now();
    int64_t count = 0;
    double elapsed = 0.0;
    do {
      evaluator->Evaluate(positions);
      count += batch;
      elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    } while (elapsed < seconds);
    return static_cast<double>(count) / elapsed;
  };
  std::vector<std::future<double>> rates;
  for (int t = 0; t < threads; ++t) rates.push_back(std::async(std::launch::async, measure));
  double sum = 0.0;
  for (std::future<double>& rate : rates) sum += rate.get();
  return sum;
}

std::vector<RawRate> SweepBatches(const RawInference& raw, int threads,
                                  const std::vector<int>& batches, double seconds) {
  const double each = seconds / (kSweeps * static_cast<double>(batches.size()));
  std::vector<RawRate> rates;
  for (const int batch : batches) rates.push_back({.threads = threads, .batch = batch});
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (RawRate& rate : rates) {
      rate.positions_per_second =
          std::max(rate.positions_per_second, MeasureRawRate(raw, threads, rate.batch, each));
    }
  }
  return rates;
}

OutputDifference CompareOutputs(const RawInference& raw, const InferenceSettings& one_way,
                                const InferenceSettings& other) {
  EvaluationBatch one = SelfPlayPositions(raw.network, raw.game, kComparedPositions, 2);
  EvaluationBatch two = one;
  // In a thread of its own: evaluating leaves its thread with one thread of LibTorch.
  std::async(std::launch::async, [&] {
    MakeEvaluator(raw.network, one_way)->Evaluate(one);
    MakeEvaluator(raw.network, other)->Evaluate(two);
  }).get();
  const auto top = [](const EvaluationBatch& batch, int i) {
    const auto logits = batch.logits(i);
    return std::max_element(logits.begin(), logits.end()) - logits.begin();
  };
  OutputDifference difference;
  int agree = 0;
  for (int i = 0; i < kComparedPositions; ++i) {
    agree += top(one, i) == top(two, i);
    const Wdl& a = one.wdl(i);
    const Wdl& b = two.wdl(i);
    const double score = (a.win - b.win) + 0.5 * (a.draw - b.draw);
    difference.mean_score_error += std::abs(score) / kComparedPositions;
    for (const float error : {a.win - b.win, a.draw - b.draw, a.loss - b.loss}) {
      difference.largest_chance_error =
          std::max(difference.largest_chance_error, static_cast<double>(std::abs(error)));
    }
  }
  difference.top_move_agreement = static_cast<double>(agree) / kComparedPositions;
  return difference;
}

}  // namespace khanzero
