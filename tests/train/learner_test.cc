// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <fstream>

#include "env/error.h"
#include "model/folded_network.h"
#include "model/network.h"
#include "tests/train/sample_games.h"
#include "train/learner_batch.h"

namespace khanzero {
namespace {

ReplayWindow WindowOf(const Config& config, int64_t games) {
  const auto replayer = MakeReplayer(config.game);
  ReplayWindow window(config.learner);
  for (const GameRecord& game : PlayGames(config, games)) window.Add(replayer->Replay(game));
  return window;
}

TrainingReport Train(Learner& learner, ReplayWindow& window, int64_t steps) {
  return learner.Train(window, steps, 0.0, std::stop_token(), [](const TrainingReport&) {});
}

CheckpointInfo InfoFor(const Config& config, const Learner& learner) {
  return {.game = InfoOfGame(config.game),
          .network = config.network,
          .step = learner.step(),
          .config_yaml = ToYaml(config),
          .program_version = {},
          .date = {}};
}

// All weights of a network, to compare two to the last bit.
std::vector<float> Weights(const Learner& learner) {
  const auto folded = learner.Folded();
  std::vector<float> all;
  for (const auto& [name, layer] : folded->convolutions()) {
    all.insert(all.end(), layer->weight.begin(), layer->weight.end());
    all.insert(all.end(), layer->bias.begin(), layer->bias.end());
  }
  for (const auto& [name, layer] : folded->linears()) {
    all.insert(all.end(), layer->weight.begin(), layer->weight.end());
    all.insert(all.end(), layer->bias.begin(), layer->bias.end());
  }
  return all;
}

class Learners : public testing::TestWithParam<std::string> {};

TEST_P(Learners, LossesFall) {
  Config config = SmallConfig(GetParam());
  config.learner.learning_rate = 0.01;
  ReplayWindow window = WindowOf(config, 12);
  Learner learner(config);
  const ValidationReport before = learner.Validate(window, 500);
  const TrainingReport first = Train(learner, window, 10);
  Train(learner, window, 60);
  const TrainingReport last = Train(learner, window, 10);
  EXPECT_EQ(learner.step(), 80);
  EXPECT_LT(last.policy_loss + last.value_loss, first.policy_loss + first.value_loss);
  EXPECT_GT(before.policy_loss, 0.0);
}

TEST_P(Learners, ResumeIsExact) {
  for (const OptimizerKind kind : {OptimizerKind::kAdamW, OptimizerKind::kSgd}) {
    Config config = SmallConfig(GetParam());
    config.learner.optimizer = kind;
    ReplayWindow window = WindowOf(config, 12);
    Learner straight(config);
    Train(straight, window, 12);
    Train(straight, window, 12);

    const ScratchFolder folder;
    {
      Learner half(config);
      Train(half, window, 12);
      half.Save(folder.path() / "half", InfoFor(config, half), "{}");
    }
    Learner resumed(config, folder.path() / "half");
    EXPECT_EQ(resumed.step(), 12);
    EXPECT_EQ(resumed.loop_state(), "{}");
    Train(resumed, window, 12);
    EXPECT_EQ(Weights(resumed), Weights(straight));
  }
}

TEST_P(Learners, TheSameSeedLearnsTheSame) {
  const Config config = SmallConfig(GetParam());
  ReplayWindow window = WindowOf(config, 8);
  Learner a(config);
  Learner b(config);
  EXPECT_EQ(Weights(a), Weights(b));
  Train(a, window, 5);
  Train(b, window, 5);
  EXPECT_EQ(Weights(a), Weights(b));
}

TEST_P(Learners, LookingChangesNothing) {
  const Config config = SmallConfig(GetParam());
  ReplayWindow window = WindowOf(config, 12);
  Learner a(config);
  Learner b(config);
  Train(a, window, 5);
  Train(b, window, 5);
  b.Validate(window, 300);
  Train(a, window, 5);
  Train(b, window, 5);
  EXPECT_EQ(Weights(a), Weights(b));
}

INSTANTIATE_TEST_SUITE_P(Games, Learners, testing::ValuesIn(GameNames()),
                         [](const auto& tested) { return tested.param; });

TEST(Learner, ABrokenLossNeverReachesTheWeights) {
  Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 8);
  // A loss of infinite weight: every step's loss is infinite.
  config.learner.policy_weight = std::numeric_limits<double>::infinity();
  Learner learner(config);
  const auto before = learner.Folded();
  const TrainingReport report = Train(learner, window, 5);
  EXPECT_EQ(report.skipped_steps, 5);
  // Layers without a norm are as they were to the last bit. Where a norm is folded in, its running
  // statistics have moved with what passed through.
  const auto after = learner.Folded();
  EXPECT_EQ(after->value_hidden.weight, before->value_hidden.weight);
  EXPECT_EQ(after->value_out.weight, before->value_out.weight);
  EXPECT_EQ(after->policy_out.weight, before->policy_out.weight);
  EXPECT_EQ(after->policy_out.bias, before->policy_out.bias);
  for (const float w : Weights(learner)) EXPECT_TRUE(std::isfinite(w));
  EXPECT_THROW(Train(learner, window, 100), RuntimeFailure);
}

TEST(Learner, AnotherNetworkSizeIsRefused) {
  Config config = SmallConfig("khans");
  const ScratchFolder folder;
  const Learner learner(config);
  learner.Save(folder.path() / "c", InfoFor(config, learner), "{}");
  config.network.channels = 16;
  EXPECT_THROW(Learner(config, folder.path() / "c"), InputError);
}

TEST(Learner, AnotherGamesCheckpointIsRefusedWithBothNames) {
  const ScratchFolder folder;
  Config config = SmallConfig("khans");
  const Learner learner(config);
  learner.Save(folder.path() / "c", InfoFor(config, learner), "{}");
  config.game = "serbest";
  try {
    Learner other(config, folder.path() / "c");
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("khans"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("serbest"), std::string::npos) << e.what();
  }
}

TEST(Learner, ACheckpointWithoutTrainingStateIsRefused) {
  const ScratchFolder folder;
  const Config config = SmallConfig("khans");
  const Learner learner(config);
  Network network(InfoOfGame("khans").shape, config.network);
  SaveCheckpoint(folder.path() / "c", InfoFor(config, learner), *network);
  EXPECT_THROW(Learner(config, folder.path() / "c"), InputError);
}

// The batch the learner sees: targets sum to 1, illegal moves have probability 0 and, through the
// gather, gradient exactly 0.
TEST(LearnerBatch, IllegalMovesHaveNoTargetAndNoGradient) {
  const Config config = SmallConfig("serbest");
  ReplayWindow window = WindowOf(config, 8);
  const auto replayer = MakeReplayer("serbest");
  Random random(1);
  const LearnerBatch batch = MakeLearnerBatch(
      *replayer, window.Draw(ReplayWindow::Part::kTraining, 16, random), config.learner, random);
  EXPECT_TRUE(torch::allclose(batch.policy.sum(1), torch::ones({batch.size()})));
  EXPECT_EQ(batch.policy.masked_select(batch.move_padding).abs().sum().item<float>(), 0.0F);
  EXPECT_TRUE(torch::allclose(batch.wdl.sum(1), torch::ones({batch.size()})));

  const torch::Tensor logits =
      torch::randn({batch.size(), replayer->info().shape.policy_size()}).requires_grad_();
  const torch::Tensor log_policy = torch::log_softmax(
      logits.gather(1, batch.move_indices).masked_fill(batch.move_padding, -1e9), 1);
  (-(batch.policy * log_policy).sum()).backward();
  torch::Tensor legal = torch::zeros_like(logits, torch::kBool);
  for (int64_t row = 0; row < batch.size(); ++row) {
    const torch::Tensor moves = batch.move_indices[row].masked_select(~batch.move_padding[row]);
    legal[row].index_fill_(0, moves, true);
  }
  EXPECT_EQ(logits.grad().masked_select(~legal).abs().max().item<float>(), 0.0F);
  EXPECT_GT(logits.grad().masked_select(legal).abs().max().item<float>(), 0.0F);
}

TEST(LearnerBatch, CappedGamesCountAsConfigured) {
  Config config = SmallConfig("khans");
  config.selfplay.max_plies = 4;
  config.learner.root_value_share = 0.0;
  config.learner.validation_share = 0.0;
  ReplayWindow window = WindowOf(config, 8);
  const auto replayer = MakeReplayer("khans");
  Random random(1);
  const auto samples = window.Draw(ReplayWindow::Part::kTraining, 8, random);
  config.learner.capped_games = CappedGames::kDraw;
  LearnerBatch batch = MakeLearnerBatch(*replayer, samples, config.learner, random);
  EXPECT_EQ(batch.value_weight.sum().item<float>(), 8.0F);
  EXPECT_EQ(batch.wdl.select(1, 1).sum().item<float>(), 8.0F);
  config.learner.capped_games = CappedGames::kSkip;
  batch = MakeLearnerBatch(*replayer, samples, config.learner, random);
  EXPECT_EQ(batch.value_weight.sum().item<float>(), 0.0F);
}

}  // namespace
}  // namespace khanzero
