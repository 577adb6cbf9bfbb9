// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/loop.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "env/error.h"
#include "env/games.h"
#include "model/files.h"
#include "model/inference.h"
#include "train/cycle_ladder.h"
#include "train/cycle_match.h"
#include "train/cycle_metrics.h"
#include "train/health.h"
#include "train/learner.h"
#include "train/loop_state.h"
#include "train/play_games.h"
#include "train/replay_store.h"
#include "train/replay_window.h"
#include "train/run_folder.h"
#include "train/run_progress.h"
#include "train/run_views.h"
#include "train/self_play.h"
#include "train/status_display.h"
#include "train/window_feed.h"

namespace khanzero {

namespace {

using std::chrono::steady_clock;

double SecondsSince(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

class TrainingLoop {
 public:
  explicit TrainingLoop(const TrainOptions& options)
      : config_(LoopConfig(options.config)),
        run_(OpenRunFolder(options.run, config_)),
        lock_(run_),
        display_(options.out),
        stop_(options.stop.get_token()),
        store_(OpenStore()),
        hub_(OpenActorHub(options.listen, config_, run_)),
        numbers_(store_.GameNumbers(), store_.Pruned().numbers_below),
        window_(config_.learner),
        replayer_(MakeReplayer(config_.game)),
        self_play_(hub_->plays_here() ? MakeSelfPlay(config_) : nullptr),
        probe_(MakeSearchProbe(config_, kProbedPositions, /*seed=*/1)),
        feed_(config_, store_, *replayer_, window_, [this](const std::string& why) {
          ++metrics_.damaged_games;
          Say(why);
        }) {
    MakeLearner();
    if (options.learners) {
      learner_->Lead(*options.learners, options.stop, [this](const std::string& s) { Say(s); });
    }
    CountStored();
    feed_.Refill(cycle_);
  }

  TrainSummary Run() {
    Announce();
    Offer();
    while (!Done()) {
      Play();
      Learn();
      Save();
      Offer();
      if (stop_.stop_requested()) break;
      Measure();
      Rate();
      FinishCycle();
    }
    return Finish();
  }

 private:
  static constexpr int kProbedPositions = 64;

  // --- beginning -------------------------------------------------------------------------------

  // The run is ours from here on: the configuration in force goes into the folder.
  ReplayStore OpenStore() {
    WriteFileDurably(run_.config(), ToYaml(config_));
    RemoveUnfinished(run_.checkpoints());
    log_ = std::make_shared<spdlog::logger>(
        "khanzero", std::make_shared<spdlog::sinks::basic_file_sink_mt>(run_.log().string()));
    log_->flush_on(spdlog::level::info);
    return ReplayStore(run_.store(), config_.game, ReplayStore::Access::kReadWrite);
  }

  void MakeLearner() {
    const std::optional<std::filesystem::path> latest = run_.LatestCheckpoint();
    if (!latest) {
      learner_ = std::make_unique<Learner>(config_);
      Save();
      return;
    }
    learner_ = std::make_unique<Learner>(config_, *latest);
    checkpoint_ = *latest;
    const LoopState state = ParseLoopState(learner_->loop_state(), latest->string());
    cycle_ = state.cycle;
    hours_before_ = state.hours;
    trained_samples_ = state.trained_samples;
    status_.last_match = state.last_match;
    resumed_ = true;
  }

  // All that was ever made: games of other processes and those that were pruned count in budgets,
  // cycles and the window.
  void CountStored() {
    const StoreTotals made = store_.MadeTotals();
    status_.games = made.games;
    status_.positions = made.positions;
  }

  void Announce() {
    status_.run = run_.path().filename().string();
    if (status_.run.empty()) status_.run = run_.path().string();
    status_.game = config_.game;
    status_.step = learner_->step();
    Say(fmt::format("{} {} in {}: {}, {} parameters", resumed_ ? "Going on with" : "Training",
                    config_.game, run_.path().string(), Text(config_.network),
                    learner_->parameter_count()));
    if (!learner_->origin().empty()) Say("Begun from " + Printable(learner_->origin()));
    Say("Inference on " + Text(DescribeInference(config_.inference)));
    if (resumed_) {
      Say(fmt::format("From {}, {} games so far, {} of work so far",
                      checkpoint_.filename().string(), status_.games, DurationText(Hours())));
    }
  }

  // --- one cycle -------------------------------------------------------------------------------

  double Hours() const { return hours_before_ + SecondsSince(start_) / 3600.0; }

  double Progress() const {
    return ProgressOf(config_.loop, {.games = status_.games, .hours = Hours()});
  }

  bool Done() const { return stop_.stop_requested() || Progress() >= 1.0; }

  void Show(const std::string& phase, bool now = false) {
    status_.phase = phase;
    status_.cycle = cycle_;
    status_.hours = Hours();
    status_.hours_left = HoursLeft(config_.loop, {.games = status_.games, .hours = status_.hours});
    now ? display_.Finish(status_) : display_.Update(status_);
  }

  void Say(const std::string& text) {
    log_->info(text);
    display_.Say(text);
  }

  // Self-play until the cycle has its games or the time is up. Workers hand over finished games;
  // this thread stores them at once and shows progress.
  void Play() {
    status_.games_wanted = config_.loop.games_per_cycle;
    status_.steps_made = status_.steps_wanted = 0;
    CountStored();
    const int64_t cycle_begin = cycle_ * config_.loop.games_per_cycle;
    metrics_.simulations = SimulationsAt(config_, {.games = cycle_begin, .hours = Hours()});
    status_.games_played =
        std::clamp<int64_t>(status_.games - cycle_begin, 0, config_.loop.games_per_cycle);
    const int64_t wanted = CycleEnd() - status_.games;
    if (wanted <= 0) return;
    if (!hub_->plays_here()) return AwaitGames();

    const bool uniform = cycle_begin < config_.loop.uniform_games;
    const std::shared_ptr<const FoldedNetwork> network = learner_->Folded(window_);
    const SelfPlay::Network player{
        .make_evaluator = [&]() -> std::unique_ptr<Evaluator> {
          if (uniform) return std::make_unique<UniformEvaluator>(replayer_->info().shape);
          return MakeEvaluator(network, config_.inference);
        },
        .step = uniform ? -1 : learner_->step(),
        .simulations = metrics_.simulations,
        .earlier_start = [this](uint64_t id, Random& r) { return feed_.EarlierStart(id, r); }};

    PlayGames(*self_play_, player, ThreadsFor(config_.selfplay.workers), wanted, numbers_, stop_,
              [&](const std::vector<GameRecord>& games, const PlayProgress& progress) {
                Store(games);
                CountArrived();
                status_.evaluations_per_second = progress.evaluations_per_second();
                status_.positions_per_second = progress.positions_per_second();
                metrics_.self_play_seconds = progress.seconds;
                metrics_.evaluations = progress.evaluations;
                metrics_.waiting_share = progress.waiting_share;
                Show("self-play");
                return Progress() < 1.0 && !(hub_->listens() && CycleIsPlayed());
              });
    Show("self-play", true);
  }

  void Store(const std::vector<GameRecord>& games) {
    if (games.empty()) return;
    const int added = store_.Add(games);
    for (const GameRecord& game : games) {
      metrics_.Count(game);
      status_.positions += static_cast<int64_t>(game.samples.size());
    }
    status_.games += added;
    status_.games_played += added;
  }

  // Until actors have played the cycle's games.
  void AwaitGames() {
    const auto start = steady_clock::now();
    while (!Done() && !CycleIsPlayed()) {
      hub_->Wait(stop_);
      CountArrived();
      // What arrives between a count of the store and the news of it is in both.
      if (CycleIsPlayed() || Progress() >= 1.0) CountStored();
      metrics_.self_play_seconds = SecondsSince(start);
      const ActorFigures actors = hub_->figures().value_or(ActorFigures{});
      Show(fmt::format("waiting for games of {} actors, {:.1f} games/s", actors.alive,
                       actors.games_per_second));
    }
    Show("games have come", true);
  }

  // Games that actors sent, which are in the store.
  CycleGames TakeNews() {
    HubNews news = hub_->TakeNews();
    for (const std::string& note : news.notes) Say(note);
    metrics_.Add(news.games);
    return std::move(news.games);
  }

  void CountArrived() {
    const CycleGames arrived = TakeNews();
    status_.games += arrived.new_games;
    status_.games_played += arrived.new_games;
    status_.positions += arrived.new_positions;
  }

  // What actors play with until the next one.
  void Offer() {
    if (!hub_->listens()) return;
    hub_->Offer({.name = checkpoint_.filename().string(),
                 .info = std::make_shared<const CheckpointInfo>(Info()),
                 .network = learner_->Folded(window_),
                 .simulations = SimulationsAt(config_, {.games = status_.games, .hours = Hours()}),
                 .uniform = status_.games < config_.loop.uniform_games});
  }

  // Games of other processes may have filled more than one cycle meanwhile: what they would have
  // taught is learned already.
  int64_t NextCycle() const {
    if (config_.loop.deterministic) return cycle_ + 1;
    return std::max(cycle_ + 1, status_.games / config_.loop.games_per_cycle);
  }

  // Games of the run when this cycle has all of its own.
  int64_t CycleEnd() const {
    const int64_t end = (cycle_ + 1) * config_.loop.games_per_cycle;
    return config_.loop.max_games > 0 ? std::min(end, config_.loop.max_games) : end;
  }
  bool CycleIsPlayed() const { return status_.games >= CycleEnd(); }

  void Learn() {
    // Stopped: what is played of a deterministic run's cycle waits for the rest.
    if (config_.loop.deterministic && !CycleIsPlayed()) return;
    CountStored();
    feed_.TakeCycle(cycle_);
    const LearnerSettings& settings = config_.learner;
    const double due = settings.samples_per_position * (1.0 - settings.validation_share) *
                           static_cast<double>(status_.positions) -
                       static_cast<double>(trained_samples_);
    const int64_t batch_size = learner_->samples_a_step();
    const auto steps = static_cast<int64_t>(due / static_cast<double>(batch_size));
    if (steps <= 0 || window_.training_positions() < batch_size) {
      log_->info("no step is due: {} training positions in the window",
                 window_.training_positions());
      learned_ = true;
      return;
    }
    status_.steps_wanted = steps;
    const auto start = steady_clock::now();
    const int64_t step = learner_->step();
    metrics_.training =
        learner_->Train(window_, steps, Progress(), stop_, [&](const TrainingReport& report) {
          status_.steps_made = report.steps;
          status_.step = step + report.steps;
          status_.policy_loss = report.loss.policy;
          status_.value_loss = report.loss.value;
          status_.samples_per_second =
              static_cast<double>(report.samples) / std::max(1e-3, SecondsSince(start));
          TakeNews();
          Show("learning");
        });
    metrics_.learner_seconds = SecondsSince(start);
    trained_samples_ += metrics_.training.samples;
    learned_ = metrics_.training.steps >= steps;
    if (metrics_.training.returns > 0) {
      Say(fmt::format(
          "The learner went back to its last good state {} times: a loss was not finite "
          "or leapt (see learner.loss_leap)",
          metrics_.training.returns));
    }
    if (!learned_) return;
    metrics_.reuse =
        static_cast<double>(trained_samples_) /
        std::max(1.0, (1.0 - settings.validation_share) * static_cast<double>(status_.positions));
    metrics_.search_gap =
        probe_->Measure(*MakeEvaluator(learner_->Folded(window_), config_.inference));
    constexpr int kValidationSamples = 2048;
    metrics_.validation = learner_->Validate(window_, kValidationSamples);
    Show("learning", true);
  }

  void Save() {
    // A cycle that was interrupted goes on after a restart; a finished one counts.
    const bool complete = learned_ && status_.games >= (cycle_ + 1) * config_.loop.games_per_cycle;
    const LoopState state{.cycle = complete ? NextCycle() : cycle_,
                          .hours = Hours(),
                          .trained_samples = trained_samples_,
                          .last_match = status_.last_match};
    const std::string name = RunFolder::CheckpointName(learner_->step());
    checkpoint_ = run_.checkpoints() / name;
    learner_->Save(checkpoint_, Info(), *learner_->Folded(window_), ToText(state));
    run_.SetLatest(name);
    run_.PruneCheckpoints(config_.loop.keep_checkpoints);
    log_->info("checkpoint {} after {} games", name, status_.games);
  }

  CheckpointInfo Info() const {
    return {.game = replayer_->info(),
            .network = config_.network,
            .step = learner_->step(),
            .games = status_.games,
            .positions = status_.positions,
            .config_yaml = ToYaml(config_),
            .program_version = {},
            .date = {},
            .origin = learner_->origin()};
  }

  CycleMatch Match() {
    return {.config = config_, .checkpoint = checkpoint_, .stop = stop_, .on_game = [this] {
              Show("evaluating");
            }};
  }

  void Measure() {
    const EvaluationSettings& settings = config_.evaluation;
    if (settings.every_cycles == 0 || (cycle_ + 1) % settings.every_cycles != 0) return;
    MatchScores scores = MeasureNewest(Match());
    if (stop_.stop_requested()) return;  // half a match says nothing
    metrics_.scores = std::move(scores);
    status_.last_match = Text(metrics_.scores);
    Say(fmt::format("Cycle {}, step {}, {} games: score against {} ({} games each)", cycle_,
                    learner_->step(), status_.games, status_.last_match, 2 * settings.pairs));
  }

  void Rate() {
    const int every = config_.evaluation.ladder_every;
    if (every == 0 || (cycle_ + 1) % every != 0 || stop_.stop_requested()) return;
    metrics_.ladder = RateNewest({.run = run_,
                                  .config = config_,
                                  .checkpoint = checkpoint_.filename().string(),
                                  .stop = stop_,
                                  .on_game = [this] { Show("rating"); },
                                  .say = [this](const std::string& text) { Say(text); }});
  }

  void FinishCycle() {
    metrics_.cycle = cycle_;
    metrics_.hours = Hours();
    metrics_.step = learner_->step();
    metrics_.games = status_.games;
    metrics_.positions = status_.positions;
    metrics_.window_positions = window_.positions();
    metrics_.window_bytes = static_cast<int64_t>(window_.bytes());
    TakeNews();
    metrics_.actors = hub_->figures();
    metrics_.alarms = AlarmsOf(metrics_, config_);
    for (const std::string& alarm : metrics_.alarms) Say("Warning: " + alarm);
    metrics_.AppendTo(run_.metrics());
    for (const std::string& fault : views_.Refresh()) log_->warn(fault);
    metrics_ = {};
    learned_ = false;
    cycle_ = NextCycle();
  }

  // --- the end ---------------------------------------------------------------------------------

  TrainSummary Finish() {
    learner_->Dismiss();
    TrainSummary summary{.stopped = stop_.stop_requested() || Progress() < 1.0,
                         .games = status_.games,
                         .positions = status_.positions,
                         .step = learner_->step(),
                         .hours = Hours(),
                         .checkpoint = checkpoint_,
                         .final_match = std::nullopt};
    if (summary.stopped) {
      Say("Stopped; everything is saved. The same command goes on from here.");
      return summary;
    }
    hub_->Finish();
    if (config_.evaluation.final_pairs > 0) {
      MatchResult result = MatchNewest(Match(), "random", config_.evaluation.final_pairs);
      if (!stop_.stop_requested()) summary.final_match = std::move(result);
    }
    Show("done", true);
    return summary;
  }

  const Config config_;
  const RunFolder run_;
  const RunLock lock_;
  StatusDisplay display_;
  const std::stop_token stop_;
  std::shared_ptr<spdlog::logger> log_;
  ReplayStore store_;
  const std::unique_ptr<ActorHub> hub_;
  GameNumbers numbers_;
  ReplayWindow window_;
  std::unique_ptr<Replayer> replayer_;
  std::unique_ptr<SelfPlay> self_play_;
  std::unique_ptr<SearchProbe> probe_;
  WindowFeed feed_;
  std::unique_ptr<Learner> learner_;

  const steady_clock::time_point start_ = steady_clock::now();
  double hours_before_ = 0.0;
  bool resumed_ = false;
  int64_t cycle_ = 0;
  bool learned_ = false;  // this cycle's steps are made
  int64_t trained_samples_ = 0;
  std::filesystem::path checkpoint_;
  TrainingStatus status_;
  CycleMetrics metrics_;
  RunViews views_{run_};
};

}  // namespace

TrainSummary RunTraining(const TrainOptions& options) { return TrainingLoop(options).Run(); }

}  // namespace khanzero
