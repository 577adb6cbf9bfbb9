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
#include "train/config.h"

namespace khanzero {

struct FoldedNetwork;

struct RawRate {
  int batch = 0;
  double positions_per_second = 0.0;  // of all threads together
};

struct SelfPlayRates {
  double evaluations_per_second = 0.0;  // by the network; neither cache hits nor ends of games
  double simulations_per_second = 0.0;
  double moves_per_second = 0.0;
  double games_per_hour = 0.0;
  // Shares of all simulations.
  double cache_hit_share = 0.0;
  double terminal_share = 0.0;
  // Shares of the workers' time; they sum to 1.
  double inference_share = 0.0;
  double encode_share = 0.0;
  double tree_share = 0.0;
  double waiting_share = 0.0;
};

struct BenchReport {
  std::string game;
  InferenceFacts facts;
  int workers = 0;
  int games_per_worker = 0;

  std::vector<RawRate> raw;           // by batch size
  int best_batch = 0;                 // that of the greatest rate among them
  double raw_ceiling = 0.0;           // at best_batch, measured by turns with self-play
  double raw_one_thread = 0.0;        // at best_batch
  double raw_fp32 = 0.0;              // at best_batch with all threads; 0 when fp32 is what is used
  double top_move_agreement = 1.0;    // with fp32, share of 2,000 positions
  double largest_chance_error = 0.0;  // of win, draw or loss against fp32

  SelfPlayRates self_play;
  double efficiency = 0.0;  // self-play's evaluations over the ceiling: median of the rounds
  double least_efficiency = 0.0;
  double greatest_efficiency = 0.0;
  double bytes_per_game = 0.0;
  double bytes_per_position = 0.0;

  double learner_samples_per_second = 0.0;

  // What this machine does best with.
  int recommended_workers = 0;
  int recommended_games_per_worker = 0;
  double games_per_day = 0.0;  // of self-play alone, as configured
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
