// SPDX-License-Identifier: GPL-3.0-or-later
//
// Several learners as one, each in a thread of its own, over the loopback.
#include "train/learner_group.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <future>

#include "env/error.h"
#include "model/cpu_features.h"
#include "model/files.h"
#include "tests/train/free_port.h"
#include "tests/train/sample_learner.h"
#include "train/learner_place.h"

namespace khanzero {
namespace {

void SayNothing(const std::string& /*text*/) {}

// With beats so close together that they fall between any two calls.
LearnerPlace PlaceAt(uint16_t port, int rank, int learners = 2) {
  return {.rank = rank,
          .learners = learners,
          .address = "127.0.0.1",
          .port = port,
          .patience = std::chrono::minutes(1),
          .beat = std::chrono::milliseconds(1)};
}

// A learner of rank 1 or more.
std::future<FollowSummary> Follow(const LearnerPlace& place) {
  return std::async(std::launch::async, [place] {
    return FollowTraining({.place = place, .settings = {}, .stop = {}, .say = SayNothing});
  });
}

// What `call` throws of this kind, as text.
template <class Error, class F>
std::string ErrorOf(const F& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing";
}

// Everything that a loss can have: all heads, pooling, samples without a policy target.
Config EverythingOf(const std::string& game) {
  Config config = WithCheapSearches(SmallConfig(game));
  config.network = {.blocks = 2, .channels = 8, .value_hidden = 8, .pooling_every = 2};
  return config;
}

float LargestDifference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  float largest = 0.0F;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

class LearnerGroups : public testing::TestWithParam<std::string> {
 protected:
  // Trains with one learner on batches of learners * 16, then with so many learners on 16 each.
  static void Compare(const Config& config, int learners, float tolerance) {
    ReplayWindow window = WindowOf(config, 12);
    Config larger = config;
    larger.learner.batch_size = learners * config.learner.batch_size;
    Learner one(larger);
    Train(one, window, 6);
    const TrainingReport alone = Train(one, window, 6);

    const uint16_t port = FreePort();
    std::vector<std::future<FollowSummary>> followers;
    for (int rank = 1; rank < learners; ++rank) {
      followers.push_back(Follow(PlaceAt(port, rank, learners)));
    }
    Learner first(config);
    ASSERT_TRUE(first.Lead(PlaceAt(port, 0, learners), std::stop_source(), SayNothing));
    EXPECT_EQ(first.samples_a_step(), larger.learner.batch_size);
    Train(first, window, 6);
    first.Validate(window, 100);
    const TrainingReport shared = Train(first, window, 6);
    first.Dismiss();

    EXPECT_EQ(shared.samples, alone.samples);
    EXPECT_NEAR(shared.loss.policy, alone.loss.policy, tolerance);
    EXPECT_NEAR(shared.loss.value, alone.loss.value, tolerance);
    EXPECT_NEAR(shared.loss.reply, alone.loss.reply, tolerance);
    EXPECT_NEAR(shared.loss.survival, alone.loss.survival, tolerance);
    EXPECT_NEAR(shared.loss.moves_left, alone.loss.moves_left, tolerance);
    EXPECT_NEAR(shared.policy_entropy, alone.policy_entropy, tolerance);
    EXPECT_NEAR(shared.gradient_norm, alone.gradient_norm, tolerance * alone.gradient_norm);
    EXPECT_LT(LargestDifference(Weights(first), Weights(one)), tolerance);
    // And all of them have the same, to the last bit.
    const ScratchFolder folder;
    SaveTo(folder.path() / "first", config, first);
    const std::string trained =
        ChecksumOf(ReadFile(folder.path() / "first" / "trained.safetensors"));
    for (std::future<FollowSummary>& follower : followers) {
      const FollowSummary summary = follower.get();
      EXPECT_EQ(summary.steps, 12);
      EXPECT_EQ(summary.weights, trained);
    }
  }
};

TEST_P(LearnerGroups, TwoAreOneWithTheDoubledBatch) {
  Config config = EverythingOf(GetParam());
  config.learner.optimizer = OptimizerKind::kSgd;
  // An empty board has many equal squares, and which of them is the largest is up to rounding.
  if (GetParam() == "serbest") config.network.pooling_every = 0;
  Compare(config, 2, 1e-5F);
}

INSTANTIATE_TEST_SUITE_P(Games, LearnerGroups, testing::ValuesIn(GameNames()),
                         [](const auto& tested) { return tested.param; });

// AdamW divides by the size of gradients, and so lets their rounding grow.
TEST_F(LearnerGroups, ThreeWithAdamWAreOneWithTheTripledBatch) {
  Compare(EverythingOf("khans"), 3, 1e-3F);
}

TEST_F(LearnerGroups, TwoAreOneInBf16) {
  if (!ThisCpu().bf16) GTEST_SKIP() << "no bf16 here";
  Config config = EverythingOf("khans");
  config.learner.optimizer = OptimizerKind::kSgd;
  config.learner.precision = Precision::kBf16;
  Compare(config, 2, 2e-2F);
}

// As Learner.GoesOnAfterALeap: of a row of bounds one is met by leaps and by good steps.
TEST(LearnerGroup, AllGoBackTogetherAfterALeap) {
  Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 12);
  config.learner.batch_size = 8;
  config.learner.learning_rate = 0.02;
  int went_on = 0;
  for (const double leap : {1.001, 1.002, 1.005, 1.01, 1.02, 1.05}) {
    if (went_on > 0) break;
    config.learner.loss_leap = leap;
    const uint16_t port = FreePort();
    std::future<FollowSummary> follower = Follow(PlaceAt(port, 1));
    Learner first(config);
    first.Lead(PlaceAt(port, 0), std::stop_source(), SayNothing);
    try {
      const TrainingReport report = Train(first, window, 60);
      first.Dismiss();
      const ScratchFolder folder;
      SaveTo(folder.path() / "first", config, first);
      EXPECT_EQ(follower.get().weights,
                ChecksumOf(ReadFile(folder.path() / "first" / "trained.safetensors")));
      went_on += report.returns > 0 ? 1 : 0;
    } catch (const RuntimeFailure&) {
      first.Dismiss();
    }
  }
  EXPECT_GT(went_on, 0);
}

TEST(LearnerGroup, ALostFollowerEndsTheStepWithAWord) {
  const Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 8);
  const uint16_t port = FreePort();
  // Takes the state and the first step, and is gone in the middle of it.
  const auto lost = std::async(std::launch::async, [port] {
    const auto group = JoinLearners(PlaceAt(port, 1), {}, SayNothing);
    std::string message;
    do {
      message = group->Receive(0);
    } while (message.front() != 'b');
  });
  Learner first(config);
  first.Lead(PlaceAt(port, 0), std::stop_source(), SayNothing);
  const std::string error = ErrorOf<RuntimeFailure>([&] { Train(first, window, 100); });
  EXPECT_EQ(error.find("learner 1 of 2 is gone"), 0U) << error;
  EXPECT_NE(error.find("last checkpoint"), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

TEST(LearnerGroup, ALostFirstLearnerEndsTheOthersWithAWord) {
  const Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 8);
  const uint16_t port = FreePort();
  std::future<FollowSummary> follower = Follow(PlaceAt(port, 1));
  {
    Learner first(config);
    first.Lead(PlaceAt(port, 0), std::stop_source(), SayNothing);
    Train(first, window, 2);
  }
  const std::string error = ErrorOf<RuntimeFailure>([&] { follower.get(); });
  EXPECT_EQ(error.find("learner 0 of 2 is gone"), 0U) << error;
}

TEST(LearnerGroup, WhenOneIsAskedToStopAllStopTogether) {
  const Config config = SmallConfig("khans");
  ReplayWindow window = WindowOf(config, 8);
  const uint16_t port = FreePort();
  std::stop_source at_follower;
  at_follower.request_stop();
  std::stop_source after_joining;
  std::future<FollowSummary> follower = std::async(std::launch::async, [&] {
    return FollowTraining({.place = PlaceAt(port, 1),
                           .settings = {},
                           .stop = after_joining.get_token(),
                           .say = [&](const std::string& text) {
                             if (text.find("all are there") != std::string::npos) {
                               after_joining.request_stop();
                             }
                           }});
  });
  Learner first(config);
  const std::stop_source stop;
  first.Lead(PlaceAt(port, 0), stop, SayNothing);
  EXPECT_LT(Train(first, window, 100000).steps, 100000);
  EXPECT_TRUE(stop.stop_requested());
  first.Dismiss();
  EXPECT_TRUE(follower.get().stopped);
  // Before the others are there, it just does not wait for them.
  EXPECT_EQ(JoinLearners(PlaceAt(FreePort(), 0), at_follower.get_token(), SayNothing), nullptr);
}

TEST(LearnerGroup, LearnersThatDoNotFitOrDoNotComeAreNamed) {
  const uint16_t port = FreePort();
  const auto join = [](const LearnerPlace& place) { JoinLearners(place, {}, SayNothing); };
  auto other = std::async(std::launch::async,
                          [&] { return ErrorOf<InputError>([&] { join(PlaceAt(port, 1, 3)); }); });
  const std::string error = ErrorOf<InputError>([&] { join(PlaceAt(port, 0, 2)); });
  EXPECT_NE(error.find("learner 1 has learners 3, this one 2"), std::string::npos) << error;
  EXPECT_NE(other.get().find("learner 0 has learners 2, this one 3"), std::string::npos);

  LearnerPlace hasty = PlaceAt(FreePort(), 0);
  hasty.patience = std::chrono::milliseconds(1);
  const std::string missing = ErrorOf<RuntimeFailure>([&] { join(hasty); });
  EXPECT_EQ(missing.find("learner 1 of 2 did not come to 127.0.0.1:"), 0U) << missing;
}

TEST(LearnerPlaces, ComeFromTheEnvironment) {
  const auto set = [](const char* size, const char* rank, const char* address, const char* port) {
    setenv("WORLD_SIZE", size, 1);
    setenv("RANK", rank, 1);
    setenv("MASTER_ADDR", address, 1);
    setenv("MASTER_PORT", port, 1);
  };
  const auto refusal = [] { return ErrorOf<InputError>([] { ReadLearnerPlace(2); }); };
  set("2", "1", "here", "");
  const LearnerPlace place = ReadLearnerPlace(2);
  EXPECT_EQ(place.rank, 1);
  EXPECT_EQ(place.learners, 2);
  EXPECT_EQ(place.address, "here");
  EXPECT_EQ(place.port, 29500);
  set("3", "1", "here", "");
  EXPECT_NE(refusal().find("WORLD_SIZE in the environment is 3"), std::string::npos) << refusal();
  set("2", "2", "here", "");
  EXPECT_NE(refusal().find("RANK in the environment is '2'"), std::string::npos) << refusal();
  set("2", "1", "", "");
  EXPECT_NE(refusal().find("MASTER_ADDR"), std::string::npos) << refusal();
  set("2", "1", "here", "http");
  EXPECT_NE(refusal().find("MASTER_PORT"), std::string::npos) << refusal();
  for (const char* const name : {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT"}) {
    unsetenv(name);
  }
  EXPECT_NE(refusal().find("WORLD_SIZE"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace khanzero
