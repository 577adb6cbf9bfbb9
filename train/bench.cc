// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/bench.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "train/learner.h"
#include "train/replayed_game.h"
#include "train/self_play.h"

namespace khanzero {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLargestBatch = 1024;
constexpr int kRounds = 3;
constexpr int64_t kEndless = int64_t{1} << 40;
// A rate within this share of the best one is as good.
constexpr double kAsGood = 0.98;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Quotient(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

Ratio RatioOf(const std::vector<double>& parts, const std::vector<double>& wholes) {
  std::vector<double> ratios;
  for (size_t i = 0; i < parts.size(); ++i) ratios.push_back(Quotient(parts[i], wholes[i]));
  return {.median = Median(ratios),
          .least = *std::ranges::min_element(ratios),
          .greatest = *std::ranges::max_element(ratios)};
}

// 1, 2, 4 ... up to `most`, and `also`; rising.
std::vector<int> Doubling(int most, std::initializer_list<int> also) {
  std::vector<int> numbers = also;
  for (int n = 1; n <= most; n *= 2) numbers.push_back(n);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

double BestRate(const std::vector<RawRate>& rates) {
  return std::ranges::max_element(rates, {}, &RawRate::positions_per_second)->positions_per_second;
}

// The first that is about as good as the best: fewer threads, or fewer games at once.
const RawRate& FirstAsGood(const std::vector<RawRate>& rates) {
  return *std::ranges::find_if(rates, [&](const RawRate& rate) {
    return rate.positions_per_second >= kAsGood * BestRate(rates);
  });
}

// The counters of self-play at one moment, or their growth.
enum Count {
  kGames,
  kMoves,
  kEvaluated,
  kSimulated,
  kEnds,
  kHits,
  kTree,
  kEncode,
  kInfer,
  kCounts
};
struct Counts {
  std::array<double, kCounts> of{};
  double seconds = 0.0;
};

Counts CountsNow(const SelfPlayCounters& c) {
  const auto number = [](const std::atomic<int64_t>& n) { return static_cast<double>(n.load()); };
  return {.of = {number(c.games), number(c.positions), number(c.evaluations), number(c.simulations),
                 number(c.terminal_visits), number(c.cache_hits), number(c.tree_ns),
                 number(c.encode_ns), number(c.inference_ns)},
          .seconds = std::chrono::duration<double>(Clock::now().time_since_epoch()).count()};
}

void AddGrowth(Counts& sum, const Counts& first, const Counts& last) {
  for (size_t i = 0; i < kCounts; ++i) sum.of[i] += last.of[i] - first.of[i];
  sum.seconds += last.seconds - first.seconds;
}

// Waits until the time is over or somebody asks to stop; says whether the time is over.
bool WaitFor(double seconds, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
  return !stop.stop_requested();
}

// The rate of a learner's steps from the first one's end on: what comes before, such as the first
// batch, is paid once a cycle and not at every step.
class StepRate {
 public:
  explicit StepRate(double seconds) : seconds_(seconds) {}
  // Told after each step the samples so far. At least two steps are measured.
  bool GoOn(int64_t samples) {
    if (steps_++ == 0) {
      start_ = Clock::now();
      first_samples_ = samples;
      return true;
    }
    elapsed_ = SecondsSince(start_);
    samples_ = samples - first_samples_;
    return steps_ < 3 || elapsed_ < seconds_;
  }
  double per_second() const { return Quotient(static_cast<double>(samples_), elapsed_); }

 private:
  double seconds_;
  int64_t steps_ = 0;
  Clock::time_point start_;
  int64_t first_samples_ = 0;
  int64_t samples_ = 0;
  double elapsed_ = 0.0;
};

class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options),
        config_(options.config),
        raw_{config_.game, options.network, config_.inference},
        workers_(ThreadsFor(config_.selfplay.workers)),
        replayer_(MakeReplayer(config_.game)) {}

  BenchReport Run() {
    report_.game = config_.game;
    report_.facts = DescribeInference(config_.inference);
    report_.workers = workers_;
    report_.games_per_worker = config_.selfplay.games_per_worker;
    report_.batch = std::min(report_.games_per_worker, BatchSizeFor(config_));
    batches_ = Doubling(kLargestBatch, {report_.batch});
    Progress("inference alone, by batch size");
    report_.raw = SweepBatches(raw_, workers_, batches_, options_.seconds);
    best_ = *std::ranges::max_element(report_.raw, {}, &RawRate::positions_per_second);
    Progress("inference by arithmetic");
    report_.arithmetics = CompareArithmetics(raw_, workers_, best_.batch, options_.seconds);
    MeasureSelfPlay();
    MeasureLearner();
    Recommend();
    return report_;
  }

 private:
  void Progress(const std::string& text) const {
    if (options_.progress) options_.progress(text);
  }

  // --- self-play -------------------------------------------------------------------------------

  // Games must be of all lengths when the measurement begins, as in the middle of a run. Without a
  // network that takes a small part of the time.
  void SpreadGames() {
    const SelfPlay::Network nothing = {
        .make_evaluator =
            [&] { return std::make_unique<UniformEvaluator>(replayer_->info().shape); },
        .step = -1};
    std::stop_source stop;
    const std::jthread timer([&](const std::stop_token& over) {
      if (WaitFor(options_.seconds, over)) stop.request_stop();
    });
    self_play_->Play(
        nothing, int64_t{2} * workers_ * report_.games_per_worker, numbers_,
        [&](const GameRecord& record) { Keep(record); }, stop.get_token());
  }

  void Keep(const GameRecord& record) {
    constexpr size_t kMost = 2000;
    if (games_.size() < kMost) games_.push_back(replayer_->Replay(record));
  }

  // Self-play goes on for `warm_up + seconds`. Adds the growth of the counters in `seconds` to
  // `sum` and returns the evaluations a second.
  double PlayTurn(double warm_up, double seconds, Counts& sum) {
    std::stop_source stop;
    Counts first;
    Counts last;
    std::jthread timer([&](const std::stop_token& failed) {
      if (!WaitFor(warm_up, failed)) return;
      first = CountsNow(self_play_->counters());
      if (!WaitFor(seconds, failed)) return;
      last = CountsNow(self_play_->counters());
      stop.request_stop();
    });
    const SelfPlay::Network network = {
        .make_evaluator = [&] { return MakeEvaluator(options_.network, config_.inference); }};
    self_play_->Play(
        network, kEndless, numbers_,
        [&](const GameRecord& record) {
          record_bytes_ += static_cast<double>(SerializeRecord(record).size());
          record_positions_ += static_cast<double>(record.samples.size());
          ++record_count_;
          kept_.push_back(record);
        },
        stop.get_token());
    timer.join();
    for (const GameRecord& record : kept_) Keep(record);  // no part of self-play: not while it runs
    kept_.clear();
    AddGrowth(sum, first, last);
    return Quotient(last.of[kEvaluated] - first.of[kEvaluated], last.seconds - first.seconds);
  }

  // The ceiling and self-play by turns, so that a machine that slows down slows both.
  void MeasureSelfPlay() {
    Progress("self-play, warming up");
    self_play_ = MakeSelfPlay(config_);
    SpreadGames();
    Counts ignored;
    PlayTurn(0.0, options_.seconds / 4.0, ignored);
    record_bytes_ = record_positions_ = 0.0;
    record_count_ = 0;
    std::map<int, std::vector<double>> raw = {{report_.batch, {}}, {best_.batch, {}}};
    for (const int batch : {best_.batch / 2, best_.batch * 2}) {
      if (batch >= 1 && batch <= kLargestBatch) raw[batch];
    }
    std::map<int, std::vector<double>> threads;
    for (const int n : Doubling(ThreadsFor(0), {ThreadsFor(0), workers_})) threads[n];
    const double turn = options_.seconds / kRounds;
    const double raw_turn = turn / 2.0 / static_cast<double>(raw.size());
    std::vector<double> played;
    Counts sum;
    for (int round = 1; round <= kRounds; ++round) {
      Progress("inference and self-play by turns, round " + std::to_string(round) + " of " +
               std::to_string(kRounds));
      for (auto& [n, rates] : threads) {
        rates.push_back(MeasureRawRate(raw_, n, best_.batch, turn / 4.0));
      }
      for (auto& [batch, rates] : raw) {
        rates.push_back(MeasureRawRate(raw_, workers_, batch, raw_turn));
      }
      played.push_back(PlayTurn(turn / 10.0, turn, sum));
      for (auto& [batch, rates] : raw) {
        rates.back() = (rates.back() + MeasureRawRate(raw_, workers_, batch, raw_turn)) / 2.0;
      }
    }
    for (const auto& [n, rates] : threads) {
      report_.raw_threads.push_back({n, best_.batch, Median(rates)});
    }
    for (const auto& [batch, rates] : raw) {
      const RawRate rate = {workers_, batch, Median(rates)};
      if (rate.positions_per_second > report_.ceiling.positions_per_second) report_.ceiling = rate;
      if (batch == report_.batch) report_.configured = rate;
    }
    report_.efficiency = RatioOf(played, raw[report_.ceiling.batch]);
    report_.batch_efficiency = RatioOf(played, raw[report_.configured.batch]);
    FillRates(sum);
  }

  void FillRates(const Counts& sum) {
    SelfPlayRates& rates = report_.self_play;
    const auto games = static_cast<double>(record_count_);
    rates.evaluations_per_second = Quotient(sum.of[kEvaluated], sum.seconds);
    rates.simulations_per_second = Quotient(sum.of[kSimulated], sum.seconds);
    rates.moves_per_second = Quotient(sum.of[kMoves], sum.seconds);
    rates.games_ended = record_count_;
    rates.positions_per_game = Quotient(record_positions_, games);
    rates.games_per_hour = 3600.0 * Quotient(rates.moves_per_second, rates.positions_per_game);
    rates.bytes_per_game = Quotient(record_bytes_, games);
    rates.bytes_per_position = Quotient(record_bytes_, record_positions_);
    rates.cache_hit_share = Quotient(sum.of[kHits], sum.of[kSimulated]);
    rates.terminal_share = Quotient(sum.of[kEnds], sum.of[kSimulated]);
    const double worker_ns = 1e9 * workers_ * sum.seconds;
    rates.inference_share = Quotient(sum.of[kInfer], worker_ns);
    rates.encode_share = Quotient(sum.of[kEncode], worker_ns);
    rates.tree_share = Quotient(sum.of[kTree], worker_ns);
    rates.waiting_share =
        std::max(0.0, 1.0 - rates.inference_share - rates.encode_share - rates.tree_share);
  }

  // --- learner ---------------------------------------------------------------------------------

  // Trains on the games just played; when they are too few, on more without a network.
  void MeasureLearner() {
    Progress("learner");
    ReplayWindow window(config_.learner);
    const auto fill = [&] {
      for (ReplayedGame& game : games_) window.Add(std::move(game));
      games_.clear();
      return window.training_positions() >= 2 * config_.learner.batch_size;
    };
    while (!fill()) SpreadGames();
    self_play_.reset();
    Learner learner(config_);
    const double turn = options_.seconds / 4.0 / kRounds;
    const auto train = [&](double seconds) {
      std::stop_source stop;
      StepRate rate(seconds);
      learner.Train(window, kEndless, 0.0, stop.get_token(), [&](const TrainingReport& report) {
        if (!rate.GoOn(report.samples)) stop.request_stop();
      });
      return rate.per_second();
    };
    const auto train_bare = [&](LearnerHeads heads) {
      StepRate rate(turn);
      learner.RepeatBatch(window, heads, [&](int64_t samples) { return rate.GoOn(samples); });
      return rate.per_second();
    };
    train(0.0);  // plans and memory are made once
    std::vector<double> rates;
    std::vector<double> bare;
    std::vector<double> tower;
    for (int round = 0; round < kRounds; ++round) {
      tower.push_back(train_bare(LearnerHeads::kPlay));
      bare.push_back(train_bare(LearnerHeads::kConfigured));
      rates.push_back(train(turn));
    }
    report_.learner = {.samples_per_second = Median(rates),
                       .bare_samples_per_second = Median(bare),
                       .efficiency = RatioOf(rates, bare),
                       .tower_samples_per_second = Median(tower)};
  }

  void Recommend() {
    report_.games_per_day = 24.0 * report_.self_play.games_per_hour;
    report_.recommended_workers = FirstAsGood(report_.raw_threads).threads;
    std::vector<RawRate> raw = report_.raw;
    if (report_.recommended_workers != workers_) {
      Progress("inference alone with the recommended number of threads");
      raw = SweepBatches(raw_, report_.recommended_workers, batches_, options_.seconds / 2.0);
    }
    const auto configured = std::ranges::find(report_.raw, report_.batch, &RawRate::batch);
    // What is as good as the best is left as it is.
    const bool good = configured->positions_per_second >= kAsGood * BestRate(raw);
    const RawRate& chosen = good ? *configured : FirstAsGood(raw);
    report_.recommended_batch = chosen.batch;
    report_.recommended_games = std::max(chosen.batch, report_.games_per_worker);
    report_.recommended_games_per_day =
        report_.games_per_day *
        Quotient(chosen.positions_per_second, configured->positions_per_second);
  }

  const BenchOptions& options_;
  const Config& config_;
  RawInference raw_;
  int workers_;
  std::unique_ptr<Replayer> replayer_;
  std::vector<int> batches_;
  RawRate best_;
  BenchReport report_;

  std::unique_ptr<SelfPlay> self_play_;
  GameNumbers numbers_{std::vector<uint64_t>{}};
  // Written by one worker of self-play at a time.
  std::vector<GameRecord> kept_;
  std::vector<ReplayedGame> games_;
  double record_bytes_ = 0.0;
  double record_positions_ = 0.0;
  int64_t record_count_ = 0;
};

}  // namespace

BenchReport RunBench(const BenchOptions& options) { return Bench(options).Run(); }

}  // namespace khanzero
