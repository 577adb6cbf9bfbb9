// SPDX-License-Identifier: GPL-3.0-or-later
//
// Actors and learner as processes of their own, by either link: a run's folder, or Redis.
// KHANZERO_KILLS sets the number of kills. scripts/cluster_torture.sh does the same for longer.
#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "env/random.h"
#include "model/files.h"
#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"
#include "tests/cli/scratch_run.h"
#include "tests/cluster/redis_server.h"

namespace khanzero {
namespace {

const std::vector<std::string> kNoMatches = {"--set", "evaluation.every_cycles=0", "--set",
                                             "evaluation.final_pairs=0"};

std::vector<std::string> With(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::set<uint64_t> StoredIds(const ScratchRun& run, const std::string& name = "khans") {
  std::set<uint64_t> ids;
  ReplayStore(run.path() / "replay.db", name, ReplayStore::Access::kReadOnly)
      .ReadAfter(0, 1'000'000, [&](const StoredGame& game) {
        EXPECT_TRUE(ids.insert(game.columns.id).second) << "twice: " << game.columns.id;
      });
  return ids;
}

// Until the learner has stored what waits.
void AwaitEmptyStream(const std::string& url) {
  for (int i = 0; i < 200; ++i) {
    const RunResult asked = RunKhanzero({"status", "--connect", url, "--json"});
    ASSERT_EQ(asked.exit_code, 0) << asked.err;
    if (nlohmann::json::parse(asked.out).at("stream").at("batches").get<int>() == 0) return;
  }
  FAIL() << "the stream is not emptied";
}

// The same games of actors by either link, in either game.
class Links : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() != "redis") return;
    if (!RedisServer::Installed()) GTEST_SKIP() << "redis-server is not installed";
    server_ = std::make_unique<RedisServer>();
  }
  std::vector<std::string> Learner() const {
    return server_ ? std::vector<std::string>{"--listen", server_->url()}
                   : std::vector<std::string>{};
  }
  std::vector<std::string> Actor(const ScratchRun& run) const {
    return server_ ? std::vector<std::string>{"selfplay", "--connect", server_->url()}
                   : std::vector<std::string>{"selfplay", "--run", run.path().string()};
  }

  std::string Game() const { return GetParam() == "folder_serbest" ? "serbest" : "khans"; }

  std::unique_ptr<RedisServer> server_;
};

// Two actors beside one learner; one of them is killed.
TEST_P(Links, ActorsPlayForALearnerAndTakeItsNetworks) {
  const ScratchRun run(Game());
  if (!server_) ExpectRefused(Actor(run), "is not a run");
  RunningKhanzero learner(
      run.Train(With(With(kNoMatches, Learner()),
                     {"--set", "loop.max_games=1000000", "--set", "loop.games_per_cycle=10"})));
  ASSERT_TRUE(learner.WaitFor("Inference on")) << learner.printed();
  RunningKhanzero killed(Actor(run));
  ASSERT_TRUE(killed.WaitFor("Playing with step-")) << killed.printed();
  RunningKhanzero follows(Actor(run));
  ASSERT_TRUE(follows.WaitFor("Playing with step-")) << follows.printed();
  ASSERT_TRUE(follows.WaitFor("Playing with step-")) << follows.printed();  // a newer one
  killed.Signal(SIGKILL);
  killed.Wait();
  const RunResult counted = RunKhanzero(With(Actor(run), {"--games", "20", "--json"}));
  EXPECT_EQ(counted.exit_code, 0) << counted.err;
  EXPECT_GE(nlohmann::json::parse(counted.out).at("games").get<int64_t>(), 20);
  follows.Signal(SIGTERM);
  EXPECT_EQ(follows.Wait(), 0) << follows.printed();
  if (server_) AwaitEmptyStream(server_->url());
  learner.Signal(SIGTERM);
  EXPECT_EQ(learner.Wait(), 0) << learner.printed();
  const auto stored = static_cast<int64_t>(StoredIds(run, Game()).size());
  EXPECT_GE(stored, 20);
  int64_t of_actors = 0;
  ReplayStore(run.path() / "replay.db", Game(), ReplayStore::Access::kReadOnly)
      .ReadAfter(0, 1'000'000, [&](const StoredGame& game) {
        of_actors += game.columns.number >= (uint64_t{1} << 40) ? 1 : 0;
      });
  EXPECT_GE(of_actors, 20);
  EXPECT_EQ(RunKhanzero({"data", "check", "--run", run.path().string()}).exit_code, 0);
  // And it goes on by itself, with their games in its window; they are many, so few steps are due.
  const RunResult on = RunKhanzero(
      run.Train(With(kNoMatches, {"--set", "loop.max_games=" + std::to_string(stored + 6), "--set",
                                  "learner.samples_per_position=0.01"})));
  EXPECT_EQ(on.exit_code, 0) << on.err;
  EXPECT_GE(run.StoredGames(), stored + 6);
}

// With a learner that plays, too.
TEST_P(Links, FirstGamesArePlayedUniformly) {
  const ScratchRun run(Game());
  std::vector<std::string> train = run.Train(
      With(kNoMatches, {"--set", "loop.max_games=1000000", "--set", "loop.uniform_games=1000000"}));
  if (server_) train = With(With(train, Learner()), {"--own-games"});
  RunningKhanzero learner(train);
  ASSERT_TRUE(learner.WaitFor("Inference on")) << learner.printed();
  const RunResult actor = RunKhanzero(With(Actor(run), {"--games", "3"}));
  EXPECT_EQ(actor.exit_code, 0) << actor.err;
  EXPECT_NE(actor.err.find("Playing with uniform priors"), std::string::npos) << actor.err;
  ASSERT_TRUE(learner.WaitFor("self-play")) << learner.printed();
  learner.Signal(SIGTERM);
  EXPECT_EQ(learner.Wait(), 0) << learner.printed();
}

INSTANTIATE_TEST_SUITE_P(Ways, Links, testing::Values("folder", "folder_serbest", "redis"),
                         [](const auto& tested) { return tested.param; });

class ClusterCommands : public RedisTest {};

TEST_F(ClusterCommands, ARunOfActorsAloneComesToItsEnd) {
  const RedisServer server;
  const ScratchRun run("serbest");
  ExpectRefused({"status", "--connect", server.url()}, "no learner has announced a run");
  RunningKhanzero learner(
      run.Train(With(kNoMatches, {"--listen", server.url(), "--set", "loop.max_games=1000000"})));
  ASSERT_TRUE(learner.WaitFor("Listening to actors at " + server.url())) << learner.printed();
  RunningKhanzero one(
      {"selfplay", "--connect", server.url(), "--spool", (run.folder() / "spool").string()});
  ASSERT_TRUE(one.WaitFor("Playing with")) << one.printed();
  RunningKhanzero two({"selfplay", "--connect", server.url()});
  ASSERT_TRUE(two.WaitFor("Playing with")) << two.printed();

  const RunResult asked = RunKhanzero({"status", "--connect", server.url(), "--json"});
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  const auto status = nlohmann::json::parse(asked.out);
  EXPECT_EQ(status.at("game"), "serbest");
  EXPECT_EQ(status.at("actors_alive").get<int>(), 2) << asked.out;
  EXPECT_EQ(status.at("actors").size(), 2u) << asked.out;
  EXPECT_TRUE(status.at("learner").at("alive").get<bool>()) << asked.out;
  EXPECT_FALSE(status.at("network").at("name").get<std::string>().empty());
  EXPECT_EQ(status.at("versions").size(), 1u) << asked.out;
  const RunResult text = RunKhanzero({"status", "--connect", server.url()});
  EXPECT_NE(text.out.find("actors   2 alive"), std::string::npos) << text.out;

  two.Signal(SIGTERM);
  EXPECT_EQ(two.Wait(), 0) << two.printed();
  // With the third network the metrics of the first cycle are written.
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(one.WaitFor("Playing with")) << one.printed();
  learner.Signal(SIGTERM);
  EXPECT_EQ(learner.Wait(), 0) << learner.printed();
  const RunResult last = RunKhanzero(
      run.Train(With(kNoMatches, {"--listen", server.url(), "--json"})));  // its budget is spent
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(one.Wait(), 0) << one.printed();  // actors are told that the run is finished
  EXPECT_NE(one.printed().find("The run is finished"), std::string::npos) << one.printed();
  EXPECT_GE(run.StoredGames(), 12);
  std::istringstream metrics(ReadFile(run.path() / "metrics.jsonl"));
  std::string line;
  ASSERT_TRUE(std::getline(metrics, line));
  const auto cycle = nlohmann::json::parse(line);
  EXPECT_GE(cycle.at("actors").at("games").get<int>(), 6) << line;
  EXPECT_GE(cycle.at("self_play").at("games").get<int>(), 6) << line;
  EXPECT_EQ(cycle.at("actors").at("refused").get<int>(), 0) << line;
}

TEST_F(ClusterCommands, WhatCannotWorkIsRefused) {
  const RedisServer server;
  const ScratchRun run("khans");
  ExpectRefused({"selfplay"}, "--connect URL");
  ExpectRefused({"selfplay", "--run", "x", "--connect", server.url()}, "--run");
  ExpectRefused({"selfplay", "--connect", "rediss://host"}, "stunnel");
  ExpectRefused(run.Train({"--own-games"}), "--listen");
  ExpectRefused(run.Train({"--listen", server.url(), "--set", "loop.deterministic=true"}),
                "deterministic");
  const RunResult nobody = RunKhanzero({"status", "--connect", server.url() + "x"});
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_NE(nobody.err.find("no Redis answers"), std::string::npos) << nobody.err;

  RunningKhanzero learner(run.Train({"--listen", server.url()}));
  ASSERT_TRUE(learner.WaitFor("Listening to actors")) << learner.printed();
  const ScratchRun other("khans");
  ExpectRefused(other.Train({"--listen", server.url()}), "whose learner is alive");
  learner.Signal(SIGTERM);
  EXPECT_EQ(learner.Wait(), 0);
}

// Everybody is killed in turn; what an actor was told is delivered is in the store, once.
TEST_F(ClusterCommands, KillsLoseNoDeliveredGame) {
  const char* const wanted = std::getenv("KHANZERO_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 3;
  RedisServer server;
  const ScratchRun run("khans");
  const std::vector<std::string> train =
      run.Train(With(kNoMatches, {"--listen", server.url(), "--set", "loop.max_games=1000000"}));
  const std::string sent = (run.folder() / "sent").string();
  const std::vector<std::string> play = {
      "selfplay",   "--connect", server.url(), "--spool", (run.folder() / "spool").string(),
      "--log-sent", sent};
  auto learner = std::make_unique<RunningKhanzero>(train);
  ASSERT_TRUE(learner->WaitFor("Listening to actors")) << learner->printed();
  auto actor = std::make_unique<RunningKhanzero>(play);
  ASSERT_TRUE(actor->WaitFor("Playing with")) << actor->printed();
  Random random(static_cast<uint64_t>(kills));
  for (int i = 0; i < kills; ++i) {
    learner->ReadFor(static_cast<int>(random.Below(1500)));
    if (i % 3 == 0) {
      learner->Signal(SIGKILL);
      learner->Wait();
      // Who finds no server at the start ends with exit code 1: both begin before it is killed.
      learner = std::make_unique<RunningKhanzero>(train);
      ASSERT_TRUE(learner->WaitFor("Listening to actors")) << learner->printed();
    } else if (i % 3 == 1) {
      actor->Signal(SIGKILL);
      actor->Wait();
      actor = std::make_unique<RunningKhanzero>(play);
      ASSERT_TRUE(actor->WaitFor("Playing with")) << actor->printed();
    } else {
      server.End(SIGKILL);
      server.Start();
    }
  }
  actor->Signal(SIGTERM);
  EXPECT_EQ(actor->Wait(), 0) << actor->printed();
  learner->Signal(SIGTERM);
  EXPECT_EQ(learner->Wait(), 0) << learner->printed();

  // What is left in Redis and in the spool comes in when both are started again.
  RunningKhanzero again(train);
  const RunResult rest = RunKhanzero(With(play, {"--games", "1"}));
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  ASSERT_TRUE(again.WaitFor("waiting for games")) << again.printed();
  std::set<uint64_t> delivered;
  std::ifstream log(sent);
  for (uint64_t id = 0; log >> id;) delivered.insert(id);
  EXPECT_GT(delivered.size(), 0u);
  const auto missing = [&] {
    const std::set<uint64_t> stored = StoredIds(run);
    return std::ranges::count_if(delivered, [&](uint64_t id) { return !stored.contains(id); });
  };
  for (int i = 0; i < 100 && missing() > 0; ++i) again.ReadFor(100);
  EXPECT_EQ(missing(), 0);
  again.Signal(SIGTERM);
  EXPECT_EQ(again.Wait(), 0) << again.printed();
  EXPECT_EQ(RunKhanzero({"data", "check", "--run", run.path().string()}).exit_code, 0);
}

}  // namespace
}  // namespace khanzero
