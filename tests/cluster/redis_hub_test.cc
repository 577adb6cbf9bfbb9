// SPDX-License-Identifier: GPL-3.0-or-later
//
// The learner's and the actor's ends of Redis, in one process, with a server that is killed.
#include <fstream>
#include <set>

#include "env/games.h"
#include "model/checkpoint_info.h"
#include "model/files.h"
#include "model/folded_network.h"
#include "tests/cluster/game_batches.h"
#include "tests/cluster/redis_server.h"
#include "train/actor_hub.h"
#include "train/redis_link.h"
#include "train/redis_run.h"
#include "train/run_folder.h"
#include "train/run_id.h"

namespace khanzero {
namespace {

// A network of the right shape that knows nothing.
std::shared_ptr<const FoldedNetwork> BlankNetwork(const Config& config) {
  auto network =
      std::make_shared<FoldedNetwork>(EmptyNetwork(InfoOfGame(config.game).shape, config.network));
  for (auto& [name, layer] : network->convolutions()) {
    layer->weight.assign(static_cast<size_t>(layer->in_channels * layer->out_channels *
                                             layer->kernel * layer->kernel),
                         0.0F);
    layer->bias.assign(static_cast<size_t>(layer->out_channels), 0.0F);
  }
  for (auto& [name, layer] : network->linears()) {
    layer->weight.assign(static_cast<size_t>(layer->in_features * layer->out_features), 0.0F);
    layer->bias.assign(static_cast<size_t>(layer->out_features), 0.0F);
  }
  return network;
}

class RedisHubTest : public RedisTest {
 protected:
  RedisHubTest() : config_(SmallConfig("khans")), run_(folder_.path() / "run") {
    config_.inference.precision = Precision::kFp32;
    config_.loop.uniform_games = 4;
  }

  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped()) return;
    OpenRunFolder(run_.path(), config_);
    server_ = std::make_unique<RedisServer>();
    database_ = std::make_unique<RunDatabase>(ParseRedisAddress(server_->url()));
    games_ = PlayGames(config_, 12);
  }

  std::unique_ptr<ActorHub> Hub(int64_t most_bytes = int64_t{1} << 20) {
    return OpenActorHub({.url = server_->url(), .most_bytes = most_bytes}, config_, run_);
  }
  std::unique_ptr<ActorLink> Link(RedisLinkOptions options = {}) {
    options.url = server_->url();
    options.say = [this](const std::string& text) { said_ += text + "\n"; };
    return OpenRedisLink(options);
  }

  // Waits for what the hub's thread does.
  template <class F>
  void Until(ActorHub& hub, F&& done) {
    constexpr int kMostWaits = 400;
    for (int i = 0; i < kMostWaits; ++i) {
      for (const std::string& note : hub.TakeNews().notes) said_ += note + "\n";
      if (done()) return;
      hub.Wait({});
    }
    FAIL() << said_;
  }
  void UntilStored(ActorHub& hub, size_t games) {
    Until(hub, [&] { return StoredIds().size() >= games; });
  }

  std::set<uint64_t> StoredIds() const {
    std::set<uint64_t> ids;
    ReplayStore(run_.store(), config_.game, ReplayStore::Access::kReadWrite)
        .ReadAfter(0, 1000, [&](const StoredGame& game) {
          EXPECT_TRUE(ids.insert(game.columns.id).second);
        });
    return ids;
  }
  static std::set<uint64_t> IdsOf(std::span<const GameRecord> games) {
    std::set<uint64_t> ids;
    for (const GameRecord& game : games) ids.insert(game.id);
    return ids;
  }
  NetworkOffer Offered(const std::string& name, bool uniform) const {
    auto info = std::make_shared<CheckpointInfo>();
    info->game = InfoOfGame(config_.game);
    info->network = config_.network;
    info->step = 7;
    return {.name = name,
            .info = std::move(info),
            .network = BlankNetwork(config_),
            .simulations = 3,
            .uniform = uniform};
  }

  Config config_;
  ScratchFolder folder_;
  RunFolder run_;
  std::unique_ptr<RedisServer> server_;
  std::unique_ptr<RunDatabase> database_;
  std::vector<GameRecord> games_;
  std::string said_;
};

TEST_F(RedisHubTest, GamesAndNetworksGoThrough) {
  const auto hub = Hub();
  EXPECT_FALSE(hub->plays_here());
  EXPECT_TRUE(hub->listens());
  const auto link = Link({.settings = {"selfplay.workers=1"}});
  EXPECT_EQ(link->config().seed, config_.seed);
  EXPECT_GE(link->FirstNumber(), uint64_t{1} << 61);
  EXPECT_NE(link->FirstNumber(), link->FirstNumber());

  hub->Offer(Offered("step-one", true));
  std::optional<ToPlayWith> next = link->Next({});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->network, nullptr);  // uniform
  EXPECT_EQ(next->step, -1);
  EXPECT_EQ(next->simulations, 3);
  int64_t taken = 0;
  EXPECT_TRUE(link->Take(games_, taken));
  EXPECT_EQ(taken, 12);
  hub->Offer(Offered("step-two", false));
  Until(*hub, [&] { return !link->Take({}, taken); });  // it sees the new one by itself
  next = link->Next({});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->name, "step-two");
  EXPECT_EQ(next->step, 7);
  ASSERT_NE(next->network, nullptr);
  EXPECT_EQ(next->network->stem.weight.size(), BlankNetwork(config_)->stem.weight.size());
  link->Finish();
  UntilStored(*hub, 12);
  EXPECT_EQ(StoredIds(), IdsOf(games_));
  Until(*hub, [&] { return database_->ReadStream().batches == 0; });
  EXPECT_EQ(hub->figures()->games, 12);
  EXPECT_EQ(hub->figures()->refused, 0);
  hub->Finish();
  EXPECT_EQ(Link()->Next({}), std::nullopt);  // the run is finished
}

TEST_F(RedisHubTest, GarbageIsCountedAndStopsNothing) {
  const auto hub = Hub();
  const std::string id = RunId(run_);
  RedisClient& client = database_->client();
  client.Call({"XADD", "khanzero:games", "*", "foo", "bar"});
  client.Call({"XADD", "khanzero:games", "*", "run", id, "actor", "\x1b[2J", "protocol", "1",
               "record", "KZR nonsense"});
  database_->Add(BatchOf(games_, "fedcba9876543210"));
  client.Call({"XADD", "khanzero:games", "*", "run", id, "record", std::string(3 << 20, 'x')});
  database_->Add(BatchOf(games_, id));
  UntilStored(*hub, 12);
  Until(*hub, [&] { return database_->ReadStream().batches == 0; });
  EXPECT_EQ(hub->figures()->games, 12);
  EXPECT_EQ(hub->figures()->refused, 3);
  EXPECT_EQ(database_->ReadStream().bytes, 0);
  EXPECT_NE(said_.find("refused a game"), std::string::npos);
  EXPECT_EQ(said_.find('\x1b'), std::string::npos);
}

// The learner is killed after the games are on the disk and before Redis is told.
TEST_F(RedisHubTest, AKillBetweenStoringAndAcknowledgingStoresNothingTwice) {
  Hub();  // makes run and group
  const std::string id = RunId(run_);
  ASSERT_EQ(database_->Add(BatchOf(games_, id)), RunDatabase::Added::kYes);
  {
    const auto entries = database_->Read(RunDatabase::Which::kNew, 10, 1);
    ASSERT_EQ(entries.size(), 1u);
    GameIntake intake(config_, id, run_.store(), 1);
    intake.Take(std::vector{entries[0].batch});
  }
  EXPECT_EQ(StoredIds().size(), 12u);
  const auto hub = Hub();
  Until(*hub, [&] { return database_->ReadStream().batches == 0; });
  EXPECT_EQ(hub->figures()->duplicates, 12);
  EXPECT_EQ(hub->figures()->games, 0);
  EXPECT_EQ(StoredIds(), IdsOf(games_));
}

TEST_F(RedisHubTest, AServerThatIsKilledLosesNoAcknowledgedGame) {
  Hub();
  const std::string id = RunId(run_);
  const std::vector<GameRecord> first(games_.begin(), games_.begin() + 6);
  const std::vector<GameRecord> second(games_.begin() + 6, games_.end());
  ASSERT_EQ(database_->Add(BatchOf(first, id)), RunDatabase::Added::kYes);
  ASSERT_EQ(database_->Read(RunDatabase::Which::kNew, 10, 1).size(), 1u);  // and not acknowledged
  ASSERT_EQ(database_->Add(BatchOf(second, id)), RunDatabase::Added::kYes);
  server_->End(SIGKILL);
  EXPECT_THROW(Hub(), RedisAway);
  server_->Start();
  database_->client().Close();
  const auto hub = Hub();
  UntilStored(*hub, 12);
  EXPECT_EQ(StoredIds(), IdsOf(games_));
  // Again, with a learner that is there: it comes back by itself.
  server_->End(SIGKILL);
  Until(*hub, [&] { return said_.find("training goes on") != std::string::npos; });
  server_->Start();
  database_->client().Close();
  Until(*hub, [&] { return said_.find("Redis is back") != std::string::npos; });
  ASSERT_EQ(database_->Add(BatchOf(games_, id)), RunDatabase::Added::kYes);
  Until(*hub, [&] { return hub->figures()->duplicates == 12; });
}

TEST_F(RedisHubTest, AServerThatForgetsEverythingIsToldAgain) {
  const auto hub = Hub();
  hub->Offer(Offered("step-one", false));
  Until(*hub, [&] { return database_->ReadStamp() != ""; });
  const auto link = Link();
  database_->client().Call({"FLUSHALL"});
  Until(*hub, [&] { return database_->ReadStamp() != ""; });
  int64_t taken = 0;
  link->Take(games_, taken);
  link->Finish();
  UntilStored(*hub, 12);
}

TEST_F(RedisHubTest, WhatCannotBeDeliveredWaitsInTheSpool) {
  const std::filesystem::path spool = folder_.path() / "spool";
  Hub();  // a learner that is gone, with room for one batch
  database_->client().Call({"HSET", "khanzero:run", "most_bytes", "1"});
  int64_t taken = 0;
  {
    const auto link = Link({.spool = spool, .spool_bytes = 1});
    EXPECT_THROW(Link({.spool = spool}), InputError);  // it belongs to one actor
    // The first batch is let into the empty stream; what waits is more than the spool's bound.
    link->Take(std::span(games_).first(6), taken);
    link->Finish();
    EXPECT_FALSE(link->Take(std::span(games_).subspan(6), taken));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(link->Next(stop.get_token()), std::nullopt);  // it would wait
    link->Finish();
  }
  EXPECT_NE(said_.find("wait in the spool"), std::string::npos) << said_;
  const auto hub = Hub();
  const auto link = Link({.spool = spool, .sent_log = folder_.path() / "sent"});
  link->Finish();
  UntilStored(*hub, 12);
  EXPECT_EQ(StoredIds(), IdsOf(games_));
  std::set<uint64_t> sent;
  std::ifstream log(folder_.path() / "sent");
  for (uint64_t id = 0; log >> id;) sent.insert(id);
  EXPECT_EQ(sent, IdsOf(std::span(games_).subspan(6)));
}

TEST_F(RedisHubTest, AnActorPlaysOnWhileTheServerIsAway) {
  const auto hub = Hub();
  const auto link = Link();
  server_->End(SIGKILL);
  int64_t taken = 0;
  EXPECT_TRUE(link->Take(games_, taken));
  EXPECT_THROW(link->Finish(), RuntimeFailure);  // in memory, they would be lost
  EXPECT_NE(said_.find("trying again"), std::string::npos) << said_;
  server_->Start();
  // Its next try is due within a second.
  Until(*hub, [&] {
    link->Take({}, taken);
    return StoredIds().size() == 12;
  });
}

TEST_F(RedisHubTest, AnActorOfAnotherRunIsRefused) {
  const auto hub = Hub();
  const auto link = Link();
  database_->client().Call({"HSET", "khanzero:run", "id", "fedcba9876543210"});
  int64_t taken = 0;
  const auto send = [&] {
    for (int i = 0; i < 64; ++i) link->Take(games_, taken);  // a whole batch is sent at once
  };
  EXPECT_THROW(send(), InputError);
  EXPECT_THROW(link->Next({}), InputError);
}

TEST_F(RedisHubTest, WhatDoesNotFitIsRefused) {
  Hub();
  RedisClient& client = database_->client();
  const auto refused = [&](const char* field, const std::string& value, const char* what) {
    const std::string before = client.Call({"HGET", "khanzero:run", field}).text;
    client.Call({"HSET", "khanzero:run", field, value});
    try {
      Link();
      ADD_FAILURE() << field << " is taken";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
    client.Call({"HSET", "khanzero:run", field, before});
  };
  refused("protocol", "2", "protocol 2");
  refused("rules_version", "99", "rules version 99");
  refused("encoding_version", "99", "encoding version 99");
  refused("program", "0.0.1", "too old");
  refused("program", "7.0.0", "too new");
  refused("game", "chess", "chess");
  refused("config", "nonsense: 1\n", "nonsense");
  refused("id", "", "holds no run");
  EXPECT_THROW(Link({.settings = {"seed=8"}}), InputError);
  EXPECT_THROW(Link({.settings = {"game=serbest"}}), InputError);
  EXPECT_TRUE(Link());
}

TEST_F(RedisHubTest, AnotherLearnerOfTheRunEndsThisOne) {
  const auto first = Hub();
  const auto second = Hub();
  EXPECT_THROW(
      {
        for (int i = 0; i < 100; ++i) {
          first->TakeNews();
          first->Wait({});
        }
      },
      RunTaken);
  EXPECT_NO_THROW(second->TakeNews());
}

TEST_F(RedisHubTest, ADeterministicRunListensToNobody) {
  config_.loop.deterministic = true;
  EXPECT_THROW(Hub(), InputError);
}

TEST(NoActors, AreSilent) {
  const ScratchFolder folder;
  const auto hub = OpenActorHub({}, SmallConfig("khans"), RunFolder(folder.path()));
  EXPECT_TRUE(hub->plays_here());
  EXPECT_FALSE(hub->listens());
  EXPECT_EQ(hub->TakeNews().games.new_games, 0);
  EXPECT_FALSE(hub->figures());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace khanzero
