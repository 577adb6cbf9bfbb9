// SPDX-License-Identifier: GPL-3.0-or-later
//
// The learner's end of Redis: one thread that stores games, publishes networks and says that it is
// alive, and that outlives the server's absence.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "env/error.h"
#include "env/games.h"
#include "model/files.h"
#include "model/network_file.h"
#include "model/version.h"
#include "train/actor_hub.h"
#include "train/game_intake.h"
#include "train/redis_run.h"
#include "train/run_folder.h"
#include "train/run_id.h"
#include "train/self_play.h"
#include "train/wait_for_stop.h"

namespace khanzero {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause(250);
constexpr std::chrono::seconds kBetweenBeats(2);
constexpr int kBatchesAtOnce = 64;
constexpr int kBlockMs = 200;  // longest wait for games; networks are published in between

std::string Session() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

std::string Where(const RunFolder& run) {
  char host[256] = {};
  if (::gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  std::error_code ignored;
  return fmt::format("{} on {}, process {}",
                     std::filesystem::absolute(run.path(), ignored).string(), Printable(host),
                     ::getpid());
}

RunNotice NoticeOf(const ListenOptions& options, const Config& config, const RunFolder& run,
                   const GameInfo& game) {
  return {.id = RunId(run),
          .game = game,
          .protocol = kActorProtocol,
          .program = std::string(ProgramVersion()),
          .config_yaml = ToYaml(config),
          .where = Where(run),
          .most_bytes = options.most_bytes,
          .finished = false};
}

class RedisHub : public ActorHub {
 public:
  RedisHub(const ListenOptions& options, const Config& config, const RunFolder& run)
      : own_games_(options.own_games),
        database_(RedisAddressOf(options.url)),
        notice_(NoticeOf(options, config, run, InfoOfGame(config.game))),
        intake_(config, notice_.id, run.store(), ThreadsFor(config.learner.threads)) {
    // At the start whatever is wrong is told to whoever started it.
    database_.Claim(notice_, session_, options.replace_run);
    database_.MakeGroup();
    notes_ = database_.Warnings();
    notes_.push_back(fmt::format("Listening to actors at {}: khanzero selfplay --connect {}",
                                 database_.client().address().Text(),
                                 database_.client().address().Text()));
    thread_ = std::jthread([this](const std::stop_token& stop) { Work(stop); });
  }
  ~RedisHub() override {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    if (failure_ || !database_.client().connected()) return;
    try {
      database_.EndLearner();
    } catch (const std::exception&) {
      // Then it is taken for gone after a while.
    }
  }
  RedisHub(const RedisHub&) = delete;
  RedisHub& operator=(const RedisHub&) = delete;

  bool listens() const override { return true; }
  bool plays_here() const override { return own_games_; }

  void Offer(NetworkOffer offer) override {
    const std::scoped_lock lock(mutex_);
    offer_ = std::move(offer);
    ++offers_;
  }

  HubNews TakeNews() override {
    HubNews news{.games = intake_.TakeGames(), .notes = intake_.TakeNotes()};
    const std::scoped_lock lock(mutex_);
    std::ranges::move(notes_, std::back_inserter(news.notes));
    notes_.clear();
    has_news_ = false;
    if (failure_) std::rethrow_exception(failure_);
    return news;
  }

  void Wait(const std::stop_token& stop) override {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, kPause, [this] { return has_news_; });
  }

  std::optional<ActorFigures> figures() const override {
    const IntakeFigures intake = intake_.figures();
    const std::scoped_lock lock(mutex_);
    ActorFigures figures = figures_;
    figures.games = intake.games;
    figures.duplicates = intake.duplicates;
    figures.refused = intake.refused;
    return figures;
  }

  // Here and now: the process is about to end.
  void Finish() override {
    thread_.request_stop();
    thread_.join();
    try {
      database_.Finish();
    } catch (const std::exception&) {
      // Actors see a learner that is gone, and wait.
    }
  }

 private:
  void Work(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      try {
        if (!retry_.due()) {
          WaitForStop(stop, kPause);
          continue;
        }
        Serve();
        if (retry_.waiting()) {
          Say("Redis is back");
          retry_.Succeeded();
        }
      } catch (const RunTaken&) {
        Fail();
        return;
      } catch (const RedisAway& e) {
        Away(e.what());
      } catch (const RedisRefusal& e) {
        Away(e.what());
      } catch (const InputError& e) {
        Away(e.what());  // another password, say
      } catch (...) {
        Fail();
        return;
      }
    }
  }

  void Fail() {
    const std::scoped_lock lock(mutex_);
    failure_ = std::current_exception();
    ThereIsNews();
  }

  void Say(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    notes_.push_back(text);
    ThereIsNews();
  }

  // REQUIRES: mutex_ is held.
  void ThereIsNews() {
    has_news_ = true;
    wake_.notify_all();
  }

  void Away(const std::string& why) {
    if (!retry_.waiting()) {
      Say("Warning: " + why + "; training goes on with the games that are here");
    }
    database_.client().Close();
    retry_.Failed();
    claimed_ = false;
  }

  // One round: whatever is due, then games.
  void Serve() {
    if (!claimed_) Claim();
    if (steady_clock::now() - beaten_ >= kBetweenBeats) Beat();
    try {
      Publish();
    } catch (const RedisRefusal& e) {
      if (e.code() != "OOM") throw;  // taking games makes room for it
    }
    try {
      TakeGames();
    } catch (const RedisRefusal& e) {
      if (e.code() != "NOGROUP") throw;
      claimed_ = false;  // the server lost its data
    }
  }

  // After the server was away it may know nothing any more: all is said again.
  void Claim() {
    if (begun_) {
      const std::optional<StreamFigures> mine = CheckedBeat();
      if (!mine) database_.Claim(notice_, session_, /*replace=*/false);
      database_.MakeGroup();
      if (!mine) published_ = 0;
    }
    begun_ = claimed_ = true;
    unacknowledged_ = true;
  }

  // Nothing: the server has forgotten us.
  std::optional<StreamFigures> CheckedBeat() {
    RedisFields fields;
    {
      const std::scoped_lock lock(mutex_);
      fields["network"] = offer_.name;
      fields["games_per_second"] = fmt::format("{:.3f}", figures_.games_per_second);
    }
    const IntakeFigures intake = intake_.figures();
    fields["games"] = std::to_string(intake.games);
    fields["duplicates"] = std::to_string(intake.duplicates);
    fields["refused"] = std::to_string(intake.refused);
    return database_.BeatLearner(session_, fields);
  }

  void Beat() {
    const double seconds = std::chrono::duration<double>(steady_clock::now() - beaten_).count();
    beaten_ = steady_clock::now();
    const std::optional<StreamFigures> stream = CheckedBeat();
    if (!stream) {
      claimed_ = false;
      return Claim();
    }
    const int64_t games = intake_.figures().games;
    const std::scoped_lock lock(mutex_);
    const double rate = static_cast<double>(games - rated_games_) / seconds;
    figures_.games_per_second = 0.7 * figures_.games_per_second + 0.3 * rate;
    rated_games_ = games;
    figures_.alive = stream->actors;
    figures_.stream_batches = stream->batches;
    figures_.stream_bytes = stream->bytes;
    figures_.lag_seconds = stream->lag_seconds;
  }

  void Publish() {
    NetworkOffer offer;
    uint64_t number = 0;
    {
      const std::scoped_lock lock(mutex_);
      if (offers_ == published_) return;
      offer = offer_;
      number = offers_;
    }
    const std::string bytes =
        offer.uniform ? std::string() : SerializeNetwork(*offer.network, {.info = *offer.info});
    NetworkNotice network{.run = notice_.id,
                          .stamp = {},
                          .name = offer.name,
                          .step = offer.info->step,
                          .simulations = offer.simulations,
                          .uniform = offer.uniform,
                          .checksum = ChecksumOf(bytes)};
    network.stamp = fmt::format("{}-{}-{}-{}", network.name, network.simulations,
                                network.uniform ? "uniform" : "network", network.checksum);
    database_.Publish(network, bytes);
    published_ = number;
  }

  void TakeGames() {
    const auto which =
        unacknowledged_ ? RunDatabase::Which::kUnacknowledged : RunDatabase::Which::kNew;
    const std::vector<RunDatabase::Entry> entries = database_.Read(which, kBatchesAtOnce, kBlockMs);
    if (entries.empty()) {
      unacknowledged_ = false;
      return;
    }
    std::vector<GameBatch> batches;
    for (const RunDatabase::Entry& entry : entries) batches.push_back(entry.batch);
    intake_.Take(batches);
    // They are on the disk: only now Redis may forget them.
    database_.Acknowledge(entries);
    const std::scoped_lock lock(mutex_);
    ThereIsNews();
  }

  const bool own_games_;
  RunDatabase database_;  // of the thread, but for constructor and Finish()
  const RunNotice notice_;
  const std::string session_ = Session();
  GameIntake intake_;

  // Of the thread.
  RetryClock retry_;
  bool begun_ = false;
  bool claimed_ = false;
  bool unacknowledged_ = true;  // there may be batches that were read and not acknowledged
  uint64_t published_ = 0;      // the offer that Redis has
  int64_t rated_games_ = 0;
  steady_clock::time_point beaten_{};

  mutable std::mutex mutex_;
  NetworkOffer offer_;              // guarded by mutex_
  uint64_t offers_ = 0;             // guarded by mutex_
  ActorFigures figures_;            // guarded by mutex_
  std::vector<std::string> notes_;  // guarded by mutex_
  std::exception_ptr failure_;      // guarded by mutex_
  bool has_news_ = false;           // guarded by mutex_
  std::condition_variable_any wake_;

  std::jthread thread_;
};

}  // namespace

std::unique_ptr<ActorHub> OpenActorHub(const ListenOptions& options, const Config& config,
                                       const RunFolder& run) {
  if (options.url.empty()) return std::make_unique<NoActors>();
  if (config.loop.deterministic) {
    throw InputError(
        "a deterministic run (loop.deterministic) takes games of its own alone: it cannot --listen "
        "to actors");
  }
  return std::make_unique<RedisHub>(options, config, run);
}

}  // namespace khanzero
