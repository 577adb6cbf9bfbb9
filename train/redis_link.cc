// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/redis_link.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <set>
#include <utility>

#include "env/error.h"
#include "env/games.h"
#include "model/files.h"
#include "model/parse_network.h"
#include "model/version.h"
#include "play/self_calibration.h"
#include "train/game_spool.h"
#include "train/redis_run.h"
#include "train/wait_for_stop.h"

namespace khanzero {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr milliseconds kPause(200);   // while nothing can be done
constexpr seconds kBetweenLooks(2);   // for another network
constexpr seconds kBetweenBeats(5);   // of the actor's notice
constexpr seconds kBetweenOffers(1);  // of a batch that was not taken
constexpr seconds kLongestFinish(5);  // for what is left in the end

uint64_t RandomBits() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

std::string HostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? Printable(name) : "unknown";
}

// Throws InputError unless this program can play for the run.
void CheckRun(const RunNotice& run, const std::string& at) {
  const std::string named = "the run at " + at;
  if (run.protocol != kActorProtocol) {
    throw InputError(fmt::format(
        "{} speaks protocol {}, this program {}: learner and actors must be of like versions "
        "(the learner's is {}, this one's {})",
        named, run.protocol, kActorProtocol, Printable(run.program), ProgramVersion()));
  }
  CheckProgramVersion(run.program, "the learner at " + at);
  const GameInfo known = InfoOfGame(run.game.name);
  const auto compare = [&](const char* what, int theirs, int ours) {
    if (theirs == ours) return;
    throw InputError(fmt::format("{} has {} version {} of {}, this program has {}; renew the older",
                                 named, what, theirs, known.name, ours));
  };
  compare("rules", run.game.rules_version, known.rules_version);
  compare("encoding", run.game.encoding_version, known.encoding_version);
}

Config ConfigOf(const RunNotice& run, const std::string& at,
                const std::vector<std::string>& settings) {
  Config config = ParseConfig(run.config_yaml, "the configuration of the run at " + at, settings);
  const Config whole = ParseConfig(run.config_yaml, "the configuration of the run at " + at, {});
  if (config.game != whole.game || config.seed != whole.seed ||
      config.kings_landing != whole.kings_landing || !(config.network == whole.network)) {
    throw InputError(
        "an actor cannot change game, kings_landing, seed or network: its games would not be the "
        "run's");
  }
  return config;
}

class RedisLink : public ActorLink {
 public:
  RedisLink(const RedisLinkOptions& options, RunDatabase database, const RunNotice& run)
      : say_(options.say),
        database_(std::move(database)),
        at_(database_.client().address().Text()),
        run_id_(run.id),
        config_(ConfigOf(run, at_, options.settings)),
        spool_(options.spool, options.spool_bytes),
        actor_(fmt::format("{:016x}", RandomBits())) {
    spool_.BelongTo(run_id_);
    if (spool_.games() > 0) {
      say_(fmt::format("{} games of an earlier actor wait in the spool", spool_.games()));
    }
    if (!options.sent_log.empty()) {
      sent_log_.open(options.sent_log, std::ios::app);
      if (!sent_log_) throw InputError("cannot write '" + options.sent_log.string() + "'");
    }
  }

  const Config& config() const override { return config_; }

  // One of 2^61, so that actors need not agree on them: blocks of two that play a million games
  // each meet with a chance of 10^-12, and then games would be taken for duplicates, no more.
  uint64_t FirstNumber() override { return (uint64_t{1} << 61) + (RandomBits() >> 3); }

  std::optional<ToPlayWith> Next(const std::stop_token& stop) override {
    for (; !stop.stop_requested(); WaitForStop(stop, kPause)) {
      Attend();
      if (spool_.full()) {
        Once("full", "No more games are played until those that wait are delivered");
        continue;
      }
      if (finished_) {
        say_("The run is finished");
        return std::nullopt;
      }
      std::optional<ToPlayWith> next;
      if (Reach([&] { next = Fetch(); }) && next) {
        said_.erase("network");
        looked_ = steady_clock::now();
        return next;
      }
      if (database_.client().connected()) Once("network", "Waiting for a network");
    }
    return std::nullopt;
  }

  bool Take(std::span<const GameRecord> games, int64_t& taken) override {
    for (const GameRecord& game : games) {
      spool_.Add(SerializeRecord(game));
      positions_ += static_cast<int64_t>(game.samples.size());
    }
    games_ += static_cast<int64_t>(games.size());
    taken += static_cast<int64_t>(games.size());
    Attend();
    if (spool_.full()) return false;
    if (steady_clock::now() - looked_ < kBetweenLooks) return true;
    looked_ = steady_clock::now();
    std::string stamp = stamp_;
    Reach([&] { stamp = database_.ReadStamp(); });
    // Empty: the server lost its data, and its learner will publish again.
    return stamp.empty() || stamp == stamp_;
  }

  void Finish() override {
    const auto end = steady_clock::now() + kLongestFinish;
    while (spool_.games() > 0 && steady_clock::now() < end && !refused_) {
      if (!Reach([&] { Deliver(); })) break;
    }
    Reach([&] { database_.Leave(actor_); });
    if (spool_.games() == 0) return;
    if (spool_.in_memory()) {
      throw RuntimeFailure(
          fmt::format("{} games could not be delivered and are lost; --spool "
                      "keeps them for the next actor",
                      spool_.games()));
    }
    spool_.Sync();
    say_(fmt::format("{} games wait in the spool for the next actor with it", spool_.games()));
  }

 private:
  // Does what needs the server, if it can be reached now; says whether it did.
  template <class F>
  bool Reach(F&& act) {
    if (!retry_.due()) return false;
    try {
      act();
    } catch (const RedisAway& e) {
      Failed(e.what());
      return false;
    } catch (const RedisRefusal& e) {
      Failed(e.what());
      return false;
    }
    if (retry_.waiting()) {
      say_("Redis is back");
      said_.erase("away");
      retry_.Succeeded();
    }
    return true;
  }

  void Failed(const std::string& why) {
    Once("away", why + "; trying again from time to time");
    database_.client().Close();
    retry_.Failed();
    spool_.Sync();
  }

  // Says something that lasts one time.
  void Once(const std::string& about, const std::string& text) {
    if (said_.insert(about).second) say_(text);
  }

  // What has to be done now and then, while games are played and while they are not.
  void Attend() {
    while (spool_.ready() && (!refused_ || steady_clock::now() - offered_ >= kBetweenOffers)) {
      if (!Reach([&] { Deliver(); }) || refused_) break;
    }
    if (steady_clock::now() - beaten_ >= kBetweenBeats) Reach([&] { Beat(); });
  }

  // Sends the oldest batch; `refused_` says that it was not let in.
  void Deliver() {
    const GameBatch batch{.run = run_id_,
                          .actor = actor_,
                          .protocol = std::to_string(kActorProtocol),
                          .records = spool_.Oldest(),
                          .fault = {}};
    offered_ = steady_clock::now();
    switch (database_.Add(batch)) {
      case RunDatabase::Added::kYes:
        LogSent(batch);
        spool_.DropOldest();
        refused_ = false;
        said_.erase("room");
        if (!spool_.full()) said_.erase("full");
        return;
      case RunDatabase::Added::kOtherRun:
        throw InputError("the database " + at_ +
                         " belongs to another run now; this actor played for run " + run_id_ +
                         (spool_.games() > 0 ? ", whose games it keeps" : ""));
      case RunDatabase::Added::kFull:
        Once("room", "As many games wait for the learner as it allows: keeping ours here");
        break;
      case RunDatabase::Added::kNoRun:
        Once("room",
             "The server knows of no run (it lost its data?): keeping games here until "
             "the learner comes back");
        break;
    }
    refused_ = true;
    spool_.Sync();
  }

  // After they were confirmed, so that what is in the log was.
  void LogSent(const GameBatch& batch) {
    if (!sent_log_.is_open()) return;
    std::string lines;
    for (const std::string& record : batch.records) {
      lines += fmt::format("{}\n", ParseRecord(record).id);
    }
    sent_log_ << lines << std::flush;
  }

  void Beat() {
    beaten_ = steady_clock::now();
    const double age = std::chrono::duration<double>(beaten_ - rated_).count();
    if (age > 0.0) {
      const double rate = static_cast<double>(games_ - rated_games_) / age;
      rate_ = rate_ < 0.0 ? rate : 0.7 * rate_ + 0.3 * rate;
      rated_ = beaten_;
      rated_games_ = games_;
    }
    database_.Beat(actor_, {{"program", std::string(ProgramVersion())},
                            {"host", host_},
                            {"process", std::to_string(::getpid())},
                            {"games", std::to_string(games_)},
                            {"positions", std::to_string(positions_)},
                            {"games_per_second", fmt::format("{:.3f}", std::max(0.0, rate_))},
                            {"network", name_},
                            {"spooled_games", std::to_string(spool_.games())}});
  }

  // The newest network; nothing while there is none, or it is not whole.
  std::optional<ToPlayWith> Fetch() {
    const std::optional<RunNotice> run = database_.ReadRun();
    if (!run) return std::nullopt;
    if (run->id != run_id_) {
      throw InputError("the database " + at_ + " belongs to another run now (" +
                       Printable(run->id) + "); this actor played for run " + run_id_);
    }
    CheckRun(*run, at_);
    finished_ = run->finished;
    if (finished_) return std::nullopt;
    const std::optional<NetworkNotice> notice = database_.ReadNetwork();
    if (!notice || notice->run != run_id_) return std::nullopt;
    ToPlayWith next{.name = notice->name, .step = notice->step, .simulations = notice->simulations};
    if (notice->uniform) {
      next.step = -1;
    } else {
      const std::string bytes = database_.ReadNetworkBytes();
      if (ChecksumOf(bytes) != notice->checksum) return std::nullopt;  // replaced meanwhile
      const GameInfo game = InfoOfGame(config_.game);
      next.network = CalibratedForPlay(
          ParseNetworkForPlay(bytes, "the network '" + notice->name + "' at " + at_, &game),
          game.name, config_.inference);
    }
    stamp_ = notice->stamp;
    name_ = notice->name;
    return next;
  }

  const std::function<void(const std::string&)> say_;
  RunDatabase database_;
  const std::string at_;
  const std::string run_id_;
  const Config config_;
  GameSpool spool_;
  const std::string actor_;  // a random name of this process
  const std::string host_ = HostName();
  std::ofstream sent_log_;

  RetryClock retry_;
  std::set<std::string> said_;
  bool refused_ = false;
  bool finished_ = false;
  std::string stamp_;
  std::string name_;
  int64_t games_ = 0;
  int64_t positions_ = 0;
  double rate_ = -1.0;  // games a second, smoothed; below 0: not known yet
  int64_t rated_games_ = 0;
  steady_clock::time_point rated_ = steady_clock::now();
  steady_clock::time_point looked_{};
  steady_clock::time_point beaten_{};
  steady_clock::time_point offered_{};
};

}  // namespace

std::unique_ptr<ActorLink> OpenRedisLink(const RedisLinkOptions& options) {
  RunDatabase database(RedisAddressOf(options.url));
  const std::string at = database.client().address().Text();
  std::optional<RunNotice> run = database.ReadRun();
  if (!run) options.say("Waiting for a learner at " + at + " (khanzero train --listen)");
  while (!run) {
    constexpr seconds kBetweenQuestions(1);
    WaitForStop(options.stop, kBetweenQuestions);
    if (options.stop.stop_requested()) return nullptr;
    run = database.ReadRun();
  }
  CheckRun(*run, at);
  options.say(fmt::format("Playing {} for run {} at {}", Printable(run->game.name), run->id, at));
  return std::make_unique<RedisLink>(options, std::move(database), *run);
}

}  // namespace khanzero
