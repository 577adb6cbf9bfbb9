// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "env/error.h"
#include "model/grow.h"
#include "model/unfold.h"
#include "tests/model/networks_for_tests.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

class NetworkOfGame : public testing::TestWithParam<std::string> {
 protected:
  EncodingShape shape_ = InfoOfGame(GetParam()).shape;
};
INSTANTIATE_TEST_SUITE_P(Games, NetworkOfGame, testing::ValuesIn(GameNames()),
                         [](const auto& param) { return param.param; });

TEST_P(NetworkOfGame, OutputsHaveTheirShapesAndGradientsReachEveryParameter) {
  SeedTorch(1);
  Network network(shape_, kPoolingNetwork);
  const std::vector<float> planes = RandomPlanes(shape_, 4, 1);
  const NetworkOutput output = network->forward(InputView(planes.data(), 4, shape_), Heads::kAll);
  EXPECT_EQ(output.policy.sizes(), (std::vector<int64_t>{4, shape_.policy_size()}));
  EXPECT_EQ(output.wdl.sizes(), (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(output.reply.sizes(), output.policy.sizes());
  EXPECT_EQ(output.survival.sizes(), (std::vector<int64_t>{4, shape_.squares()}));
  EXPECT_EQ(output.moves_left.sizes(), (std::vector<int64_t>{4}));
  (output.policy.square().sum() + output.wdl.square().sum() + output.reply.square().sum() +
   output.survival.square().sum() + output.moves_left.square().sum())
      .backward();
  for (const auto& item : network->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_TRUE(item.value().grad().isfinite().all().item<bool>()) << item.key();
  }
  // A branch that begins as nothing must still be able to become something.
  for (const auto& block : *network->blocks) {
    const auto* const module = block->as<ResidualBlockImpl>();
    EXPECT_GT(module->second->norm->weight.grad().abs().max().item<float>(), 0.0F);
    if (module->pooling.is_empty()) continue;
    EXPECT_GT(module->pooling->weight.grad().abs().max().item<float>(), 0.0F);
  }
}

TEST_P(NetworkOfGame, PlayComputesNoHeadOfTraining) {
  Network network(shape_, kSmallNetwork);
  const std::vector<float> planes = RandomPlanes(shape_, 2, 1);
  const NetworkOutput output = network(InputView(planes.data(), 2, shape_));
  EXPECT_FALSE(output.reply.defined());
  EXPECT_FALSE(output.survival.defined());
  EXPECT_FALSE(output.moves_left.defined());
}

TEST_P(NetworkOfGame, FreshNetworkIsNearUniform) {
  SeedTorch(2);
  Network network(shape_, NetworkSettings{.blocks = 6, .channels = 64, .value_hidden = 64});
  const std::vector<float> planes = RandomPlanes(shape_, 16, 2);
  const torch::NoGradGuard no_grad;
  for (const bool training : {true, false}) {
    network->train(training);
    const NetworkOutput output = network(InputView(planes.data(), 16, shape_));
    EXPECT_LT(output.policy.abs().max().item<float>(), 1.0F);
    EXPECT_LT(output.policy.std().item<float>(), 0.2F);
    EXPECT_GT(output.policy.std().item<float>(), 1e-4F);
    const torch::Tensor wdl = output.wdl.softmax(1);
    EXPECT_LT((wdl - 1.0 / 3.0).abs().max().item<float>(), 0.15F);
  }
}

TEST_P(NetworkOfGame, SameSeedSameNetwork) {
  const auto a = MakeRandomNetwork(shape_, kSmallNetwork, 3);
  const auto b = MakeRandomNetwork(shape_, kSmallNetwork, 3);
  const auto c = MakeRandomNetwork(shape_, kSmallNetwork, 4);
  EXPECT_EQ(a->blocks[1].second.bias, b->blocks[1].second.bias);
  EXPECT_EQ(a->stem.weight, b->stem.weight);
  EXPECT_NE(a->stem.weight, c->stem.weight);
}

// In training as in evaluation, whatever grows: blocks, channels, hidden units, pooling, planes.
TEST_P(NetworkOfGame, GrowingChangesNoOutput) {
  const std::vector<float> planes = RandomPlanes(shape_, 6, 2);
  const torch::Tensor x = InputView(planes.data(), 6, shape_);
  NetworkSettings blind = kSmallNetwork;
  blind.attack_planes = false;
  NetworkSettings pooling = kPoolingNetwork;
  pooling.channels = 40;
  pooling.blocks = 6;
  for (const auto& [before, after] :
       {std::pair{kSmallNetwork, kPoolingNetwork}, std::pair{kPoolingNetwork, pooling},
        std::pair{blind,
                  NetworkSettings{
                      .blocks = 3, .channels = 33, .value_hidden = 20, .pooling_every = 1}}}) {
    for (const bool training : {false, true}) {
      Network small = MakeTrainedLikeNetwork(shape_, 7, before);
      small->train(training);
      Network large = Grow(*small, after, 3);
      EXPECT_EQ(large->settings(), after);
      EXPECT_EQ(large->is_training(), training);
      const NetworkOutput a = small->forward(x, Heads::kAll);
      const NetworkOutput b = large->forward(x, Heads::kAll);
      EXPECT_GT(a.policy.std().item<float>(), 0.1F) << "the comparison would prove little";
      for (const auto& [one, other] :
           {std::pair{a.policy, b.policy}, std::pair{a.wdl, b.wdl}, std::pair{a.reply, b.reply},
            std::pair{a.survival, b.survival}, std::pair{a.moves_left, b.moves_left}}) {
        EXPECT_TRUE(torch::allclose(one, other, 1e-4, 1e-4))
            << Text(before) << " to " << Text(after) << ": " << (one - other).abs().max();
      }
      b.policy.square().sum().backward();
    }
  }
}

// Back from what an export holds: the same outputs, also with the statistics of a batch, and every
// filter as large as a fresh one.
TEST_P(NetworkOfGame, WhatIsUnfoldedSaysTheSameInTrainingToo) {
  constexpr int kPositions = 12;
  const std::vector<float> planes = RandomPlanes(shape_, kPositions, 2);
  const torch::Tensor x = InputView(planes.data(), kPositions, shape_);
  NetworkSettings blind = kSmallNetwork;
  blind.attack_planes = false;
  for (const NetworkSettings& settings : {kSmallNetwork, kPoolingNetwork, blind}) {
    Network before = MakeTrainedLikeNetwork(shape_, 7, settings);
    Network after = Unfold(*Fold(*before), planes, 3);
    EXPECT_EQ(after->settings(), settings);
    EXPECT_TRUE(after->is_training());
    const NetworkOutput wanted = before->forward(x);
    EXPECT_GT(wanted.policy.std().item<float>(), 0.1F) << "the comparison would prove little";
    for (const bool training : {false, true}) {
      after->train(training);
      const NetworkOutput output = after->forward(x);
      EXPECT_TRUE(torch::allclose(wanted.policy, output.policy, 1e-3, 1e-3))
          << Text(settings) << ": " << (wanted.policy - output.policy).abs().max();
      EXPECT_TRUE(torch::allclose(wanted.wdl, output.wdl, 1e-3, 1e-3))
          << Text(settings) << ": " << (wanted.wdl - output.wdl).abs().max();
    }
    const torch::Tensor norms = after->stem->conv->weight.flatten(1).norm(2, 1);
    EXPECT_TRUE(torch::allclose(norms, torch::full_like(norms, std::sqrt(2.0))));
  }
}

// A filter of zeros, and a channel that is the same everywhere, have no scale to give back.
TEST_P(NetworkOfGame, DeadChannelsAreUnfoldedToo) {
  const std::vector<float> planes = RandomPlanes(shape_, 8, 2);
  const torch::Tensor x = InputView(planes.data(), 8, shape_);
  Network before = MakeTrainedLikeNetwork(shape_);
  {
    const torch::NoGradGuard no_grad;
    before->stem->norm->weight[0] = 0.0F;
    before->blocks[0]->as<ResidualBlockImpl>()->second->norm->weight.zero_();
  }
  Network after = Unfold(*Fold(*before), planes, 3);
  after->eval();
  const NetworkOutput wanted = before->forward(x);
  const NetworkOutput output = after->forward(x);
  EXPECT_TRUE(torch::allclose(wanted.policy, output.policy, 1e-3, 1e-3));
  EXPECT_TRUE(torch::allclose(wanted.wdl, output.wdl, 1e-3, 1e-3));
}

TEST(Grow, WhatIsSmallerIsRefusedNamingBoth) {
  NetworkSettings to = kPoolingNetwork;
  const auto refused = [&](const char* why) {
    EXPECT_THROWS_WITH(CheckGrows(kPoolingNetwork, to, "checkpoint 'c'"), InputError, why);
    EXPECT_THROWS_WITH(CheckGrows(kPoolingNetwork, to, "checkpoint 'c'"), InputError,
                       "checkpoint 'c' has 4 blocks x 24 channels");
  };
  to.blocks = 3;
  refused("it cannot become 3 blocks x 24 channels");
  to = kPoolingNetwork;
  to.channels = 16;
  refused("can only grow");
  to = kPoolingNetwork;
  to.pooling_every = 3;
  refused("block 2 would lose its global pooling");
  to = kPoolingNetwork;
  to.attack_planes = false;
  refused("it sees attack_planes");
  to = kPoolingNetwork;
  to.pooling_every = 1;
  CheckGrows(kPoolingNetwork, to, "checkpoint 'c'");
}

TEST(Network, InputViewSharesMemoryAndPutsSquaresWhereTheyBelong) {
  const EncodingShape shape = {.files = 3, .ranks = 2, .input_planes = 4, .policy_planes = 5};
  std::vector<float> planes(2 * 24);
  for (size_t i = 0; i < planes.size(); ++i) planes[i] = static_cast<float>(i);
  const torch::Tensor x = InputView(planes.data(), 2, shape);
  EXPECT_EQ(x.data_ptr<float>(), planes.data());
  EXPECT_TRUE(x.is_contiguous(torch::MemoryFormat::ChannelsLast));
  // Position 1, plane 3, rank 1, file 2: square 5.
  EXPECT_EQ(x[1][3][1][2].item<float>(), planes[24 + 5 * 4 + 3]);
}

TEST(Network, PolicyIndexIsPlaneTimesSquaresPlusSquare) {
  const EncodingShape shape = InfoOfGame("khans").shape;
  Network network = MakeTrainedLikeNetwork(shape);
  const std::vector<float> planes = RandomPlanes(shape, 2, 3);
  const torch::NoGradGuard no_grad;
  const torch::Tensor x = InputView(planes.data(), 2, shape);
  torch::Tensor tower = network->stem(x).relu();
  for (const auto& block : *network->blocks) tower = block->as<ResidualBlockImpl>()->forward(tower);
  const torch::Tensor board = network->policy->out(network->policy->conv(tower).relu());
  const torch::Tensor policy = network(x).policy;
  EXPECT_EQ(policy[1][40 * 64 + 3 * 8 + 5].item<float>(), board[1][40][3][5].item<float>());
}

TEST(Network, FoldingLeavesTheModuleAloneAndSharesNothing) {
  const EncodingShape shape = InfoOfGame("khans").shape;
  Network network = MakeTrainedLikeNetwork(shape);
  const auto folded = Fold(*network);
  const std::vector<float> before = folded->value_out.weight;
  {
    const torch::NoGradGuard no_grad;
    for (torch::Tensor& p : network->parameters()) p.add_(1.0);
  }
  EXPECT_EQ(folded->value_out.weight, before);
  EXPECT_EQ(folded->convolutions().size(), 2U * kSmallNetwork.blocks + 4U);
  for (const auto& [name, conv] : folded->convolutions()) {
    EXPECT_EQ(conv->weight.size(), static_cast<size_t>(conv->in_channels * conv->out_channels *
                                                       conv->kernel * conv->kernel))
        << name;
    EXPECT_EQ(conv->bias.size(), static_cast<size_t>(conv->out_channels)) << name;
  }
}

}  // namespace
}  // namespace khanzero
