// SPDX-License-Identifier: GPL-3.0-or-later
//
// The evaluator on oneDNN against the one on LibTorch, layer by layer and whole, and what int8 is
// planned from.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "env/error.h"
#include "model/activation_ranges.h"
#include "model/checkpoint.h"
#include "model/cpu_features.h"
#include "model/global_pooling.h"
#include "model/onednn_evaluator.h"
#include "model/onednn_tower.h"
#include "model/quantization.h"
#include "model/torch_evaluator.h"
#include "tests/model/networks_for_tests.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

constexpr std::array kPrecisions = {Precision::kFp32, Precision::kBf16, Precision::kInt8};
// Of a layer's or a head's values, the size of the error's vector relative to that of the values.
double Tolerance(Precision precision) {
  return precision == Precision::kFp32 ? 1e-5 : precision == Precision::kBf16 ? 0.02 : 0.05;
}
bool CpuCan(Precision precision) {
  return (precision != Precision::kBf16 || ThisCpu().bf16) &&
         (precision != Precision::kInt8 || ThisCpu().avx2);
}

double RelativeError(std::span<const float> values, std::span<const float> reference) {
  EXPECT_EQ(values.size(), reference.size());
  double error = 0.0;
  double size = 0.0;
  for (size_t i = 0; i < values.size(); ++i) {
    error += std::pow(static_cast<double>(values[i]) - reference[i], 2);
    size += std::pow(static_cast<double>(reference[i]), 2);
  }
  return std::sqrt(error / std::max(size, 1e-30));
}

std::shared_ptr<const FoldedNetwork> CalibratedNetwork(
    const EncodingShape& shape, const NetworkSettings& settings = kSmallNetwork) {
  return Calibrate(*Fold(*MakeTrainedLikeNetwork(shape, 7, settings)), RandomPlanes(shape, 64, 3));
}

std::vector<uint16_t> AllIndices(const EncodingShape& shape) {
  std::vector<uint16_t> indices(static_cast<size_t>(shape.policy_size()));
  std::iota(indices.begin(), indices.end(), uint16_t{0});
  return indices;
}

class OneDnnOfGame : public testing::TestWithParam<std::string> {
 protected:
  EncodingShape shape_ = InfoOfGame(GetParam()).shape;
};
INSTANTIATE_TEST_SUITE_P(Games, OneDnnOfGame, testing::ValuesIn(GameNames()),
                         [](const auto& param) { return param.param; });

// The output of every layer of the module in evaluation mode, with its index in convolutions(), in
// the order in which a tower tells them.
using Layers = std::vector<std::pair<size_t, std::vector<float>>>;
Layers LayersOfModule(Network& network, const std::vector<float>& planes, int count) {
  const torch::NoGradGuard no_grad;
  Layers layers;
  const auto keep = [&](size_t layer, const torch::Tensor& output) {
    const torch::Tensor plain = output.permute({0, 2, 3, 1}).contiguous();
    layers.emplace_back(layer, std::vector<float>(plain.data_ptr<float>(),
                                                  plain.data_ptr<float>() + plain.numel()));
    return output;
  };
  torch::Tensor x =
      keep(0, network->stem(InputView(planes.data(), count, network->shape())).relu());
  size_t layer = 1;
  for (const auto& module : *network->blocks) {
    auto* block = module->as<ResidualBlockImpl>();
    const torch::Tensor y = keep(layer++, block->first(x).relu());
    x = keep(layer, (block->second(y) + x).relu());
    if (!block->pooling.is_empty()) x = keep(layer, block->AddPooled(x));
    ++layer;
  }
  keep(layer, network->policy->Features(x));
  keep(layer + 2, network->value->conv(x).relu());
  return layers;
}

TEST_P(OneDnnOfGame, EveryLayerEqualsTheModules) {
  constexpr int kPositions = 5;
  const std::vector<float> planes = RandomPlanes(shape_, kPositions, 1);
  for (const NetworkSettings& settings : {kSmallNetwork, kPoolingNetwork}) {
    Network network = MakeTrainedLikeNetwork(shape_, 7, settings);
    const Layers expected = LayersOfModule(network, planes, kPositions);
    const auto folded = CalibratedNetwork(shape_, settings);
    std::jthread([&] {
      UseOneThread();
      for (const Precision precision : kPrecisions) {
        if (!CpuCan(precision)) continue;
        OneDnnTower tower(*folded, precision, kPositions, MakeOneDnnWeights());
        size_t seen = 0;
        tower.Run(planes.data(), [&](size_t layer, std::span<const float> output) {
          ASSERT_LT(seen, expected.size());
          EXPECT_EQ(layer, expected[seen].first);
          EXPECT_LT(RelativeError(output, expected[seen].second), Tolerance(precision))
              << "layer " << layer << " in precision " << static_cast<int>(precision);
          ++seen;
        });
        EXPECT_EQ(seen, expected.size());
      }
    }).join();
  }
}

// Sizes that are sums of one, two and all of the planned parts, and none.
TEST_P(OneDnnOfGame, OutputsEqualLibTorchsForAnyBatchSize) {
  const std::vector<uint16_t> indices = AllIndices(shape_);
  const auto plain = CalibratedNetwork(shape_);
  const auto pooling = CalibratedNetwork(shape_, kPoolingNetwork);
  for (const int count : {0, 1, 2, 3, 7, 16, 31, 33}) {
    const auto& folded = count % 2 == 0 ? plain : pooling;
    const std::vector<float> planes = RandomPlanes(shape_, std::max(count, 1), 5);
    EvaluationBatch expected = MakeBatch(shape_, planes, indices, 0, count);
    TorchEvaluator(folded, {.type = torch::kFloat}).Evaluate(expected);
    for (const Precision precision : kPrecisions) {
      if (!CpuCan(precision)) continue;
      EvaluationBatch batch = MakeBatch(shape_, planes, indices, 0, count);
      OneDnnEvaluator(folded, precision).Evaluate(batch);
      for (int i = 0; i < count; ++i) {
        EXPECT_LT(RelativeError(std::as_const(batch).logits(i), std::as_const(expected).logits(i)),
                  2.0 * Tolerance(precision))
            << "position " << i << " of " << count;
        EXPECT_NEAR(batch.wdl(i).win, expected.wdl(i).win, 2.0 * Tolerance(precision));
        EXPECT_NEAR(batch.wdl(i).loss, expected.wdl(i).loss, 2.0 * Tolerance(precision));
        EXPECT_NEAR(batch.wdl(i).win + batch.wdl(i).draw + batch.wdl(i).loss, 1.0, 1e-5);
      }
    }
  }
}

TEST_P(OneDnnOfGame, OutputsDoNotDependOnBatchMatesToTheLastBit) {
  const auto folded = CalibratedNetwork(shape_, kPoolingNetwork);
  const std::vector<float> planes = RandomPlanes(shape_, 16, 5);
  const std::vector<uint16_t> indices = {1, 5, 900};
  for (const Precision precision : {Precision::kInt8}) {
    if (!CpuCan(precision)) GTEST_SKIP() << "this processor has no AVX2";
    OneDnnEvaluator evaluator(folded, precision);
    EvaluationBatch all = MakeBatch(shape_, planes, indices, 0, 16);
    evaluator.Evaluate(all);
    EvaluationBatch one = MakeBatch(shape_, planes, indices, 9, 1);
    evaluator.Evaluate(one);
    for (size_t m = 0; m < indices.size(); ++m) {
      EXPECT_EQ(std::as_const(all).logits(9)[m], std::as_const(one).logits(0)[m]);
    }
  }
}

TEST_P(OneDnnOfGame, ThreadsComputeWhatOneDoes) {
  const auto folded = CalibratedNetwork(shape_);
  const std::vector<float> planes = RandomPlanes(shape_, 7, 5);
  const std::vector<uint16_t> indices = {1, 5, 900};
  const auto evaluated = [&] {
    EvaluationBatch batch = MakeBatch(shape_, planes, indices, 0, 7);
    MakeEvaluator(folded, {.device = "cpu"})->Evaluate(batch);
    return batch;
  };
  const EvaluationBatch expected = evaluated();
  std::atomic<int> different = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int round = 0; round < 5; ++round) {
          const EvaluationBatch batch = evaluated();
          for (int i = 0; i < 7; ++i) {
            different += std::ranges::equal(batch.logits(i), expected.logits(i)) ? 0 : 1;
          }
        }
      });
    }
  }
  EXPECT_EQ(different, 0);
}

TEST_P(OneDnnOfGame, CheckpointsAndTextKeepTheRanges) {
  const auto folded = CalibratedNetwork(shape_);
  ASSERT_EQ(folded->activation_ranges.size(), 1 + 2 * folded->blocks.size());
  FoldedNetwork read = *Fold(*MakeTrainedLikeNetwork(shape_));
  EXPECT_FALSE(read.calibrated());
  ParseActivationRanges(SerializeActivationRanges(*folded), "text", read);
  EXPECT_EQ(read.activation_ranges, folded->activation_ranges);

  const TempFolder folder;
  const GameInfo info = InfoOfGame(GetParam());
  const Network network = MakeTrainedLikeNetwork(shape_);
  SaveCheckpoint(folder.path() / "c", {.game = info, .network = kSmallNetwork}, *network,
                 {{kActivationRangesFile, SerializeActivationRanges(*folded)}});
  EXPECT_EQ(LoadFoldedNetwork((folder.path() / "c").string(), &info)->activation_ranges,
            folded->activation_ranges);
}

TEST(ActivationRanges, DamagedTextIsRefusedWithItsPlace) {
  const auto folded = CalibratedNetwork(InfoOfGame("khans").shape);
  FoldedNetwork read = *folded;
  const nlohmann::json good = nlohmann::json::parse(SerializeActivationRanges(*folded));
  const auto refused = [&](const nlohmann::json& json, const char* why) {
    EXPECT_THROWS_WITH(ParseActivationRanges(json.dump(), "ranges.json", read), InputError, why);
    EXPECT_THROWS_WITH(ParseActivationRanges(json.dump(), "ranges.json", read), InputError,
                       "ranges.json is damaged");
  };
  nlohmann::json bad = good;
  bad.erase("blocks.1.first");
  refused(bad, "blocks.1.first");
  bad = good;
  bad["stem"].push_back(1.0);
  refused(bad, "layer 'stem' has 25 channels instead of 24");
  bad = good;
  bad["stem"][3] = -1.0;
  refused(bad, "no number from 0 up");
  bad = good;
  bad["stem"][3] = 1e300;
  refused(bad, "no number from 0 up");
  bad = good;
  bad["stem"] = "wide";
  refused(bad, "damaged");
  bad = good;
  bad["blocks.2.first"] = good["stem"];
  refused(bad, "layers that the network has not");
  for (const char* const text : {"{", "", "[]", "\x1B[2J"}) {
    EXPECT_THROWS_WITH(ParseActivationRanges(text, "ranges.json", read), InputError,
                       "ranges.json is damaged: it is no JSON object");
  }
  EXPECT_EQ(read.activation_ranges, folded->activation_ranges);
}

// By hand, on a board of four squares and one channel of two.
TEST(GlobalPooling, MeanAndMaximumAreAddedEverywhereAndNothingIsBelowZero) {
  // Channel 0 gets the mean of channel 1 times 2, channel 1 the maximum of channel 0 times -1.
  const LinearLayer layer = {.in_features = 4,
                             .out_features = 2,
                             .weight = {0.0F, 2.0F, 0.0F, 0.0F, 0.0F, 0.0F, -1.0F, 0.0F},
                             .bias = {1.0F, 0.5F}};
  std::vector<float> map = {1.0F, 2.0F, 3.0F, 0.0F, 0.0F, 4.0F, 1.0F, 6.0F};
  GlobalPooling(layer, 4, {}).Run(map.data(), 1);
  EXPECT_EQ(map, (std::vector<float>{8.0F, 0.0F, 10.0F, 0.0F, 7.0F, 1.5F, 8.0F, 3.5F}));
  // The same in steps of 0.5 and 0.25; what is above the last step stays there.
  std::vector<uint8_t> steps = {2, 8, 6, 0, 0, 16, 255, 24};
  GlobalPooling(layer, 4, std::vector<float>{0.5F, 0.25F}).Run(steps.data(), 1);
  EXPECT_EQ(steps, (std::vector<uint8_t>{16, 0, 20, 0, 14, 0, 255, 0}));
}

TEST(Quantization, WeightsReachTheEndsAndZeroStaysZero) {
  const ConvLayer layer = {.in_channels = 2,
                           .out_channels = 2,
                           .kernel = 1,
                           .weight = {0.5F, -1.0F, 0.0F, 0.0F},
                           .bias = {1.0F, 2.0F}};
  const std::vector<float> in = {0.02F, 0.01F};
  const std::vector<float> out = {0.1F, 0.2F};
  const QuantizedConv quantized = Quantize(layer, in, out);
  // 0.5 * 0.02 and -1 * 0.01 are equally large, and the largest.
  EXPECT_EQ(quantized.weight, (std::vector<int8_t>{127, -127, 0, 0}));
  const float step = 0.01F / 127.0F;
  EXPECT_FLOAT_EQ(quantized.output_scale[0], step / 0.1F);
  EXPECT_FLOAT_EQ(quantized.bias[0] * step, 1.0F);
  EXPECT_FLOAT_EQ(quantized.bias[1] * quantized.output_scale[1] * out[1], 2.0F);
  EXPECT_FLOAT_EQ(Quantize(layer, in, {}).output_scale[0], step);
}

// A channel or a whole layer that never spoke must not divide by nothing.
TEST(Quantization, SilentChannelsAndLayersAreFinite) {
  FoldedNetwork network = *CalibratedNetwork(InfoOfGame("khans").shape);
  for (auto& ranges : network.activation_ranges) std::ranges::fill(ranges, 0.0F);
  network.activation_ranges[2][5] = 3.0F;
  const QuantizationPlan plan = PlanQuantization(network);
  for (const ChannelScales& scales : plan.layer) {
    for (const float scale : scales) {
      EXPECT_TRUE(std::isfinite(scale));
      EXPECT_GT(scale, 0.0F);
    }
  }
  for (const float factor : plan.residual) {
    EXPECT_TRUE(std::isfinite(factor));
    EXPECT_GT(factor, 0.0F);
  }
}

// No activation seen in calibration is cut off.
TEST(Quantization, ScalesCoverTheRanges) {
  const FoldedNetwork network = *CalibratedNetwork(InfoOfGame("serbest").shape);
  const QuantizationPlan plan = PlanQuantization(network);
  for (size_t layer = 0; layer < plan.layer.size(); ++layer) {
    for (size_t c = 0; c < plan.layer[layer].size(); ++c) {
      EXPECT_GE(plan.layer[layer][c] * kActivationSteps * 1.0001F,
                network.activation_ranges[layer][c])
          << "layer " << layer << " channel " << c;
    }
  }
}

TEST(InferenceChoice, AutoTakesInt8OnlyForACalibratedNetworkWhereItIsFast) {
  const EncodingShape shape = InfoOfGame("khans").shape;
  EXPECT_EQ(NeedsCalibration({.device = "cpu"}), ThisCpu().vnni);
  EXPECT_FALSE(NeedsCalibration({.precision = Precision::kFp32, .device = "cpu"}));
  EXPECT_FALSE(NeedsCalibration({.backend = InferenceBackend::kTorch, .device = "cpu"}));
  const InferenceFacts facts = DescribeInference({.device = "cpu"});
  EXPECT_EQ(facts.precision, ThisCpu().vnni ? "int8" : ThisCpu().bf16 ? "bf16" : "fp32");
  // Uncalibrated: made without int8, and right.
  const std::shared_ptr<const FoldedNetwork> fresh = Fold(*MakeTrainedLikeNetwork(shape));
  const std::vector<float> planes = RandomPlanes(shape, 2, 1);
  EvaluationBatch expected = MakeBatch(shape, planes, AllIndices(shape), 0, 2);
  EvaluationBatch batch = expected;
  TorchEvaluator(fresh, {.type = torch::kFloat}).Evaluate(expected);
  MakeEvaluator(fresh, {.device = "cpu"})->Evaluate(batch);
  EXPECT_LT(RelativeError(std::as_const(batch).logits(1), std::as_const(expected).logits(1)),
            Tolerance(Precision::kBf16));
}

TEST(InferenceChoice, WhatCannotBeIsAnInputErrorThatSaysSo) {
  const auto network = MakeRandomNetwork(InfoOfGame("khans").shape, kSmallNetwork, 1);
  const auto make = [&](const InferenceSettings& settings) { MakeEvaluator(network, settings); };
  EXPECT_THROWS_WITH(make({.precision = Precision::kInt8, .device = "cpu"}), InputError,
                     ThisCpu().avx2 ? "does not know the ranges" : "no AVX2");
  EXPECT_THROWS_WITH(make({.backend = InferenceBackend::kTorch, .precision = Precision::kInt8}),
                     InputError, "int8 is computed by oneDNN");
  EXPECT_THROWS_WITH(make({.backend = InferenceBackend::kOneDnn, .device = "cuda"}), InputError,
                     "cuda");
}

}  // namespace
}  // namespace khanzero
