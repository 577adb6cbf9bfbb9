// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/bench.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "env/games.h"
#include "train/learner.h"
#include "train/replayed_game.h"
#include "train/self_play.h"

namespace khanzero {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLargestBatch = 1024;
constexpr int kRounds = 3;
constexpr int kComparedPositions = 2000;
constexpr int64_t kEndlessGames = int64_t{1} << 40;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// The first `count` positions of random games, each with all its legal moves.
EvaluationBatch RandomPositions(const std::string& game, int count, uint64_t seed) {
  return WithGame(game, [&]<class G>() {
    EvaluationBatch batch(InfoOf<G>().shape);
    Random random(seed);
    typename G::Moves moves;
    std::vector<uint16_t> indices;
    while (batch.size() < count) {
      auto position = G::Position::Start();
      while (batch.size() < count && !position.ComputeOutcome().over()) {
        position.LegalMoves(moves);
        indices.clear();
        for (const Move& move : moves) indices.push_back(G::PolicyIndex(position, move));
        G::Encode(position, batch.Add(indices));
        position.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
      }
    }
    return batch;
  });
}

class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options),
        config_(options.config),
        workers_(ThreadsFor(config_.selfplay.workers)),
        replayer_(MakeReplayer(config_.game)) {}

  BenchReport Run() {
    report_.game = config_.game;
    report_.facts = DescribeInference(config_.inference);
    report_.workers = workers_;
    report_.games_per_worker = config_.selfplay.games_per_worker;
    SweepBatches();
    ComparePrecisions();
    MeasureSelfPlay();
    MeasureLearner();
    Recommend();
    return report_;
  }

 private:
  // Counters of self-play at one moment.
  struct Snapshot {
    explicit Snapshot(const SelfPlayCounters& c)
        : games(c.games),
          positions(c.positions),
          evaluations(c.evaluations),
          simulations(c.simulations),
          terminal_visits(c.terminal_visits),
          cache_hits(c.cache_hits),
          tree_ns(c.tree_ns),
          encode_ns(c.encode_ns),
          inference_ns(c.inference_ns) {}
    Clock::time_point time = Clock::now();
    int64_t games, positions, evaluations, simulations, terminal_visits, cache_hits;
    int64_t tree_ns, encode_ns, inference_ns;
  };

  void Progress(const std::string& text) const {
    if (options_.progress) options_.progress(text);
  }

  // Positions a second of `threads` evaluators, each with a batch of its own.
  double Raw(int threads, int batch_size, const InferenceSettings& settings, double seconds) const {
    std::vector<double> rates(static_cast<size_t>(threads));
    std::barrier ready(threads);
    {
      std::vector<std::jthread> all;
      for (int t = 0; t < threads; ++t) {
        all.emplace_back([&, t] {
          const auto evaluator = MakeEvaluator(options_.network, settings);
          EvaluationBatch batch = RandomPositions(config_.game, batch_size, 1);
          evaluator->Evaluate(batch);  // plans and memory are made once
          ready.arrive_and_wait();
          const Clock::time_point start = Clock::now();
          int64_t count = 0;
          double elapsed = 0.0;
          do {
            evaluator->Evaluate(batch);
            count += batch_size;
            elapsed = SecondsSince(start);
          } while (elapsed < seconds);
          rates[static_cast<size_t>(t)] = static_cast<double>(count) / elapsed;
        });
      }
    }
    double sum = 0.0;
    for (const double rate : rates) sum += rate;
    return sum;
  }

  void SweepBatches() {
    Progress("inference alone, by batch size");
    std::vector<int> sizes = {config_.selfplay.games_per_worker};
    for (int size = 1; size <= kLargestBatch; size *= 2) sizes.push_back(size);
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    const double seconds = options_.seconds / static_cast<double>(sizes.size());
    for (const int size : sizes) {
      report_.raw.push_back({size, Raw(workers_, size, config_.inference, seconds)});
    }
    report_.best_batch =
        std::ranges::max_element(report_.raw, {}, &RawRate::positions_per_second)->batch;
  }

  void ComparePrecisions() {
    if (report_.facts.precision == "fp32") return;
    Progress("precision against fp32");
    InferenceSettings fp32 = config_.inference;
    fp32.precision = Precision::kFp32;
    EvaluationBatch rough = RandomPositions(config_.game, kComparedPositions, 2);
    EvaluationBatch exact = rough;
    // In a thread of its own: evaluating leaves its thread with one thread of LibTorch.
    std::jthread([&] {
      MakeEvaluator(options_.network, config_.inference)->Evaluate(rough);
      MakeEvaluator(options_.network, fp32)->Evaluate(exact);
    }).join();
    const auto top = [](const EvaluationBatch& batch, int i) {
      const auto logits = batch.logits(i);
      return std::max_element(logits.begin(), logits.end()) - logits.begin();
    };
    int agree = 0;
    for (int i = 0; i < kComparedPositions; ++i) {
      agree += top(rough, i) == top(exact, i);
      const Wdl& a = rough.wdl(i);
      const Wdl& b = exact.wdl(i);
      for (const float error : {a.win - b.win, a.draw - b.draw, a.loss - b.loss}) {
        report_.largest_chance_error =
            std::max(report_.largest_chance_error, static_cast<double>(std::abs(error)));
      }
    }
    report_.top_move_agreement = static_cast<double>(agree) / kComparedPositions;
    report_.raw_fp32 = Raw(workers_, report_.best_batch, fp32, options_.seconds / 4.0);
  }

  // Plays for `warm_up + seconds` and returns the counters at the beginning and end of `seconds`.
  std::pair<Snapshot, Snapshot> Play(SelfPlay& self_play, GameNumbers& numbers, double warm_up,
                                     double seconds) {
    std::stop_source stop;
    std::optional<Snapshot> first;
    std::optional<Snapshot> last;
    std::jthread timer([&](const std::stop_token& failed) {
      std::mutex mutex;
      std::condition_variable_any wake;
      std::unique_lock lock(mutex);
      const auto wait = [&](double s) {
        wake.wait_for(lock, failed, std::chrono::duration<double>(s), [] { return false; });
      };
      wait(warm_up);
      first.emplace(self_play.counters());
      wait(seconds);
      last.emplace(self_play.counters());
      stop.request_stop();
    });
    const SelfPlay::Network network = {
        .make_evaluator = [&] { return MakeEvaluator(options_.network, config_.inference); }};
    self_play.Play(
        network, kEndlessGames, numbers,
        [&](const GameRecord& record) {
          record_bytes_ += static_cast<double>(SerializeRecord(record).size());
          ++record_count_;
          record_positions_ += static_cast<double>(record.samples.size());
          if (games_.size() < kMostKeptGames) games_.push_back(replayer_->Replay(record));
        },
        stop.get_token());
    timer.join();
    return {*first, *last};
  }

  // The ceiling and self-play by turns, so that a machine that slows down slows both.
  void MeasureSelfPlay() {
    const std::unique_ptr<SelfPlay> self_play = MakeSelfPlay(config_);
    GameNumbers numbers({});
    Progress("self-play, warming up");
    Play(*self_play, numbers, options_.seconds / 2.0, 0.1);
    std::vector<double> ceilings;
    std::vector<double> ratios;
    std::vector<double> one_thread;
    std::optional<Snapshot> before;
    SelfPlayRates sums;
    double worker_seconds = 0.0;
    double wall = 0.0;
    int64_t evaluations = 0, simulations = 0, terminal = 0, hits = 0, positions = 0, games = 0;
    int64_t tree = 0, encode = 0, inference = 0;
    for (int round = 0; round < kRounds; ++round) {
      Progress("inference and self-play by turns, round " + std::to_string(round + 1) + " of " +
               std::to_string(kRounds));
      const double turn = options_.seconds / kRounds;
      const double raw_before = Raw(workers_, report_.best_batch, config_.inference, turn / 2.0);
      const auto [first, last] = Play(*self_play, numbers, turn / 10.0, turn);
      const double raw_after = Raw(workers_, report_.best_batch, config_.inference, turn / 2.0);
      one_thread.push_back(Raw(1, report_.best_batch, config_.inference, turn / 2.0));
      const double seconds = std::chrono::duration<double>(last.time - first.time).count();
      const double rate = static_cast<double>(last.evaluations - first.evaluations) / seconds;
      ceilings.push_back((raw_before + raw_after) / 2.0);
      ratios.push_back(rate / ceilings.back());
      wall += seconds;
      worker_seconds += seconds * workers_;
      evaluations += last.evaluations - first.evaluations;
      simulations += last.simulations - first.simulations;
      terminal += last.terminal_visits - first.terminal_visits;
      hits += last.cache_hits - first.cache_hits;
      positions += last.positions - first.positions;
      games += last.games - first.games;
      tree += last.tree_ns - first.tree_ns;
      encode += last.encode_ns - first.encode_ns;
      inference += last.inference_ns - first.inference_ns;
    }
    const auto per = [](int64_t part, double whole) {
      return whole > 0.0 ? static_cast<double>(part) / whole : 0.0;
    };
    report_.raw_ceiling = Median(ceilings);
    report_.raw_one_thread = Median(one_thread);
    report_.efficiency = Median(ratios);
    report_.least_efficiency = *std::ranges::min_element(ratios);
    report_.greatest_efficiency = *std::ranges::max_element(ratios);
    SelfPlayRates& rates = report_.self_play;
    rates.evaluations_per_second = per(evaluations, wall);
    rates.simulations_per_second = per(simulations, wall);
    rates.moves_per_second = per(positions, wall);
    rates.games_per_hour = per(games, wall) * 3600.0;
    rates.cache_hit_share = per(hits, static_cast<double>(simulations));
    rates.terminal_share = per(terminal, static_cast<double>(simulations));
    rates.inference_share = per(inference, 1e9 * worker_seconds);
    rates.encode_share = per(encode, 1e9 * worker_seconds);
    rates.tree_share = per(tree, 1e9 * worker_seconds);
    rates.waiting_share =
        std::max(0.0, 1.0 - rates.inference_share - rates.encode_share - rates.tree_share);
    report_.bytes_per_game = record_count_ > 0.0 ? record_bytes_ / record_count_ : 0.0;
    report_.bytes_per_position = record_positions_ > 0.0 ? record_bytes_ / record_positions_ : 0.0;
  }

  // Trains on the games just played; when they are too few, on games without a network.
  void MeasureLearner() {
    Progress("learner");
    LearnerSettings settings = config_.learner;
    ReplayWindow window(settings);
    for (ReplayedGame& game : games_) window.Add(std::move(game));
    games_.clear();
    const std::unique_ptr<SelfPlay> uniform = MakeSelfPlay(config_);
    GameNumbers numbers({});
    const SelfPlay::Network nothing = {.make_evaluator = [&] {
      return std::make_unique<UniformEvaluator>(replayer_->info().shape);
    }};
    while (window.training_positions() < 2 * settings.batch_size) {
      uniform->Play(nothing, 20, numbers,
                    [&](const GameRecord& record) { window.Add(replayer_->Replay(record)); }, {});
    }
    Learner learner(config_);
    std::stop_source stop;
    const auto none = [](const TrainingReport&) {};
    learner.Train(window, 2, 0.0, stop.get_token(), none);  // plans and memory are made once
    const Clock::time_point start = Clock::now();
    const TrainingReport report =
        learner.Train(window, kEndlessGames, 0.0, stop.get_token(), [&](const TrainingReport&) {
          if (SecondsSince(start) >= options_.seconds / 2.0) stop.request_stop();
        });
    report_.learner_samples_per_second = static_cast<double>(report.samples) / SecondsSince(start);
  }

  void Recommend() {
    const double best = std::ranges::max_element(report_.raw, {}, &RawRate::positions_per_second)
                            ->positions_per_second;
    // A smaller batch is as good and needs fewer games at once.
    const auto enough = std::ranges::find_if(
        report_.raw, [&](const RawRate& rate) { return rate.positions_per_second >= 0.97 * best; });
    report_.recommended_games_per_worker = enough->batch;
    report_.recommended_workers =
        report_.raw_ceiling > 1.03 * report_.raw_one_thread ? workers_ : 1;
    report_.games_per_day = 24.0 * report_.self_play.games_per_hour;
  }

  static constexpr size_t kMostKeptGames = 2000;

  const BenchOptions& options_;
  const Config& config_;
  int workers_;
  std::unique_ptr<Replayer> replayer_;
  BenchReport report_;
  // Of self-play; written by one worker at a time.
  std::vector<ReplayedGame> games_;
  double record_bytes_ = 0.0;
  double record_count_ = 0.0;
  double record_positions_ = 0.0;
};

}  // namespace

BenchReport RunBench(const BenchOptions& options) { return Bench(options).Run(); }

}  // namespace khanzero
