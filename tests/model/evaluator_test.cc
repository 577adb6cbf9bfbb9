// SPDX-License-Identifier: GPL-3.0-or-later
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "env/error.h"
#include "model/cpu_features.h"
#include "model/torch_compat.h"
#include "model/torch_evaluator.h"
#include "model/torch_switches.h"
#include "tests/model/networks_for_tests.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

constexpr InferenceSettings Cpu(Precision precision) {
  return {.backend = InferenceBackend::kTorch, .precision = precision, .device = "cpu"};
}

std::vector<uint16_t> AllIndices(const EncodingShape& shape) {
  std::vector<uint16_t> indices(static_cast<size_t>(shape.policy_size()));
  std::iota(indices.begin(), indices.end(), uint16_t{0});
  return indices;
}

// Largest difference between the outputs for position `i` of `a` and `k` of `b`.
double Difference(const EvaluationBatch& a, int i, const EvaluationBatch& b, int k) {
  double most = 0.0;
  for (size_t m = 0; m < a.logits(i).size(); ++m) {
    most = std::max(most, std::abs(static_cast<double>(a.logits(i)[m]) - b.logits(k)[m]));
  }
  most = std::max(most, std::abs(static_cast<double>(a.wdl(i).win) - b.wdl(k).win));
  most = std::max(most, std::abs(static_cast<double>(a.wdl(i).draw) - b.wdl(k).draw));
  return std::max(most, std::abs(static_cast<double>(a.wdl(i).loss) - b.wdl(k).loss));
}

class EvaluatorOfGame : public testing::TestWithParam<std::string> {
 protected:
  EncodingShape shape_ = InfoOfGame(GetParam()).shape;
};
INSTANTIATE_TEST_SUITE_P(Games, EvaluatorOfGame, testing::ValuesIn(GameNames()),
                         [](const auto& param) { return param.param; });

// Folding, gathering and both heads at once: every logit at its policy index.
TEST_P(EvaluatorOfGame, EqualsTheModuleInEvaluationMode) {
  constexpr int kPositions = 5;
  NetworkSettings settings = kPoolingNetwork;
  settings.attack_planes = false;
  Network network = MakeTrainedLikeNetwork(shape_, 7, settings);
  const std::vector<float> planes = RandomPlanes(shape_, kPositions, 1);
  EvaluationBatch batch = MakeBatch(shape_, planes, AllIndices(shape_), 0, kPositions);
  MakeEvaluator(Fold(*network), Cpu(Precision::kFp32))->Evaluate(batch);

  const torch::NoGradGuard no_grad;
  const NetworkOutput output = network(InputView(planes.data(), kPositions, shape_));
  const torch::Tensor wdl = output.wdl.softmax(1);
  const double scale = std::max(1.0, output.policy.abs().max().item<double>());
  EXPECT_GT(output.policy.std().item<float>(), 0.1F) << "the comparison would prove little";
  for (int i = 0; i < kPositions; ++i) {
    for (int m = 0; m < shape_.policy_size(); ++m) {
      ASSERT_NEAR(batch.logits(i)[static_cast<size_t>(m)], output.policy[i][m].item<float>(),
                  1e-4 * scale)
          << "position " << i << " index " << m;
    }
    EXPECT_NEAR(batch.wdl(i).win, wdl[i][0].item<float>(), 1e-5);
    EXPECT_NEAR(batch.wdl(i).draw, wdl[i][1].item<float>(), 1e-5);
    EXPECT_NEAR(batch.wdl(i).loss, wdl[i][2].item<float>(), 1e-5);
  }
}

TEST_P(EvaluatorOfGame, Bf16IsCloseToFp32) {
  if (!ThisCpu().bf16) GTEST_SKIP() << "this processor has no bf16 instructions";
  constexpr int kPositions = 16;
  const auto network = Fold(*MakeTrainedLikeNetwork(shape_, 7, kPoolingNetwork));
  const std::vector<float> planes = RandomPlanes(shape_, kPositions, 1);
  EvaluationBatch exact = MakeBatch(shape_, planes, AllIndices(shape_), 0, kPositions);
  EvaluationBatch rough = MakeBatch(shape_, planes, AllIndices(shape_), 0, kPositions);
  MakeEvaluator(network, Cpu(Precision::kFp32))->Evaluate(exact);
  MakeEvaluator(network, Cpu(Precision::kBf16))->Evaluate(rough);
  double largest = 0.0;
  double squares = 0.0;
  double error_squares = 0.0;
  for (int i = 0; i < kPositions; ++i) {
    for (size_t m = 0; m < exact.logits(i).size(); ++m) {
      const double error = exact.logits(i)[m] - rough.logits(i)[m];
      squares += static_cast<double>(exact.logits(i)[m]) * exact.logits(i)[m];
      error_squares += error * error;
      largest = std::max(largest, std::abs(error));
    }
    EXPECT_NEAR(exact.wdl(i).win, rough.wdl(i).win, 0.05);
    EXPECT_NEAR(rough.wdl(i).win + rough.wdl(i).draw + rough.wdl(i).loss, 1.0, 1e-5);
  }
  EXPECT_LT(std::sqrt(error_squares / squares), 0.02);
  EXPECT_GT(largest, 0.0) << "bf16 was not used";
}

// The first `count` positions of random games, each asking for its legal moves.
EvaluationBatch PositionsOf(const std::string& game, int count) {
  return WithGame(game, [&]<class G>() {
    EvaluationBatch batch(InfoOf<G>().shape);
    Random random(11);
    typename G::Moves moves;
    std::vector<uint16_t> indices;
    while (batch.size() < count) {
      auto position = G::Position::Start();
      for (position.LegalMoves(moves); !moves.empty() && batch.size() < count;
           position.LegalMoves(moves)) {
        indices.clear();
        for (const Move& move : moves) indices.push_back(G::PolicyIndex(position, move));
        G::Encode(position, batch.Add(indices));
        position.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
        if (position.ComputeOutcome().over()) break;
      }
    }
    return batch;
  });
}

struct Agreement {
  double largest_logit_difference = 0.0;
  double largest_chance_difference = 0.0;
  double top_move_share = 0.0;  // of positions where both prefer the same move
};

Agreement Compare(const EvaluationBatch& a, const EvaluationBatch& b) {
  Agreement agreement;
  for (int i = 0; i < a.size(); ++i) {
    const auto& x = a.logits(i);
    const auto& y = b.logits(i);
    for (size_t m = 0; m < x.size(); ++m) {
      agreement.largest_logit_difference =
          std::max(agreement.largest_logit_difference, std::abs(static_cast<double>(x[m]) - y[m]));
    }
    agreement.largest_chance_difference =
        std::max({agreement.largest_chance_difference,
                  std::abs(static_cast<double>(a.wdl(i).win) - b.wdl(i).win),
                  std::abs(static_cast<double>(a.wdl(i).draw) - b.wdl(i).draw),
                  std::abs(static_cast<double>(a.wdl(i).loss) - b.wdl(i).loss)});
    const auto top = [](const auto& logits) {
      return std::max_element(logits.begin(), logits.end()) - logits.begin();
    };
    agreement.top_move_share += (top(x) == top(y)) / static_cast<double>(a.size());
  }
  return agreement;
}

// Batch normalisation folded, and each precision, against the module that is trained.
TEST_P(EvaluatorOfGame, AgreesWithTheModuleOnAThousandPositions) {
  constexpr int kPositions = 1000;
  Network network = MakeTrainedLikeNetwork(shape_);
  const EvaluationBatch module = [&] {
    EvaluationBatch batch = PositionsOf(GetParam(), kPositions);
    batch.PrepareOutputs();
    const torch::NoGradGuard no_grad;
    const NetworkOutput output = network(InputView(batch.planes().data(), batch.size(), shape_));
    const torch::Tensor wdl = output.wdl.softmax(1).contiguous();
    const torch::Tensor policy = output.policy.contiguous();
    for (int i = 0; i < kPositions; ++i) {
      const float* const logits = policy.data_ptr<float>() + int64_t{i} * shape_.policy_size();
      for (size_t m = 0; m < batch.logits(i).size(); ++m) {
        batch.mutable_logits(i)[m] = logits[batch.policy_indices(i)[m]];
      }
      const float* const p = wdl.data_ptr<float>() + 3 * int64_t{i};
      batch.mutable_wdl(i) = {p[0], p[1], p[2]};
    }
    return batch;
  }();
  const auto evaluated = [&](Precision precision) {
    EvaluationBatch batch = PositionsOf(GetParam(), kPositions);
    MakeEvaluator(Fold(*network), Cpu(precision))->Evaluate(batch);
    return batch;
  };
  const Agreement fp32 = Compare(module, evaluated(Precision::kFp32));
  EXPECT_LT(fp32.largest_logit_difference, 1e-3);
  EXPECT_LT(fp32.largest_chance_difference, 1e-4);
  EXPECT_GT(fp32.top_move_share, 0.998);
  if (!ThisCpu().bf16) GTEST_SKIP() << "this processor has no bf16 instructions";
  const Agreement bf16 = Compare(module, evaluated(Precision::kBf16));
  RecordProperty("bf16_logit_difference", std::to_string(bf16.largest_logit_difference));
  RecordProperty("bf16_chance_difference", std::to_string(bf16.largest_chance_difference));
  RecordProperty("bf16_top_move_share", std::to_string(bf16.top_move_share));
  EXPECT_LT(bf16.largest_logit_difference, 0.3);
  EXPECT_LT(bf16.largest_chance_difference, 0.02);
  EXPECT_GT(bf16.top_move_share, 0.97);
}

TEST_P(EvaluatorOfGame, OutputsDoNotDependOnBatchMates) {
  constexpr int kPositions = 24;
  const auto network = Fold(*MakeTrainedLikeNetwork(shape_));
  const std::vector<float> planes = RandomPlanes(shape_, kPositions, 1);
  const std::vector<uint16_t> indices = AllIndices(shape_);
  const auto evaluator = MakeEvaluator(network, Cpu(Precision::kFp32));
  EvaluationBatch all = MakeBatch(shape_, planes, indices, 0, kPositions);
  evaluator->Evaluate(all);
  EvaluationBatch some = MakeBatch(shape_, planes, indices, 7, 3);
  evaluator->Evaluate(some);
  EvaluationBatch one = MakeBatch(shape_, planes, indices, 8, 1);
  evaluator->Evaluate(one);
  EXPECT_LT(Difference(all, 8, some, 1), 1e-3);
  EXPECT_LT(Difference(all, 8, one, 0), 1e-3);
  EXPECT_GT(Difference(all, 8, all, 9), 1e-2);
}

TEST(TorchEvaluator, GivesOnlyTheLogitsAskedForInTheOrderAsked) {
  const EncodingShape shape = InfoOfGame("khans").shape;
  const auto evaluator = MakeEvaluator(Fold(*MakeTrainedLikeNetwork(shape)), Cpu(Precision::kAuto));
  const std::vector<float> planes = RandomPlanes(shape, 3, 1);
  EvaluationBatch all = MakeBatch(shape, planes, AllIndices(shape), 0, 3);
  evaluator->Evaluate(all);
  const std::vector<std::vector<uint16_t>> asked = {{4671, 0, 100}, {}, {7, 7}};
  EvaluationBatch batch(shape);
  for (size_t i = 0; i < 3; ++i) {
    const auto size = static_cast<size_t>(shape.input_size());
    std::ranges::copy(std::span(planes).subspan(i * size, size), batch.Add(asked[i]).begin());
  }
  evaluator->Evaluate(batch);
  for (int i = 0; i < 3; ++i) {
    const std::vector<uint16_t>& indices = asked[static_cast<size_t>(i)];
    ASSERT_EQ(batch.logits(i).size(), indices.size());
    for (size_t m = 0; m < indices.size(); ++m) {
      EXPECT_EQ(batch.logits(i)[m], all.logits(i)[indices[m]]);
    }
  }
}

TEST(TorchEvaluator, EmptyBatchIsNothingAndABatchCanBeReused) {
  const EncodingShape shape = InfoOfGame("serbest").shape;
  const auto evaluator = MakeEvaluator(Fold(*MakeTrainedLikeNetwork(shape)), Cpu(Precision::kAuto));
  EvaluationBatch batch(shape);
  evaluator->Evaluate(batch);
  EXPECT_EQ(batch.size(), 0);
  const std::vector<float> planes = RandomPlanes(shape, 1, 1);
  const std::vector<uint16_t> indices = {1, 2};
  std::ranges::copy(planes, batch.Add(indices).begin());
  evaluator->Evaluate(batch);
  const std::vector<float> first(batch.logits(0).begin(), batch.logits(0).end());
  batch.Clear();
  std::ranges::copy(planes, batch.Add(indices).begin());
  evaluator->Evaluate(batch);
  EXPECT_EQ(first, std::vector<float>(batch.logits(0).begin(), batch.logits(0).end()));
}

TEST(TorchEvaluator, BatchOfAnotherShapeIsOurOwnFault) {
  const auto evaluator = MakeEvaluator(Fold(*MakeTrainedLikeNetwork(InfoOfGame("khans").shape)),
                                       Cpu(Precision::kAuto));
  EvaluationBatch batch(InfoOfGame("serbest").shape);
  EXPECT_THROW(evaluator->Evaluate(batch), InternalError);
}

// Threads share the folded network only: what each computes is what one alone computes, while the
// module it came from goes on training.
TEST(TorchEvaluator, ThreadsEvaluateWhileTheModuleTrains) {
  const EncodingShape shape = InfoOfGame("khans").shape;
  Network network = MakeTrainedLikeNetwork(shape);
  const auto folded = Fold(*network);
  const std::vector<float> planes = RandomPlanes(shape, 4, 1);
  const std::vector<uint16_t> indices = {0, 9, 4000};
  EvaluationBatch expected = MakeBatch(shape, planes, indices, 0, 4);
  MakeEvaluator(folded, Cpu(Precision::kFp32))->Evaluate(expected);
  std::vector<double> differences(2, 0.0);
  {
    std::vector<std::jthread> threads;
    for (double& difference : differences) {
      threads.emplace_back([&] {
        const auto evaluator = MakeEvaluator(folded, Cpu(Precision::kFp32));
        for (int round = 0; round < 20; ++round) {
          EvaluationBatch batch = MakeBatch(shape, planes, indices, 0, 4);
          evaluator->Evaluate(batch);
          for (int i = 0; i < 4; ++i) {
            difference = std::max(difference, Difference(batch, i, expected, i));
          }
        }
      });
    }
    network->train();
    torch::optim::SGD optimizer(network->parameters(), 0.1);
    for (int step = 0; step < 5; ++step) {
      optimizer.zero_grad();
      network(InputView(planes.data(), 4, shape)).policy.square().mean().backward();
      optimizer.step();
    }
  }
  EXPECT_LT(differences[0], 1e-4);
  EXPECT_LT(differences[1], 1e-4);
}

TEST(Inference, WhatTheMachineCannotDoIsAnInputError) {
  const auto network = MakeRandomNetwork(InfoOfGame("khans").shape, kSmallNetwork, 1);
  const auto make = [&](const InferenceSettings& settings) { MakeEvaluator(network, settings); };
  EXPECT_THROWS_WITH(make({.device = "gpu"}), InputError, "unknown device 'gpu'");
  EXPECT_THROWS_WITH(make({.device = "cuda:"}), InputError, "unknown device 'cuda:'");
  EXPECT_THROWS_WITH(make({.device = "cuda:x"}), InputError, "unknown device 'cuda:x'");
  EXPECT_THROWS_WITH(make({.device = "cuda:999"}), InputError, "device 'cuda:999'");
  if (!torch::cuda::is_available()) {
    EXPECT_THROWS_WITH(make({.device = "cuda"}), InputError, "no CUDA device");
  }
  if (!ThisCpu().bf16) {
    EXPECT_THROWS_WITH(make({.precision = Precision::kBf16, .device = "cpu"}), InputError, "bf16");
  }
}

TEST(Inference, FactsAreThoseOfTheSettings) {
  EXPECT_EQ(DescribeInference(Cpu(Precision::kFp32)).precision, "fp32");
  EXPECT_EQ(DescribeInference(Cpu(Precision::kAuto)).precision, ThisCpu().bf16 ? "bf16" : "fp32");
  const InferenceFacts facts = DescribeInference(Cpu(Precision::kAuto));
  EXPECT_EQ(facts.device, "cpu");
  EXPECT_NE(facts.computed_by.find("LibTorch"), std::string::npos);
  EXPECT_NE(facts.computed_by.find("BLAS"), std::string::npos);
  EXPECT_NE(Text(facts).find(facts.computed_by), std::string::npos);
}

TEST(Inference, ThreadsAreThoseAskedForUntilAnEvaluationTakesOne) {
  std::jthread([] {
    SetTorchThreads(2);
    EXPECT_EQ(at::get_num_threads(), 2);
    const EncodingShape shape = InfoOfGame("khans").shape;
    EvaluationBatch batch = MakeBatch(shape, RandomPlanes(shape, 1, 1), {}, 0, 1);
    MakeEvaluator(MakeRandomNetwork(shape, kSmallNetwork, 1), Cpu(Precision::kFp32))
        ->Evaluate(batch);
    EXPECT_EQ(at::get_num_threads(), 1);
  }).join();
}

TEST(Inference, AnEvaluatorLeavesTheBlasWithOneThread) {
  using GetThreads = int();
  using SetThreads = void(int);
  auto* get = reinterpret_cast<GetThreads*>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  auto* set = reinterpret_cast<SetThreads*>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (get == nullptr || set == nullptr) GTEST_SKIP() << "the BLAS is not OpenBLAS";
  set(2);
  MakeEvaluator(MakeRandomNetwork(InfoOfGame("khans").shape, kSmallNetwork, 1),
                Cpu(Precision::kFp32));
  EXPECT_EQ(get(), 1);
}

TEST(TorchCompat, AutocastHoldsForItsScopeAndTrains) {
  const EncodingShape shape = InfoOfGame("khans").shape;
  Network network = MakeTrainedLikeNetwork(shape);
  network->train();
  const std::vector<float> planes = RandomPlanes(shape, 4, 1);
  const torch::Tensor x = InputView(planes.data(), 4, shape);
  torch::Tensor policy;
  {
    const AutocastGuard autocast(torch::kCPU, torch::kBFloat16);
    policy = network(x).policy;
    EXPECT_EQ(policy.scalar_type(), torch::kBFloat16);
  }
  policy.to(torch::kFloat).square().mean().backward();
  EXPECT_EQ(network->stem->conv->weight.grad().scalar_type(), torch::kFloat);
  EXPECT_EQ(network(x).policy.scalar_type(), torch::kFloat);
}

}  // namespace
}  // namespace khanzero
