// SPDX-License-Identifier: GPL-3.0-or-later
//
// The ladder: ratings of a run's checkpoints against each other and against fixed anchors, of which
// `random` is 0 Elo. It plays until each rating that is asked for is as precise as asked for, and
// chooses what to play by what it tells most (play/pairing.h), so a checkpoint that is new costs
// few games. Every game is kept in the run's ladder.db as it ends: started again, also after
// kill -9, it goes on with what is there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "mcts/settings.h"
#include "model/settings.h"
#include "play/ratings.h"
#include "train/run_folder.h"

namespace khanzero {

// What is the same in all games that are rated together.
struct LadderConditions {
  int nodes = 100;      // simulations of the run's checkpoints for each move
  int movetime_ms = 0;  // instead of them, this time for each move; 0: by simulations
  RootAlgorithm algorithm = RootAlgorithm::kPuct;
  int opening_plies = 4;
  int max_plies = 600;
};

struct LadderProgress {
  int64_t new_games = 0;
  int64_t max_games = 0;
  int64_t rated = 0;    // wanted checkpoints that are as precise as asked for
  int64_t wanted = 0;   // how many there are
  double widest = 0.0;  // widest interval of a wanted checkpoint, half of it; 0: none is rated
  std::string pairing;  // the players of the game that ended
};

struct LadderOptions {
  LadderConditions conditions;
  InferenceSettings inference;
  double error_elo = 40.0;   // half-width of the 95 % interval that is asked for
  int64_t max_games = 5000;  // to play at most, now
  int every = 1;             // of the checkpoints, counted from the newest back, every so manyth
  int last = 0;              // only so many of the newest; 0: all
  bool baselines = true;     // greedy and alphabeta:1 to 3 as anchors
  std::string reference;     // command of a UCI engine: anchors at 1 to 10,000 nodes; empty: none
  std::vector<std::string> anchors;  // more of them: SPEC or SPEC@NODES
  // NAME=PLAYER: checkpoints from elsewhere that are rated as those of the run are. With any, the
  // run need not have a checkpoint of its own.
  std::vector<std::string> entrants;
  int threads = 1;
  std::stop_token stop;
  std::function<void(const LadderProgress&)> on_progress;  // after each game, one call at a time
  std::function<void(const std::string&)> on_note;         // what was left out, and why
};

struct LadderEntry {
  std::string name;
  bool checkpoint = false;  // of the run, or an entrant; else an anchor
  bool present = false;     // it can still play
  bool wanted = false;      // its rating was asked for
  std::optional<int64_t> step{};
  std::optional<int64_t> games{};  // of self-play, when it was written
  std::optional<double> hours{};   // of training
  // Its `error` is of the difference to the mean of the rated checkpoints that are there, so that
  // what is not known of their common distance to `random` is not in each of them.
  Rating rating;
};

struct LadderResult {
  std::string run;
  std::string game;
  LadderConditions conditions{};
  std::vector<LadderEntry> entries{};  // the best rated first, those without a rating last
  double white_elo = 0.0;              // White's advantage
  double white_error = 0.0;
  double draw_share = 0.0;   // of games between equals
  double level_error = 0.0;  // half-width of the interval of that mean above `random`
  double error_elo = 0.0;    // that was asked for
  int64_t games = 0;         // all that are rated
  int64_t new_games = 0;
  bool stopped = false;  // by the stop token
  bool precise = false;  // every wanted checkpoint is as precise as asked for
  // The checkpoint that `best` points at: of those that are there, the one whose interval has the
  // highest lower end.
  std::optional<std::string> best{};
};

// Plays, rates, writes ladder.json and points `best` at the best checkpoint. `config` is the run's.
// Throws InputError for a run without checkpoints, a bad anchor, settings out of range, or when
// another process rates the run; RuntimeFailure when something outside fails.
LadderResult RunLadder(const RunFolder& run, const Config& config, const LadderOptions& options);

// A table for people; ends with a newline.
std::string LadderText(const LadderResult& result);
// One JSON object, as ladder.json holds it.
std::string LadderJson(const LadderResult& result);

}  // namespace khanzero
