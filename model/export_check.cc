// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/export_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>

#include "env/error.h"
#include "model/folded_network.h"
#include "model/inference.h"

namespace khanzero {
namespace {

constexpr int kBatch = 64;

// Largest |a - b|, in units of |a| where that exceeds 1; infinite where one is not a number.
double LargestDifference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0.0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference =
        std::abs(double{a[i]} - double{b[i]}) / std::max(1.0, std::abs(double{a[i]}));
    if (!std::isfinite(difference)) return HUGE_VAL;
    largest = std::max(largest, difference);
  }
  return largest;
}

uint16_t Best(std::span<const float> logits, const std::vector<uint16_t>& legal) {
  return *std::ranges::max_element(legal, {}, [&](uint16_t index) { return logits[index]; });
}

double Top1Agreement(const ModelOutputs& a, const ModelOutputs& b,
                     const ExportPositions& positions) {
  const size_t size = a.policy.size() / positions.legal.size();
  int same = 0;
  int asked = 0;
  for (size_t i = 0; i < positions.legal.size(); ++i) {
    const std::vector<uint16_t>& legal = positions.legal[i];
    if (legal.empty()) continue;
    ++asked;
    same += Best(std::span(a.policy).subspan(i * size, size), legal) ==
            Best(std::span(b.policy).subspan(i * size, size), legal);
  }
  return asked == 0 ? 1.0 : double(same) / asked;
}

}  // namespace

std::vector<float> ChannelsFirst(const std::vector<float>& planes, const EncodingShape& shape) {
  const auto squares = static_cast<size_t>(shape.squares());
  const auto channels = static_cast<size_t>(shape.input_planes);
  std::vector<float> turned(planes.size());
  for (size_t base = 0; base < planes.size(); base += squares * channels) {
    for (size_t square = 0; square < squares; ++square) {
      for (size_t plane = 0; plane < channels; ++plane) {
        turned[base + plane * squares + square] = planes[base + square * channels + plane];
      }
    }
  }
  return turned;
}

ModelOutputs OutputsOf(const FoldedNetwork& network, const ExportPositions& positions) {
  // Borrowed: the evaluator lives no longer than this call.
  const std::shared_ptr<const FoldedNetwork> borrowed(std::shared_ptr<void>(), &network);
  const auto evaluator = MakeEvaluator(borrowed, {.precision = Precision::kFp32, .device = "cpu"});
  const auto input_size = static_cast<size_t>(network.shape.input_size());
  std::vector<uint16_t> indices(static_cast<size_t>(network.shape.policy_size()));
  std::iota(indices.begin(), indices.end(), uint16_t{0});
  ModelOutputs outputs;
  for (int first = 0; first < positions.count(); first += kBatch) {
    const int count = std::min(kBatch, positions.count() - first);
    EvaluationBatch batch(network.shape);
    for (int i = 0; i < count; ++i) {
      const size_t at = static_cast<size_t>(first + i) * input_size;
      std::ranges::copy(std::span(positions.planes).subspan(at, input_size),
                        batch.Add(indices).begin());
    }
    evaluator->Evaluate(batch);
    for (int i = 0; i < count; ++i) {
      const auto logits = batch.mutable_logits(i);
      outputs.policy.insert(outputs.policy.end(), logits.begin(), logits.end());
      const Wdl& value = batch.wdl(i);
      outputs.wdl.insert(outputs.wdl.end(), {value.win, value.draw, value.loss});
    }
  }
  return outputs;
}

ExportLimits LimitsOf(ModelPrecision precision) {
  if (precision == ModelPrecision::kFp32) return {1e-3, 1e-4, 0.99};
  return {5e-2, 2e-2, 0.95};
}

ExportReport CompareOutputs(const ModelOutputs& reference, const ModelOutputs& found,
                            const ExportPositions& positions, ModelPrecision precision) {
  if (reference.policy.size() != found.policy.size() || reference.wdl.size() != found.wdl.size()) {
    throw RuntimeFailure("the written model has outputs of another size than the network");
  }
  const ExportReport report = {
      .positions = positions.count(),
      .max_policy_difference = LargestDifference(reference.policy, found.policy),
      .max_wdl_difference = LargestDifference(reference.wdl, found.wdl),
      .top1_agreement = Top1Agreement(reference, found, positions)};
  const ExportLimits limits = LimitsOf(precision);
  if (!(report.max_policy_difference <= limits.policy_difference &&
        report.max_wdl_difference <= limits.wdl_difference &&
        report.top1_agreement >= limits.top1_agreement)) {
    throw RuntimeFailure("the written model differs from the network: policy logits by " +
                         std::to_string(report.max_policy_difference) + ", win/draw/loss by " +
                         std::to_string(report.max_wdl_difference) + ", the same best move in " +
                         std::to_string(report.top1_agreement) + " of the positions");
  }
  return report;
}

}  // namespace khanzero
