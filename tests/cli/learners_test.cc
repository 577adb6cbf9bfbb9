// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero train --learners: two processes share the steps of one run, die, and go on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"
#include "tests/cli/scratch_run.h"
#include "tests/train/free_port.h"

namespace khanzero {
namespace {

// Two learners of one run, started as a launcher starts them: the same command with another RANK.
class TwoLearners {
 public:
  explicit TwoLearners(const std::vector<std::string>& arguments) {
    setenv("WORLD_SIZE", "2", 1);
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    setenv("MASTER_PORT", std::to_string(FreePort()).c_str(), 1);
    for (const char* const rank : {"0", "1"}) {
      setenv("RANK", rank, 1);
      learners_.push_back(std::make_unique<RunningKhanzero>(arguments));
    }
    for (const char* const name : {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT"}) {
      unsetenv(name);
    }
  }
  RunningKhanzero& operator[](size_t rank) { return *learners_[rank]; }

 private:
  std::vector<std::unique_ptr<RunningKhanzero>> learners_;
};

std::vector<std::string> With(const ScratchRun& run, int games) {
  return run.Train({"--learners", "2", "--set", "loop.max_games=" + std::to_string(games), "--set",
                    "evaluation.final_pairs=0"});
}

TEST(TrainWithLearners, ALostOneEndsTheOtherAndTheRunGoesOn) {
  const ScratchRun run("khans");
  constexpr int kEndless = 1'000'000;
  for (const size_t killed : {1U, 0U}) {
    TwoLearners learners(With(run, kEndless));
    ASSERT_TRUE(learners[0].WaitFor("Cycle ")) << learners[0].printed();
    learners[killed].Signal(SIGKILL);
    RunningKhanzero& other = learners[1 - killed];
    EXPECT_EQ(other.Wait(), 1) << other.printed();
    EXPECT_NE(other.printed().find("khanzero: learner " + std::to_string(killed) + " of 2 is gone"),
              std::string::npos)
        << other.printed();
  }
  {
    // Whichever is asked to stop, both end with a checkpoint.
    TwoLearners learners(With(run, kEndless));
    ASSERT_TRUE(learners[0].WaitFor("Going on with khans")) << learners[0].printed();
    ASSERT_TRUE(learners[0].WaitFor("Cycle ")) << learners[0].printed();
    learners[1].Signal(SIGTERM);
    EXPECT_EQ(learners[0].Wait(), 0) << learners[0].printed();
    EXPECT_NE(learners[0].printed().find("Stopped; everything is saved"), std::string::npos)
        << learners[0].printed();
    EXPECT_EQ(learners[1].Wait(), 0) << learners[1].printed();
  }
  TwoLearners learners(With(run, static_cast<int>(run.StoredGames()) + 12));
  EXPECT_EQ(learners[0].Wait(), 0) << learners[0].printed();
  EXPECT_EQ(learners[1].Wait(), 0) << learners[1].printed();
  EXPECT_NE(learners[1].printed().find("steps made with the others"), std::string::npos)
      << learners[1].printed();
}

TEST(TrainWithLearners, NeedsItsPlaceInTheEnvironment) {
  const ScratchRun run("khans");
  ExpectRefused(With(run, 2), "--learners needs WORLD_SIZE in the environment");
  setenv("WORLD_SIZE", "4", 1);
  ExpectRefused(With(run, 2), "--learners is 2, but WORLD_SIZE in the environment is 4");
  unsetenv("WORLD_SIZE");
  ExpectRefused(run.Train({"--learners", "0"}), "--learners");
  EXPECT_FALSE(std::filesystem::exists(run.path()));
}

}  // namespace
}  // namespace khanzero
