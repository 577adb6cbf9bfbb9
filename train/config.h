// SPDX-License-Identifier: GPL-3.0-or-later
//
// The whole configuration of a run, as its YAML file gives it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/settings.h"
#include "mcts/settings.h"
#include "model/settings.h"

namespace khanzero {

struct SelfPlaySettings {
  int workers = 0;
  int games_per_worker = 64;
  int batch_size = 0;
  int cache_mib = 256;
  int max_plies = 400;
  int temperature_plies = 20;
  double temperature = 1.0;
  int random_opening_plies = 4;
  double random_opening_share = 0.2;
  double policy_opening_share = 0.0;
  int policy_opening_plies = 8;
  double policy_opening_temperature = 1.0;
  double earlier_start_share = 0.0;
  int simulations_start = 0;
  int64_t simulations_grow_games = 0;
  double full_search_share = 1.0;
  int cheap_simulations = 8;
  bool cheap_samples = true;

  template <class V>
  static void Fields(SelfPlaySettings& s, V& visit) {
    visit.Number("workers", s.workers, 0, 1024, "self-play threads; 0 takes one for each core");
    visit.Number("games_per_worker", s.games_per_worker, 1, 65536, "games a worker has in play");
    visit.Number("batch_size", s.batch_size, 0, 65536,
                 "most positions a worker gives the network at once; with more games in play than "
                 "this it plays them in groups, by turns; 0: 32 where oneDNN computes the network, "
                 "256 elsewhere");
    visit.Number("cache_mib", s.cache_mib, 0, 1'000'000,
                 "memory for what the network said of positions that may come again; 0: no cache");
    visit.Number("max_plies", s.max_plies, 2, 100000, "a game is cut off at this length");
    visit.Number("temperature_plies", s.temperature_plies, 0, 100000,
                 "puct: moves are drawn from the visits for this many plies, then the best is "
                 "played");
    visit.Number("temperature", s.temperature, 0.01, 10.0, "puct: temperature of that draw");
    visit.Number("random_opening_plies", s.random_opening_plies, 0, 1000,
                 "most random plies before the searched part of a game with a random opening");
    visit.Number("random_opening_share", s.random_opening_share, 0.0, 1.0,
                 "share of games that begin with random plies");
    visit.Number("policy_opening_share", s.policy_opening_share, 0.0, 1.0,
                 "share of the other games whose first plies are drawn from the network's policy");
    visit.Number("policy_opening_plies", s.policy_opening_plies, 1, 1000,
                 "most plies that are drawn so");
    visit.Number("policy_opening_temperature", s.policy_opening_temperature, 0.01, 10.0,
                 "temperature of that draw");
    visit.Number("earlier_start_share", s.earlier_start_share, 0.0, 1.0,
                 "share of games that start, without random plies, from a position of a game in "
                 "the replay window");
    visit.Number("simulations_start", s.simulations_start, 0, 10'000'000,
                 "simulations for each move of the first games, from which they grow to "
                 "search.simulations; 0: they are that from the first");
    visit.Number(
        "simulations_grow_games", s.simulations_grow_games, int64_t{0}, int64_t{1} << 40,
        "games over which they grow; 0: over the run's budget (loop.max_hours, max_games)");
    visit.Number("full_search_share", s.full_search_share, 0.01, 1.0,
                 "share of moves with a full search, which teaches the policy; the others get a "
                 "cheap one, without noise; 1: all are full");
    visit.Number("cheap_simulations", s.cheap_simulations, 1, 10'000'000,
                 "simulations of a cheap search");
    visit.Flag("cheap_samples", s.cheap_samples,
               "positions of cheap searches are samples of the value (not of the policy); no: they "
               "are only played");
  }
};

enum class OptimizerKind { kAdamW, kSgd };
inline constexpr ChoiceNames<2> kOptimizerKindNames = {"adamw", "sgd"};

enum class Schedule { kCosine, kLinear, kConstant };
inline constexpr ChoiceNames<3> kScheduleNames = {"cosine", "linear", "constant"};

enum class CappedGames { kDraw, kSkip };
inline constexpr ChoiceNames<2> kCappedGamesNames = {"draw", "skip"};

struct LearnerSettings {
  int batch_size = 256;
  OptimizerKind optimizer = OptimizerKind::kAdamW;
  double learning_rate = 0.002;
  int warmup_steps = 100;
  Schedule schedule = Schedule::kCosine;
  double final_learning_rate = 0.0002;
  double weight_decay = 0.0001;
  double momentum = 0.9;
  double gradient_clip = 5.0;
  double policy_weight = 1.0;
  double value_weight = 1.0;
  double reply_weight = 0.15;
  double survival_weight = 0.05;
  double moves_left_weight = 0.05;
  double root_value_share = 0.3;
  CappedGames capped_games = CappedGames::kDraw;
  double surprise_share = 0.0;
  double ema_decay = 0.999;
  double loss_leap = 2.0;
  double samples_per_position = 4.0;
  int64_t window_min_positions = 20'000;
  double window_growth = 0.4;
  double window_exponent = 0.65;
  double validation_share = 0.05;
  bool mirror = true;
  Precision precision = Precision::kAuto;
  int threads = 0;

  template <class V>
  static void Fields(LearnerSettings& s, V& visit) {
    visit.Number("batch_size", s.batch_size, 2, 65536, "positions a step");
    visit.Choice("optimizer", s.optimizer, kOptimizerKindNames, "adamw or sgd");
    visit.Number("learning_rate", s.learning_rate, 1e-8, 10.0, "highest learning rate");
    visit.Number("warmup_steps", s.warmup_steps, 0, 1'000'000,
                 "steps over which the learning rate rises to its highest");
    visit.Choice("schedule", s.schedule, kScheduleNames,
                 "how the learning rate falls over the run's budget: cosine, linear or constant");
    visit.Number("final_learning_rate", s.final_learning_rate, 0.0, 10.0,
                 "learning rate at the end of the run's budget");
    visit.Number("weight_decay", s.weight_decay, 0.0, 1.0,
                 "decay of convolution and linear weights (not of norms and biases)");
    visit.Number("momentum", s.momentum, 0.0, 0.9999, "sgd: momentum");
    visit.Number("gradient_clip", s.gradient_clip, 0.0, 1e6,
                 "longest gradient (norm); 0 does not clip");
    visit.Number("policy_weight", s.policy_weight, 0.0, 1000.0, "weight of the policy loss");
    visit.Number("value_weight", s.value_weight, 0.0, 1000.0, "weight of the value loss");
    visit.Number("reply_weight", s.reply_weight, 0.0, 1000.0,
                 "weight of the loss of the opponent's next move, a head for training only");
    visit.Number("survival_weight", s.survival_weight, 0.0, 1000.0,
                 "weight of the loss of which pieces last to the end, a head for training only");
    visit.Number("moves_left_weight", s.moves_left_weight, 0.0, 1000.0,
                 "weight of the loss of the game's remaining length, a head for training only");
    visit.Number("root_value_share", s.root_value_share, 0.0, 1.0,
                 "share of the search's root value in the value target, the rest is the result");
    visit.Choice("capped_games", s.capped_games, kCappedGamesNames,
                 "a game cut off trains its value as a draw, or not at all (skip)");
    visit.Number("surprise_share", s.surprise_share, 0.0, 1.0,
                 "share of a game's samples that goes to positions where the search disagreed with "
                 "the network, by how much it did");
    visit.Number("ema_decay", s.ema_decay, 0.0, 0.999999,
                 "the network in play is an average of the trained one over about 1 / (1 - this) "
                 "steps (fewer in the beginning); 0: the trained one itself");
    visit.Number("loss_leap", s.loss_leap, 0.0, 1000.0,
                 "a loss above this times its average returns the learner to its last good state; "
                 "0: only a loss that is not finite does");
    visit.Number("samples_per_position", s.samples_per_position, 0.01, 100.0,
                 "how often a new position is trained on, on average");
    visit.Number("window_min_positions", s.window_min_positions, int64_t{1}, int64_t{1} << 40,
                 "the replay window before it grows: M of the window formula");
    visit.Number("window_growth", s.window_growth, 0.0, 1.0,
                 "how fast the window grows at M: w of the window formula");
    visit.Number("window_exponent", s.window_exponent, 0.01, 1.0,
                 "how its growth slows: e of the window formula");
    visit.Number("validation_share", s.validation_share, 0.0, 0.5,
                 "share of games (by hash of their id) that are never trained on");
    visit.Flag("mirror", s.mirror, "train on left-right mirrored positions where rules allow it");
    visit.Choice("precision", s.precision, kTrainingPrecisionNames,
                 "arithmetic of training: auto takes bf16 where the processor has it");
    visit.Number("threads", s.threads, 0, 1024,
                 "threads of the learner; 0 takes one for each core");
  }
};

struct LoopSettings {
  int64_t max_games = 0;
  double max_hours = 0.0;
  int games_per_cycle = 500;
  int uniform_games = 0;
  int keep_checkpoints = 20;
  bool deterministic = false;

  template <class V>
  static void Fields(LoopSettings& s, V& visit) {
    visit.Number("max_games", s.max_games, int64_t{0}, int64_t{1} << 40,
                 "the run ends after this many self-play games; 0: no such end");
    visit.Number("max_hours", s.max_hours, 0.0, 100000.0,
                 "the run ends after this many hours of work; 0: no such end");
    visit.Number("games_per_cycle", s.games_per_cycle, 1, 10'000'000,
                 "games between two checkpoints");
    visit.Number("uniform_games", s.uniform_games, 0, 10'000'000,
                 "first games played without a network (uniform priors, draw value)");
    visit.Number("keep_checkpoints", s.keep_checkpoints, 1, 1'000'000,
                 "how many of the newest checkpoints are kept");
    visit.Flag("deterministic", s.deterministic,
               "the same seed gives the same games and weights to the last bit, however often the "
               "run is stopped: one worker, one thread, each cycle's games played to their end");
  }
};

struct EvaluationSettings {
  int every_cycles = 1;
  int pairs = 10;
  int final_pairs = 50;
  int simulations = 32;
  int ladder_every = 0;
  int ladder_games = 400;
  double ladder_error = 60.0;

  template <class V>
  static void Fields(EvaluationSettings& s, V& visit) {
    visit.Number("every_cycles", s.every_cycles, 0, 1'000'000,
                 "a short match against random and greedy after every so many cycles; 0: never");
    visit.Number("pairs", s.pairs, 1, 100'000, "pairs of games in each such match");
    visit.Number("final_pairs", s.final_pairs, 0, 100'000,
                 "pairs of games against random at the end of the run; 0: none");
    visit.Number("simulations", s.simulations, 1, 1'000'000,
                 "simulations the agent has for each move in these matches");
    visit.Number("ladder_every", s.ladder_every, 0, 1'000'000,
                 "the newest checkpoint is rated by the ladder after every so many cycles (a "
                 "checkpoint each); 0: never; `khanzero ladder` does it at any time");
    visit.Number("ladder_games", s.ladder_games, 2, 10'000'000,
                 "most games of the ladder each time");
    visit.Number("ladder_error", s.ladder_error, 1.0, 10000.0,
                 "the ladder plays until the 95 % interval of the rating is within +/- this, Elo");
  }
};

struct Config {
  std::string game = "khans";
  int kings_landing = 7;
  uint64_t seed = 1;
  NetworkSettings network;
  InferenceSettings inference;
  SearchSettings search;
  SelfPlaySettings selfplay;
  LearnerSettings learner;
  LoopSettings loop;
  EvaluationSettings evaluation;

  template <class V>
  static void Fields(Config& c, V& visit) {
    visit.Text("game", c.game, "the game's name");
    visit.Number("kings_landing", c.kings_landing, 7, 8,
                 "serbest: the king is placed on own ranks 1 to this");
    visit.Number("seed", c.seed, uint64_t{0}, ~uint64_t{0}, "seed of every random stream");
    visit.Section("network", c.network, "size of the network");
    visit.Section("inference", c.inference, "running the network");
    visit.Section("search", c.search, "the search of self-play");
    visit.Section("selfplay", c.selfplay, "playing games");
    visit.Section("learner", c.learner, "learning from them");
    visit.Section("loop", c.loop, "how long, and how often");
    visit.Section("evaluation", c.evaluation, "matches during the run");
  }
};

// Reads a YAML file over the defaults; then each of `overrides`, "section.key=value". Throws
// InputError for an unreadable file, an unknown key (with its line and the nearest known key), a
// wrong type, a value out of range, a key given twice.
Config LoadConfig(const std::string& path, const std::vector<std::string>& overrides = {});

// The same for YAML text; `source` names it in errors.
Config ParseConfig(const std::string& text, const std::string& source,
                   const std::vector<std::string>& overrides = {});

// The configuration as YAML that LoadConfig reads back to the same values, each key with its
// meaning, limits and default as a comment.
std::string ToYaml(const Config& config);

}  // namespace khanzero
