// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/redis_run.h"

#include "env/games.h"
#include "tests/cluster/game_batches.h"
#include "tests/cluster/redis_server.h"

namespace khanzero {
namespace {

// What a learner claims; its bound lets two batches of 40 bytes in.
RunNotice Notice(const std::string& id = kRunId) {
  return {.id = id,
          .game = InfoOfGame("khans"),
          .program = "0.1.0",
          .config_yaml = "game: khans\n",
          .where = "a test",
          .most_bytes = 100};
}

GameBatch Batch(size_t bytes, const std::string& run = kRunId) {
  return {.run = run,
          .actor = "tester",
          .protocol = std::to_string(kActorProtocol),
          .records = {std::string(bytes / 2, 'x'), std::string(bytes - bytes / 2, 'y')}};
}

class RedisRun : public RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped()) return;
    server_ = std::make_unique<RedisServer>();
    database_ = std::make_unique<RunDatabase>(ParseRedisAddress(server_->url()));
  }
  RunDatabase& database() { return *database_; }
  std::vector<RunDatabase::Entry> ReadNew() {
    return database().Read(RunDatabase::Which::kNew, 100, 1);
  }

  std::unique_ptr<RedisServer> server_;
  std::unique_ptr<RunDatabase> database_;
};

TEST_F(RedisRun, ANoticeIsReadAsItWasClaimed) {
  EXPECT_EQ(database().ReadRun(), std::nullopt);
  database().Claim(Notice(), "s", false);
  const std::optional<RunNotice> read = database().ReadRun();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, kRunId);
  EXPECT_EQ(read->game.name, "khans");
  EXPECT_EQ(read->game.rules_version, Notice().game.rules_version);
  EXPECT_EQ(read->game.encoding_version, Notice().game.encoding_version);
  EXPECT_EQ(read->protocol, kActorProtocol);
  EXPECT_EQ(read->config_yaml, "game: khans\n");
  EXPECT_EQ(read->most_bytes, 100);
  EXPECT_FALSE(read->finished);
  database().Finish();
  EXPECT_TRUE(database().ReadRun()->finished);
  EXPECT_EQ(database().ReadStamp(), "finished");
  database().Claim(Notice(), "t", false);  // it goes on
  EXPECT_FALSE(database().ReadRun()->finished);
}

TEST_F(RedisRun, NoMoreIsLetInThanTheLearnerAllows) {
  using Added = RunDatabase::Added;
  EXPECT_EQ(database().Add(Batch(40)), Added::kNoRun);
  database().Claim(Notice(), "s", false);
  database().MakeGroup();
  EXPECT_EQ(database().Add(Batch(40, "fedcba9876543210")), Added::kOtherRun);
  EXPECT_EQ(database().Add(Batch(40)), Added::kYes);
  EXPECT_EQ(database().Add(Batch(40)), Added::kYes);
  EXPECT_EQ(database().Add(Batch(40)), Added::kFull);
  EXPECT_EQ(database().ReadStream().bytes, 80);
  EXPECT_EQ(database().ReadStream().batches, 2);
  std::vector<RunDatabase::Entry> entries = ReadNew();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].batch.records, Batch(40).records);
  EXPECT_EQ(database().Add(Batch(40)), Added::kFull);  // read is not acknowledged
  database().Acknowledge({entries[0]});
  EXPECT_EQ(database().ReadStream().bytes, 40);
  EXPECT_EQ(database().Add(Batch(40)), Added::kYes);
  // One alone may be larger than the bound, or it would never come.
  database().Acknowledge({entries[1]});
  database().Acknowledge(ReadNew());
  EXPECT_EQ(database().Add(Batch(500)), Added::kYes);
  EXPECT_EQ(database().Add(Batch(1)), Added::kFull);
}

// A client that passes the script by makes the counter wrong until the stream is empty.
TEST_F(RedisRun, TheCounterOfBytesHealsItself) {
  database().Claim(Notice(), "s", false);
  database().MakeGroup();
  database().client().Call({"XADD", "khanzero:games", "*", "record", std::string(70, 'x')});
  database().client().Call({"XADD", "khanzero:games", "*", "nonsense", "1", "more", "2"});
  EXPECT_EQ(database().Add(Batch(40)), RunDatabase::Added::kYes);
  database().client().Call({"SET", "khanzero:bytes", "nonsense"});
  const std::vector<RunDatabase::Entry> entries = ReadNew();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_NE(entries[1].batch.fault, "");
  database().Acknowledge({entries[0]});
  EXPECT_GE(database().ReadStream().bytes, 0);
  database().Acknowledge({entries[1], entries[2]});
  EXPECT_EQ(database().ReadStream().bytes, 0);
  EXPECT_EQ(database().ReadStream().batches, 0);
}

TEST_F(RedisRun, AFullMemoryIsLikeAFullStream) {
  database().Claim(Notice(), "s", false);
  database().MakeGroup();
  ASSERT_EQ(database().Add(Batch(40)), RunDatabase::Added::kYes);
  database().client().Call({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(database().Add(Batch(40)), RunDatabase::Added::kFull);
  // What makes room must work all the same.
  database().Beat("tester", {{"host", "here"}});
  EXPECT_TRUE(database().BeatLearner("s", {{"games", "1"}}));
  database().Claim(Notice(), "t", false);
  const std::vector<RunDatabase::Entry> entries = ReadNew();
  EXPECT_EQ(entries.size(), 1u);
  database().Acknowledge(entries);
  EXPECT_EQ(database().ReadStream().batches, 0);
}

TEST_F(RedisRun, ADatabaseHasOneRun) {
  database().Claim(Notice(), "s", false);
  EXPECT_THROW(database().Claim(Notice("fedcba9876543210"), "t", false), RunTaken);
  EXPECT_THROW(database().Claim(Notice("fedcba9876543210"), "t", true), RunTaken);  // it is alive
  database().Add(Batch(40));
  database().client().Call({"HSET", "khanzero:learner", "heartbeat", "1"});  // in 1970
  try {
    database().Claim(Notice("fedcba9876543210"), "t", false);
    ADD_FAILURE();
  } catch (const RunTaken& e) {
    EXPECT_NE(std::string(e.what()).find("--replace-run"), std::string::npos) << e.what();
  }
  database().Claim(Notice("fedcba9876543210"), "t", true);
  EXPECT_EQ(database().ReadRun()->id, "fedcba9876543210");
  EXPECT_EQ(database().ReadStream().batches, 0);  // what waited was the other run's
}

TEST_F(RedisRun, ARunHasOneLearner) {
  database().Claim(Notice(), "first", false);
  EXPECT_TRUE(database().BeatLearner("first", {}));
  database().Claim(Notice(), "second", false);  // the first may have been killed a moment ago
  EXPECT_TRUE(database().BeatLearner("second", {}));
  EXPECT_THROW(database().BeatLearner("first", {}), RunTaken);
  database().client().Call({"FLUSHALL"});
  EXPECT_EQ(database().BeatLearner("second", {}), std::nullopt);
}

TEST_F(RedisRun, WhoPlaysIsKnownForAMinute) {
  database().Claim(Notice(), "s", false);
  database().Beat("one", {{"host", "here"}, {"games", "3"}});
  database().Beat("two", {{"host", "there"}});
  EXPECT_EQ(database().ReadStream().actors, 2);
  std::vector<ActorNotice> actors = database().ReadActors();
  ASSERT_EQ(actors.size(), 2u);
  EXPECT_EQ(actors[0].fields.at("host"), actors[0].id == "one" ? "here" : "there");
  const RedisReply left = database().client().Call({"TTL", "khanzero:actor:one"});
  EXPECT_GT(left.integer, 30);
  EXPECT_LE(left.integer, kActorSeconds);
  database().Leave("one");
  database().client().Call({"ZADD", "khanzero:actors", "1", "two"});  // not heard of since 1970
  EXPECT_EQ(database().ReadStream().actors, 0);
  EXPECT_TRUE(database().ReadActors().empty());
  EXPECT_EQ(database().BeatLearner("s", {})->actors, 0);
}

TEST_F(RedisRun, WarnsOfSettingsThatMayLoseGames) {
  EXPECT_TRUE(database().Warnings().empty());
  database().client().Call({"CONFIG", "SET", "appendfsync", "everysec"});
  EXPECT_EQ(database().Warnings().size(), 1u);
  database().client().Call({"CONFIG", "SET", "appendonly", "no"});
  database().client().Call({"CONFIG", "SET", "maxmemory", "1gb"});
  database().client().Call({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  EXPECT_EQ(database().Warnings().size(), 2u);
}

// The rules of docs/cluster.md are enough for an actor, and do not let it do a learner's work.
TEST_F(RedisRun, AnActorNeedsFewRights) {
  database().Claim(Notice(), "s", false);
  database().MakeGroup();
  database().Publish({.run = kRunId, .stamp = "stamp", .name = "step-1"}, "bytes");
  database().client().Call({"ACL",
                            "SETUSER",
                            "actor",
                            "on",
                            ">word",
                            "%R~khanzero:run",
                            "%R~khanzero:network",
                            "~khanzero:games",
                            "~khanzero:bytes",
                            "~khanzero:actors",
                            "~khanzero:actor:*",
                            "+ping",
                            "+select",
                            "+eval",
                            "+hget",
                            "+hmget",
                            "+hgetall",
                            "+get",
                            "+set",
                            "+xlen",
                            "+xadd",
                            "+hset",
                            "+expire",
                            "+zadd",
                            "+zrem",
                            "+del",
                            "+time"});
  RunDatabase actor(ParseRedisAddress("unix://actor:word@" + server_->socket()));
  EXPECT_TRUE(actor.ReadRun());
  EXPECT_EQ(actor.ReadStamp(), "stamp");
  EXPECT_TRUE(actor.ReadNetwork());
  EXPECT_EQ(actor.ReadNetworkBytes(), "bytes");
  EXPECT_EQ(actor.Add(Batch(40)), RunDatabase::Added::kYes);
  actor.Beat("tester", {{"host", "here"}});
  actor.Leave("tester");
  EXPECT_ANY_THROW(actor.client().Call({"HSET", "khanzero:run", "id", "mine"}));
  EXPECT_ANY_THROW(actor.client().Call({"HSET", "khanzero:network", "bytes", "mine"}));
  EXPECT_ANY_THROW(actor.client().Call({"XRANGE", "khanzero:games", "-", "+"}));
  EXPECT_ANY_THROW(actor.client().Call({"FLUSHALL"}));
  EXPECT_ANY_THROW(actor.Finish());
}

TEST(ProgramVersion, OfAnotherMajorVersionIsRefused) {
  EXPECT_NO_THROW(CheckProgramVersion("0.1.0", "the learner"));
  EXPECT_NO_THROW(CheckProgramVersion("0.99.3", "the learner"));
  for (const char* const other : {"", "0.0.9", "nonsense", "1.0.0", "99"}) {
    EXPECT_THROW(CheckProgramVersion(other, "the learner"), InputError) << other;
  }
}

}  // namespace
}  // namespace khanzero
