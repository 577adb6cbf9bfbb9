// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the environment costs a search, in nanoseconds a position: each benchmark's time is that of
// one position, taken by turns from a fixed set out of seeded random games. The last one of a game
// evaluates positions by a fresh network of 6 blocks x 64 channels in batches, on one thread, and
// says how much of that time the environment adds. Sizes in bytes are in the context.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "env/games.h"
#include "model/inference.h"
#include "model/torch_switches.h"
#include "tests/env/random_positions.h"

namespace khanzero {
namespace {

constexpr size_t kPositions = 4096;  // a power of two
constexpr int kBatch = 256;

// A position with what the benchmarks need of it.
template <class G>
struct Sample {
  typename G::Position position;
  std::vector<Move> moves;
  Move played;
};

template <class G>
std::vector<Sample<G>> MakeSamples() {
  Random random(11);
  std::vector<Sample<G>> samples;
  for (int number = 0; samples.size() < kPositions; ++number) {
    RandomGame<G>(random, SettingsOfGame(number), 200, [&](const GameState<G>& game) {
      typename G::Moves moves;
      game.position().LegalMoves(moves);
      if (samples.size() == kPositions || moves.empty()) return;
      const Move played =
          moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))];
      samples.push_back({game.position(), {moves.begin(), moves.end()}, played});
    });
  }
  return samples;
}

template <class G>
const std::vector<Sample<G>>& Samples() {
  static const std::vector<Sample<G>> samples = MakeSamples<G>();
  return samples;
}

// One sample after the other, round and round.
template <class G>
class Turns {
 public:
  const Sample<G>& Next() { return samples_[next_++ % kPositions]; }

 private:
  const std::vector<Sample<G>>& samples_ = Samples<G>();
  size_t next_ = 0;
};

template <class G>
void LegalMoves(benchmark::State& state) {
  Turns<G> turns;
  typename G::Moves moves;
  size_t count = 0;
  for (auto _ : state) {
    turns.Next().position.LegalMoves(moves);
    benchmark::DoNotOptimize(moves);
    count += static_cast<size_t>(moves.size());
  }
  state.counters["moves"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kAvgIterations);
}

template <class G>
void CountLegalMoves(benchmark::State& state) {
  Turns<G> turns;
  for (auto _ : state) benchmark::DoNotOptimize(turns.Next().position.CountLegalMoves());
}

// With the copy that a search makes.
template <class G>
void CopyAndPlay(benchmark::State& state) {
  Turns<G> turns;
  for (auto _ : state) {
    const Sample<G>& sample = turns.Next();
    typename G::Position position = sample.position;
    position.Play(sample.played);
    benchmark::DoNotOptimize(position);
  }
}

template <class G>
void ComputeOutcome(benchmark::State& state) {
  Turns<G> turns;
  for (auto _ : state) benchmark::DoNotOptimize(turns.Next().position.ComputeOutcome());
}

template <class G>
void EncodePlanes(benchmark::State& state) {
  Turns<G> turns;
  std::vector<float> planes(static_cast<size_t>(InfoOf<G>().shape.input_size()));
  for (auto _ : state) {
    G::Encode(turns.Next().position, planes);
    benchmark::DoNotOptimize(planes.data());
    benchmark::ClobberMemory();
  }
}

template <class G>
void PolicyIndices(benchmark::State& state) {
  Turns<G> turns;
  std::vector<uint16_t> indices(G::kMaxMoves);
  for (auto _ : state) {
    const Sample<G>& sample = turns.Next();
    for (size_t i = 0; i < sample.moves.size(); ++i) {
      indices[i] = G::PolicyIndex(sample.position, sample.moves[i]);
    }
    benchmark::DoNotOptimize(indices.data());
    benchmark::ClobberMemory();
  }
}

// A batch's worth of positions with their moves' indices, as a search prepares it.
template <class G>
void PrepareBatch(Turns<G>& turns, EvaluationBatch& batch) {
  typename G::Moves moves;
  std::vector<uint16_t> indices;
  batch.Clear();
  for (int i = 0; i < kBatch; ++i) {
    const typename G::Position& position = turns.Next().position;
    position.LegalMoves(moves);
    indices.clear();
    for (const Move& move : moves) indices.push_back(G::PolicyIndex(position, move));
    G::Encode(position, batch.Add(indices));
  }
}

// Everything the environment does for an evaluation: moves, their indices, the planes.
template <class G>
void Prepare(benchmark::State& state) {
  Turns<G> turns;
  EvaluationBatch batch(InfoOf<G>().shape);
  while (state.KeepRunningBatch(kBatch)) {
    PrepareBatch<G>(turns, batch);
    benchmark::DoNotOptimize(batch.planes().data());
  }
}

// One batch over and over. `prepare_percent` is the time to prepare a position in that of
// evaluating it: what the environment adds.
template <class G>
void Network6x64(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  Turns<G> turns;
  const EncodingShape shape = InfoOf<G>().shape;
  const std::unique_ptr<Evaluator> evaluator =
      MakeEvaluator(MakeRandomNetwork(shape, {.blocks = 6, .channels = 64}, 1), {.device = "cpu"});
  EvaluationBatch batch(shape);
  const Clock::time_point prepare_start = Clock::now();
  for (size_t i = 0; i < kPositions; i += kBatch) PrepareBatch<G>(turns, batch);
  const double prepare_seconds = seconds_since(prepare_start) / kPositions;
  evaluator->Evaluate(batch);

  const Clock::time_point evaluate_start = Clock::now();
  while (state.KeepRunningBatch(kBatch)) evaluator->Evaluate(batch);
  const double evaluate_seconds =
      seconds_since(evaluate_start) / static_cast<double>(state.iterations());
  state.counters["prepare_percent"] = 100.0 * prepare_seconds / evaluate_seconds;
}

template <class G>
void Register() {
  const std::string name(G::kName);
  const auto add = [&](const char* what, auto* function) {
    benchmark::RegisterBenchmark((name + "/" + what).c_str(), function);
  };
  add("LegalMoves", LegalMoves<G>);
  add("CountLegalMoves", CountLegalMoves<G>);
  add("CopyAndPlay", CopyAndPlay<G>);
  add("ComputeOutcome", ComputeOutcome<G>);
  add("EncodePlanes", EncodePlanes<G>);
  add("PolicyIndices", PolicyIndices<G>);
  add("Prepare", Prepare<G>);
  add("Network6x64", Network6x64<G>);
  benchmark::AddCustomContext(name + " Position",
                              std::to_string(sizeof(typename G::Position)) + " bytes");
}

}  // namespace
}  // namespace khanzero

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  khanzero::Register<khanzero::Khans>();
  khanzero::Register<khanzero::Serbest>();
  benchmark::AddCustomContext("history entry", std::to_string(sizeof(uint64_t)) + " bytes");
  benchmark::AddCustomContext("network runs on",
                              Text(khanzero::DescribeInference({.device = "cpu"})));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
