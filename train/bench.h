// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures what this machine makes of a configuration: the network alone (the ceiling), self-play
// with everything around it, the learner. What is compared is measured by turns in one run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/inference.h"
#include "train/arithmetic_bench.h"
#include "train/config.h"
#include "train/raw_inference.h"

namespace khanzero {

// A quotient of two rates that were measured by turns.
struct Ratio {
  double median = 0.0;  // of the rounds
  double least = 0.0;
  double greatest = 0.0;
};

struct SelfPlayRates {
  double evaluations_per_second = 0.0;  // by the network; neither cache hits nor ends of games
  double simulations_per_second = 0.0;
  double moves_per_second = 0.0;
  double games_per_hour = 0.0;      // from moves_per_second and the length of the games that ended
  double positions_per_game = 0.0;  // searched and stored
  int64_t games_ended = 0;          // while measured; the figures of games come from these
  double bytes_per_game = 0.0;      // as stored
  double bytes_per_position = 0.0;
  // Shares of all simulations.
  double cache_hit_share = 0.0;
  double terminal_share = 0.0;
  // Shares of the workers' time; they sum to 1.
  double inference_share = 0.0;
  double encode_share = 0.0;
  double tree_share = 0.0;
  double waiting_share = 0.0;
};

struct LearnerRates {
  double samples_per_second = 0.0;
  double bare_samples_per_second = 0.0;   // steps on one batch made before: the network's passes
  Ratio efficiency;                       // the first over the second
  double tower_samples_per_second = 0.0;  // such steps with the heads of play alone
};

struct BenchReport {
  std::string game;
  InferenceFacts facts;
  int workers = 0;
  int games_per_worker = 0;
  int batch = 0;  // that the network is given: all games of a worker, or a group of them

  std::vector<RawRate> raw;          // by batch size, `workers` threads
  std::vector<RawRate> raw_threads;  // by number of threads at the best batch of `raw`
  // By turns with self-play, `workers` threads: the greatest rate of the batch sizes around the
  // best, and that of `batch`.
  RawRate ceiling;
  RawRate configured;
  std::vector<ArithmeticRate> arithmetics;  // at the best batch, LibTorch in fp32 first

  SelfPlayRates self_play;
  Ratio efficiency;        // self-play's evaluations over `ceiling`
  Ratio batch_efficiency;  // and over `configured`

  LearnerRates learner;

  double games_per_day = 0.0;  // of self-play alone, as configured
  // What this machine does best with, and what that should give.
  int recommended_workers = 0;
  int recommended_games = 0;  // of each worker
  int recommended_batch = 0;
  double recommended_games_per_day = 0.0;
};

struct BenchOptions {
  Config config;
  std::shared_ptr<const FoldedNetwork> network;
  double seconds = 20.0;                             // for each thing measured
  std::function<void(const std::string&)> progress;  // one line for each stage
};

// Throws InputError for an unknown game or what this machine cannot do.
BenchReport RunBench(const BenchOptions& options);

}  // namespace khanzero
