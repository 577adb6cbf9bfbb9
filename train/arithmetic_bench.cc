// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/arithmetic_bench.h"

#include <optional>

#include "env/error.h"
#include "model/inference.h"

namespace khanzero {
namespace {

constexpr int kRounds = 3;

struct Way {
  InferenceSettings settings;
  InferenceFacts facts;
};

// Nothing when this machine has it not.
std::optional<Way> FindWay(const InferenceSettings& settings) {
  try {
    return Way{settings, DescribeInference(settings)};
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::vector<Way> WaysOf(const std::string& device) {
  std::vector<Way> ways;
  const auto add = [&](InferenceBackend backend, Precision precision) {
    auto way = FindWay({.backend = backend, .precision = precision, .device = device});
    if (way) ways.push_back(*std::move(way));
  };
  add(InferenceBackend::kTorch, Precision::kFp32);
  add(InferenceBackend::kTorch, Precision::kBf16);
  if (device != "cpu") {
    add(InferenceBackend::kTorch, Precision::kAuto);  // fp16
    return ways;
  }
  for (const Precision precision : {Precision::kFp32, Precision::kBf16, Precision::kInt8}) {
    add(InferenceBackend::kOneDnn, precision);
  }
  return ways;
}

std::string NameOf(const Way& way) {
  const bool onednn = way.settings.backend == InferenceBackend::kOneDnn;
  return (onednn ? "oneDNN " : "LibTorch ") + way.facts.precision;
}

}  // namespace

std::vector<ArithmeticRate> CompareArithmetics(const RawInference& raw, int threads, int batch,
                                               double seconds) {
  const InferenceFacts in_use = DescribeInference(raw.settings);
  const std::vector<Way> ways = WaysOf(in_use.device);
  std::vector<ArithmeticRate> result;
  for (const Way& way : ways) {
    const bool used =
        way.facts.computed_by == in_use.computed_by && way.facts.precision == in_use.precision;
    result.push_back({.name = NameOf(way),
                      .in_use = used,
                      .difference = CompareOutputs(raw, ways.front().settings, way.settings)});
  }
  const double turn = seconds / static_cast<double>(kRounds * ways.size());
  std::vector<std::vector<double>> rates(ways.size());
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < ways.size(); ++i) {
      RawInference one = raw;
      one.settings = ways[i].settings;
      rates[i].push_back(MeasureRawRate(one, threads, batch, turn));
    }
  }
  for (size_t i = 0; i < ways.size(); ++i) {
    result[i].positions_per_second = Median(std::move(rates[i]));
  }
  return result;
}

}  // namespace khanzero
