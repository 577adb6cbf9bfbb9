// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/onednn_evaluator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "env/error.h"
#include "model/inference.h"
#include "model/policy_rows.h"

namespace khanzero {
namespace {

// Each a power of two, so that every number of positions is a sum of them. Larger parts are not
// faster: their activations leave the cache.
constexpr std::array kPartSizes = {16, 8, 4, 2, 1};

}  // namespace

OneDnnEvaluator::OneDnnEvaluator(std::shared_ptr<const FoldedNetwork> network, Precision precision)
    : network_(std::move(network)) {
  UseOneThread();
  const auto weights = MakeOneDnnWeights();
  for (const int size : kPartSizes) towers_.emplace_back(*network_, precision, size, weights);
}

void OneDnnEvaluator::Evaluate(EvaluationBatch& batch) {
  Check(batch.shape() == shape(), "shape of an evaluation batch");
  batch.PrepareOutputs();
  UseOneThread();
  int done = 0;
  for (OneDnnTower& tower : towers_) {
    for (; batch.size() - done >= tower.positions(); done += tower.positions()) {
      const auto begin = static_cast<size_t>(done) * static_cast<size_t>(shape().input_size());
      tower.Run(std::as_const(batch).planes().subspan(begin).data());
      FillOutputs(tower, done, batch);
    }
  }
}

void OneDnnEvaluator::FillOutputs(const OneDnnTower& tower, int first,
                                  EvaluationBatch& batch) const {
  const auto count = static_cast<size_t>(tower.positions());
  const std::span<const float> policy = tower.policy_features();
  const std::span<const float> value = tower.value_features();
  const size_t policy_size = policy.size() / count;
  const size_t value_size = value.size() / count;
  for (size_t i = 0; i < count; ++i) {
    const int position = first + static_cast<int>(i);
    FillLogits(network_->policy_out, policy.subspan(i * policy_size, policy_size), position, batch);
    batch.mutable_wdl(position) =
        WdlOf(network_->value_out, value.subspan(i * value_size, value_size));
  }
}

std::shared_ptr<const FoldedNetwork> Calibrate(const FoldedNetwork& network,
                                               std::span<const float> planes) {
  const auto input_size = static_cast<size_t>(network.shape.input_size());
  Check(!planes.empty() && planes.size() % input_size == 0, "positions to calibrate on");
  auto calibrated = std::make_shared<FoldedNetwork>(network);
  std::vector<std::vector<float>>& ranges = calibrated->activation_ranges;
  ranges.assign(1 + 2 * network.blocks.size(), {});
  const LayerObserver observe = [&](size_t layer, std::span<const float> output) {
    if (layer >= ranges.size()) return;  // the heads stay in real values
    std::vector<float>& largest = ranges[layer];
    largest.resize(static_cast<size_t>(network.settings.channels), 0.0F);
    for (size_t i = 0; i < output.size(); i += largest.size()) {
      for (size_t c = 0; c < largest.size(); ++c) largest[c] = std::max(largest[c], output[i + c]);
    }
  };
  UseOneThread();
  const auto weights = MakeOneDnnWeights();
  size_t left = planes.size() / input_size;
  for (const int size : kPartSizes) {
    const auto count = static_cast<size_t>(size);
    if (left < count) continue;
    OneDnnTower tower(network, Precision::kFp32, size, weights);
    for (; left >= count; left -= count) {
      tower.Run(planes.data(), observe);
      planes = planes.subspan(count * input_size);
    }
  }
  return calibrated;
}

}  // namespace khanzero
