// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run in a Redis database: what its learner and its actors keep there, one run a database. Keys,
// fields and who writes them: docs/formats.md.
//
// Everything that must happen wholly or not at all is one Lua script, so no reader sees half of it
// and no two writers come between each other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "env/game_info.h"
#include "train/game_intake.h"
#include "train/redis_client.h"

namespace khanzero {

// What a learner says of its run.
struct RunNotice {
  std::string id = {};
  GameInfo game = {};  // without the shape
  int protocol = kActorProtocol;
  std::string program = {};  // its version
  std::string config_yaml = {};
  std::string where = {};  // host, process and folder of the learner, for people
  int64_t most_bytes = 0;  // of games that wait
  bool finished = false;   // its budget is spent
};

// What is to be played with.
struct NetworkNotice {
  std::string run = {};    // the run's id
  std::string stamp = {};  // another one with each change
  std::string name = {};
  int64_t step = 0;
  int simulations = 0;
  bool uniform = false;
  std::string checksum = {};  // of the bytes (ChecksumOf)
};

using RedisFields = std::map<std::string, std::string>;

struct ActorNotice {
  std::string id = {};
  RedisFields fields = {};
};

// What waits for the learner, and who sends.
struct StreamFigures {
  int64_t batches = 0;
  int64_t bytes = 0;
  int64_t actors = 0;        // heard of within kActorSeconds
  double lag_seconds = 0.0;  // age of the oldest batch
};
// After so long without a word an actor, or a learner, is taken for gone.
inline constexpr int kActorSeconds = 60;

// The database is another run's, or another learner has the run.
class RunTaken : public InputError {
 public:
  using InputError::InputError;
};

class RunDatabase {
 public:
  explicit RunDatabase(RedisAddress address) : client_(std::move(address)) {}

  RedisClient& client() { return client_; }

  // --- for actors; each throws as RedisClient::Call does ---------------------------------------

  // Nothing when no learner has announced a run. Throws InputError when it is none of ours.
  std::optional<RunNotice> ReadRun();
  // The stamp of the network; empty when there is none.
  std::string ReadStamp();
  std::optional<NetworkNotice> ReadNetwork();
  std::string ReadNetworkBytes();
  enum class Added { kYes, kFull, kNoRun, kOtherRun };
  // Adds a batch to the stream unless that holds as much as the learner allows, or is another
  // run's.
  Added Add(const GameBatch& batch);
  // Says that the actor is alive.
  void Beat(const std::string& actor, const RedisFields& fields);
  void Leave(const std::string& actor);

  // --- for learners ----------------------------------------------------------------------------

  // Takes the database for a run and a session of its learner: a learner of the same run that was
  // before loses it. Throws RunTaken when it is another run's; with `replace` only when that one's
  // learner is alive.
  void Claim(const RunNotice& notice, const std::string& session, bool replace);
  // Makes the stream and the group that reads it, where they are not there.
  void MakeGroup();
  struct Entry {
    std::string id = {};
    GameBatch batch = {};
  };
  enum class Which { kUnacknowledged, kNew };
  // At most `count` entries: those that were read and not acknowledged before, or new ones, for
  // which it waits up to `milliseconds`.
  std::vector<Entry> Read(Which which, int count, int milliseconds);
  void Acknowledge(const std::vector<Entry>& entries);
  void Publish(const NetworkNotice& notice, const std::string& bytes);
  // Says that the learner is alive. Nothing when the session is not its own any more because the
  // database was emptied; throws RunTaken when another learner has it.
  std::optional<StreamFigures> BeatLearner(const std::string& session, const RedisFields& fields);
  void Finish();
  // The learner ends in good order: nobody needs to wait for a word of it.
  void EndLearner();
  // What of the server's settings may lose games that were acknowledged to actors; empty when all
  // is well or the server does not tell.
  std::vector<std::string> Warnings();

  // --- for people ------------------------------------------------------------------------------

  RedisFields ReadLearner();
  StreamFigures ReadStream();
  std::vector<ActorNotice> ReadActors();
  // Seconds since 1970, by the server's clock.
  double Now();

 private:
  RedisClient client_;
};

// Whether this program can work with a learner or an actor of version `other`: it is at least the
// oldest that speaks the same protocol. Throws InputError that says which of both to renew.
void CheckProgramVersion(const std::string& other, const std::string& who);

}  // namespace khanzero
