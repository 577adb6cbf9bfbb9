// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <fstream>

#include "env/error.h"
#include "model/checkpoint.h"
#include "model/network.h"
#include "tests/train/sample_learner.h"
#include "train/learner_batch.h"
#include "train/learner_begin.h"
#include "train/learner_share.h"
#include "train/run_folder.h"

namespace khanzero {
namespace {

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
  EXPECT_LT(last.loss.policy + last.loss.value, first.loss.policy + first.loss.value);
  EXPECT_GT(before.loss.policy, 0.0);
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
      SaveTo(folder.path() / "half", config, half);
    }
    Learner resumed(config, folder.path() / "half");
    EXPECT_EQ(resumed.step(), 12);
    EXPECT_EQ(resumed.loop_state(), "{}");
    Train(resumed, window, 12);
    EXPECT_EQ(Weights(resumed), Weights(straight));
  }
}

// A run begun from a checkpoint: of the same size it learns what the first would have learned, the
// optimiser's memory included; a larger one says the same and learns on.
TEST_P(Learners, ARunBegunFromACheckpointGoesOnWithItsNetworkGrown) {
  Config config = SmallConfig(GetParam());
  ReplayWindow window = WindowOf(config, 12);
  const ScratchFolder folder;
  Learner first(config);
  Train(first, window, 12);
  SaveTo(folder.path() / "first", config, first);
  Train(first, window, 6);

  BeginRunFrom(folder.path() / "first", folder.path() / "same", config);
  Learner same(config, *RunFolder(folder.path() / "same").LatestCheckpoint());
  EXPECT_EQ(same.step(), 12);
  EXPECT_EQ(same.origin().find("first, 1 blocks x 8 channels"), 0U) << same.origin();
  Learner before(config, folder.path() / "first");
  Train(same, window, 6);
  EXPECT_EQ(Weights(same), Weights(first));

  Config large = config;
  large.network = {.blocks = 2, .channels = 12, .value_hidden = 10, .pooling_every = 2};
  BeginRunFrom(folder.path() / "first", folder.path() / "large", large);
  Learner grown(large, *RunFolder(folder.path() / "large").LatestCheckpoint());
  EXPECT_EQ(grown.step(), 12);
  EXPECT_NEAR(grown.Validate(window, 300).loss.policy, before.Validate(window, 300).loss.policy,
              1e-4);
  EXPECT_NEAR(grown.Validate(window, 300).loss.value, before.Validate(window, 300).loss.value,
              1e-4);
  const TrainingReport report = Train(grown, window, 20);
  EXPECT_EQ(report.steps, 20);
  EXPECT_EQ(report.returns, 0);
  EXPECT_EQ(grown.step(), 32);

  EXPECT_THROW(BeginRunFrom(folder.path() / "large", folder.path() / "x", config), InputError);
  Config other = config;
  other.game = GetParam() == "khans" ? "serbest" : "khans";
  EXPECT_THROW(BeginRunFrom(folder.path() / "first", folder.path() / "x", other), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "x"));
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
  EXPECT_TRUE(b.Folded(window)->calibrated());
  Train(a, window, 5);
  Train(b, window, 5);
  EXPECT_EQ(Weights(a), Weights(b));
}

INSTANTIATE_TEST_SUITE_P(Games, Learners, testing::ValuesIn(GameNames()),
                         [](const auto& tested) { return tested.param; });

// The policy loss is the mean over the samples that have a policy target, whatever others are
// there.
TEST(Learner, SamplesWithoutAPolicyTargetLeaveThePolicyLossAlone) {
  const Config config = SmallConfig("khans");
  const auto replayer = MakeReplayer("khans");
  ReplayWindow all(config.learner);
  ReplayWindow searched(config.learner);
  for (const GameRecord& record : PlayGames(WithCheapSearches(config), 12)) {
    all.Add(replayer->Replay(record));
    GameRecord part = record;
    std::erase_if(part.samples, [](const SampleRecord& sample) { return sample.target.empty(); });
    searched.Add(replayer->Replay(part));
  }
  ASSERT_LT(searched.training_positions(), all.training_positions() / 2);
  Learner learner(config);
  constexpr int kAll = 100000;
  const ValidationReport a = learner.Validate(all, kAll);
  const ValidationReport b = learner.Validate(searched, kAll);
  ASSERT_GT(b.samples, 0);
  EXPECT_GT(a.samples, b.samples);
  EXPECT_NEAR(a.loss.policy, b.loss.policy, 1e-4);
  EXPECT_NEAR(a.policy_divergence, b.policy_divergence, 1e-4);
  EXPECT_NEAR(a.top_move_agreement, b.top_move_agreement, 1e-6);
  // A batch without any policy target still has a value to learn.
  Config cheap = config;
  cheap.selfplay.full_search_share = 0.0;
  ReplayWindow none = WindowOf(cheap, 12);
  const TrainingReport report = Train(learner, none, 3);
  EXPECT_EQ(report.steps, 3);
  EXPECT_EQ(report.loss.policy, 0.0);
  EXPECT_GT(report.loss.value, 0.0);
}

TEST(Learner, ABrokenLossNeverReachesTheWeights) {
  Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 8);
  // A loss of infinite weight: every step's loss is infinite.
  config.learner.policy_weight = std::numeric_limits<double>::infinity();
  Learner learner(config);
  const std::vector<float> before = Weights(learner);
  EXPECT_THROW(Train(learner, window, 5), RuntimeFailure);
  // Running statistics of norms too: what passed through was infinite or not, it is undone.
  EXPECT_EQ(Weights(learner), before);
  EXPECT_EQ(learner.step(), 0);
}

TEST(Learner, ALeapingLossGoesBackAndThenSaysWhatToDo) {
  Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 12);
  config.learner.optimizer = OptimizerKind::kSgd;
  config.learner.learning_rate = 10.0;
  config.learner.warmup_steps = 0;
  config.learner.gradient_clip = 0.0;
  Learner learner(config);
  const std::vector<float> before = Weights(learner);
  try {
    Train(learner, window, 500);
    FAIL() << "no leap at a learning rate of 10";
  } catch (const RuntimeFailure& e) {
    EXPECT_NE(std::string(e.what()).find("learner.learning_rate"), std::string::npos) << e.what();
  }
  EXPECT_EQ(Weights(learner), before);
}

// With a bound just above the average, losses of good steps leap every now and then. Of a row of
// such bounds one must be met by leaps and by good steps between them.
TEST(Learner, GoesOnAfterALeap) {
  Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 12);
  config.learner.learning_rate = 0.02;
  int went_on = 0;
  for (const double leap : {1.0005, 1.001, 1.002, 1.005, 1.01, 1.02, 1.05}) {
    config.learner.loss_leap = leap;
    Learner learner(config);
    try {
      const TrainingReport report = Train(learner, window, 60);
      EXPECT_EQ(report.steps, 60);
      EXPECT_EQ(report.samples, 60 * config.learner.batch_size);
      EXPECT_EQ(learner.step(), 60);  // steps undone do not count
      went_on += report.returns > 0 ? 1 : 0;
    } catch (const RuntimeFailure&) {
      // Too tight: leap after leap.
    }
  }
  EXPECT_GT(went_on, 0);
}

TEST(Learner, ARepeatedBatchLeavesTheLearnerAsItWas) {
  const Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 12);
  Learner measured(config);
  Learner plain(config);
  Train(measured, window, 5);
  Train(plain, window, 5);
  measured.RepeatBatch(window, LearnerHeads::kConfigured,
                       [](int64_t samples) { return samples < 16 * 200; });
  EXPECT_EQ(Weights(measured), Weights(plain));
  EXPECT_EQ(measured.step(), plain.step());
  Train(measured, window, 5);
  Train(plain, window, 5);
  EXPECT_EQ(Weights(measured), Weights(plain));
}

// A stop between two steps is as if there had been none.
TEST(Learner, AStopInTheMiddleIsExact) {
  const Config config = SmallConfig("serbest");
  ReplayWindow window = WindowOf(config, 12);
  Learner straight(config);
  Train(straight, window, 12);

  const ScratchFolder folder;
  {
    Learner half(config);
    std::stop_source stop;
    const TrainingReport report =
        half.Train(window, 12, 0.0, stop.get_token(), [&](const TrainingReport& so_far) {
          if (so_far.steps == 5) stop.request_stop();
        });
    EXPECT_EQ(report.steps, 5);
    SaveTo(folder.path() / "half", config, half);
  }
  Learner resumed(config, folder.path() / "half");
  Train(resumed, window, 7);
  EXPECT_EQ(Weights(resumed), Weights(straight));
}

TEST(Learner, TheNetworkInPlayIsTheAverage) {
  Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 12);
  config.learner.ema_decay = 0.0;
  Learner plain(config);
  config.learner.ema_decay = 0.99;
  Learner averaged(config);
  EXPECT_EQ(Weights(plain), Weights(averaged));
  Train(plain, window, 10);
  Train(averaged, window, 10);
  EXPECT_NE(Weights(plain), Weights(averaged));
  // What is trained is the same: the average only looks on.
  const ScratchFolder folder;
  SaveTo(folder.path() / "plain", config, plain);
  SaveTo(folder.path() / "averaged", config, averaged);
  const Checkpoint a = LoadCheckpoint(folder.path() / "plain", nullptr);
  Checkpoint b = LoadCheckpoint(folder.path() / "averaged", nullptr);
  EXPECT_EQ(a.extra.count("trained.safetensors"), 0U);
  EXPECT_EQ(SerializeWeights(*a.network), b.extra.at("trained.safetensors"));
}

TEST(Learner, HeadsWithoutWeightAreNotTrained) {
  Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 12);
  Learner all(config);
  const TrainingReport with = Train(all, window, 3);
  EXPECT_GT(with.loss.reply, 0.0);
  EXPECT_GT(with.loss.survival, 0.0);
  EXPECT_GT(with.loss.moves_left, 0.0);
  config.learner.reply_weight = config.learner.survival_weight = 0.0;
  config.learner.moves_left_weight = 0.0;
  Learner none(config);
  const TrainingReport without = Train(none, window, 3);
  EXPECT_EQ(without.loss.reply, 0.0);
  EXPECT_EQ(without.loss.survival, 0.0);
  EXPECT_EQ(without.loss.moves_left, 0.0);
  EXPECT_NE(Weights(all), Weights(none));  // they do teach the tower something
}

// Every batch is the whole window, so that losses of different steps are those of the same samples.
TEST_P(Learners, AuxiliaryHeadsLearn) {
  Config config = SmallConfig(GetParam());
  config.learner.learning_rate = 0.01;
  config.learner.reply_weight = config.learner.survival_weight = 1.0;
  config.learner.moves_left_weight = 1.0;
  config.learner.mirror = false;
  config.learner.batch_size = 2000;
  ReplayWindow window = WindowOf(config, 8);
  ASSERT_LT(window.training_positions(), config.learner.batch_size);
  Learner learner(config);
  const HeadLosses first = Train(learner, window, 1).loss;
  Train(learner, window, 80);
  const HeadLosses last = Train(learner, window, 1).loss;
  EXPECT_LT(last.survival, first.survival);
  EXPECT_LT(last.moves_left, first.moves_left);
  EXPECT_LT(last.reply, first.reply);
  const ValidationReport after = learner.Validate(window, 500);
  EXPECT_GE(after.policy_divergence, 0.0);
  EXPECT_GT(after.calibration_error, 0.0);
  EXPECT_LE(after.calibration_error, 1.0);
}

TEST(Learner, AnotherNetworkSizeIsRefused) {
  Config config = SmallConfig("khans");
  const ScratchFolder folder;
  const Learner learner(config);
  SaveTo(folder.path() / "c", config, learner);
  config.network.channels = 16;
  EXPECT_THROW(Learner(config, folder.path() / "c"), InputError);
}

TEST(Learner, AnotherGamesCheckpointIsRefusedWithBothNames) {
  const ScratchFolder folder;
  Config config = SmallConfig("khans");
  const Learner learner(config);
  SaveTo(folder.path() / "c", config, learner);
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
  const LearnerBatch batch =
      MakeLearnerBatch(*replayer, window.Draw(ReplayWindow::Part::kTraining, 16, random),
                       config.learner, Targets::kAll, random);
  EXPECT_TRUE(torch::allclose(batch.moves.policy.sum(1), torch::ones({batch.size()})));
  EXPECT_EQ(batch.moves.policy.masked_select(batch.moves.padding).abs().sum().item<float>(), 0.0F);
  EXPECT_TRUE(torch::allclose(batch.wdl.sum(1), torch::ones({batch.size()})));

  const torch::Tensor logits =
      torch::randn({batch.size(), replayer->info().shape.policy_size()}).requires_grad_();
  const torch::Tensor log_policy = torch::log_softmax(
      logits.gather(1, batch.moves.indices).masked_fill(batch.moves.padding, -1e9), 1);
  (-(batch.moves.policy * log_policy).sum()).backward();
  torch::Tensor legal = torch::zeros_like(logits, torch::kBool);
  for (int64_t row = 0; row < batch.size(); ++row) {
    const torch::Tensor moves = batch.moves.indices[row].masked_select(~batch.moves.padding[row]);
    legal[row].index_fill_(0, moves, true);
  }
  EXPECT_EQ(logits.grad().masked_select(~legal).abs().max().item<float>(), 0.0F);
  EXPECT_GT(logits.grad().masked_select(legal).abs().max().item<float>(), 0.0F);
}

// What learners that share a batch get of it, after its way through the network.
TEST(LearnerBatch, SharesAreTheWholeToTheLastBit) {
  const Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 8);
  const auto replayer = MakeReplayer("khans");
  Random random(1);
  const LearnerBatch batch =
      MakeLearnerBatch(*replayer, window.Draw(ReplayWindow::Part::kTraining, 32, random),
                       config.learner, Targets::kAll, random);
  constexpr int kLearners = 3;  // 32 is not a multiple of it
  std::vector<LearnerBatch> shares;
  for (int rank = 0; rank < kLearners; ++rank) {
    shares.push_back(UnpackBatch(PackBatch(ShareOf(batch, rank, kLearners))));
    EXPECT_EQ(shares.back().totals.samples, 32.0);
    EXPECT_EQ(shares.back().totals.survival, batch.survival_weight.sum().item<double>());
    EXPECT_TRUE(shares.back().planes.is_contiguous(torch::MemoryFormat::ChannelsLast));
  }
  const auto expect_same = [&](const auto& part) {
    std::vector<torch::Tensor> parts;
    for (const LearnerBatch& share : shares) parts.push_back(part(share));
    EXPECT_TRUE(torch::equal(torch::cat(parts), part(batch)));
  };
  expect_same([](const LearnerBatch& b) { return b.planes; });
  expect_same([](const LearnerBatch& b) { return b.moves.indices; });
  expect_same([](const LearnerBatch& b) { return b.moves.padding; });
  expect_same([](const LearnerBatch& b) { return b.moves.policy; });
  expect_same([](const LearnerBatch& b) { return b.replies.weight; });
  expect_same([](const LearnerBatch& b) { return b.wdl; });
  expect_same([](const LearnerBatch& b) { return b.survival; });
  expect_same([](const LearnerBatch& b) { return b.moves_left_weight; });

  const std::string packed = PackBatch(batch);
  EXPECT_LT(packed.size(), batch.planes.nbytes() / 8);
  EXPECT_THROW(UnpackBatch(packed.substr(0, packed.size() / 2)), RuntimeFailure);
  EXPECT_THROW(UnpackBatch("nonsense"), RuntimeFailure);
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
  LearnerBatch batch = MakeLearnerBatch(*replayer, samples, config.learner, Targets::kAll, random);
  EXPECT_EQ(batch.value_weight.sum().item<float>(), 8.0F);
  EXPECT_EQ(batch.wdl.select(1, 1).sum().item<float>(), 8.0F);
  config.learner.capped_games = CappedGames::kSkip;
  batch = MakeLearnerBatch(*replayer, samples, config.learner, Targets::kAll, random);
  EXPECT_EQ(batch.value_weight.sum().item<float>(), 0.0F);
}

}  // namespace
}  // namespace khanzero
