// SPDX-License-Identifier: GPL-3.0-or-later
//
// A game record made ready for training: replayed once against the rules, ranks turned into moves
// and policy indices, kept in compact form: 4 bytes a move, 17 or 25 a sample (boards of 64 and
// 100 squares), 3 an entry of a target.
// Samples are built from it on demand, by replaying up to their ply.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "env/game_info.h"
#include "env/move.h"
#include "env/types.h"
#include "train/game_record.h"

namespace khanzero {

struct ReplayedGame {
  struct Sample {
    uint16_t ply = 0;
    uint8_t root_win = 0;
    uint8_t root_loss = 0;
    // Its entries end here, and begin where those before it end; without any it has no policy
    // target.
    uint32_t target_end = 0;
  };

  uint64_t id = 0;
  GameSettings settings;
  std::string start_fen;
  Outcome outcome;
  std::vector<Move> moves;
  std::vector<Sample> samples;
  std::vector<uint16_t> target_indices;  // policy indices
  std::vector<uint8_t> target_weights;
  std::vector<uint8_t> surprises;  // of samples, in 1/kSurpriseUnits nat
  // Squares whose piece lasts to the end: survivor_words() words a sample, absolute squares.
  std::vector<uint64_t> survivors;

  uint32_t target_begin(size_t sample) const {
    return sample == 0 ? 0 : samples[sample - 1].target_end;
  }
  bool has_policy(size_t sample) const { return target_begin(sample) < samples[sample].target_end; }
  size_t survivor_words() const { return samples.empty() ? 0 : survivors.size() / samples.size(); }
  size_t bytes() const {
    return sizeof(*this) + start_fen.size() + moves.size() * sizeof(Move) +
           samples.size() * (sizeof(Sample) + 1) + survivors.size() * sizeof(uint64_t) +
           target_indices.size() * 3;
  }
};

enum class Mirror { kNo, kYes };
// The targets of the heads that play needs, or of all.
enum class Targets { kPlay, kAll };

// One training sample, in the mover's view. The planes go where the caller points.
struct TrainingSample {
  std::vector<uint16_t> legal_indices;  // rising
  std::vector<float> policy;            // for each of legal_indices, sums to 1; empty: no target
  Wdl result;                           // of the game, for the mover
  Wdl root;                             // the search's root value, for the mover
  bool capped = false;                  // the game was cut off: `result` is no result of the rules
  // With Targets::kAll. The opponent's next move, in the opponent's view: its policy target where
  // it has one, else the move played. Empty at the end of a game.
  std::vector<uint16_t> reply_indices;
  std::vector<float> reply_policy;
  std::vector<float>
      survival;  // for each square: 1 a piece that lasts, 0 one that does not, -1 none
  int plies_left = 0;
};

// Rebuilds positions of one game. Made for a game by its name; not tied to a run.
class Replayer {
 public:
  virtual ~Replayer() = default;

  virtual const GameInfo& info() const = 0;

  // Replays a record. Throws InputError when it does not fit the rules: another game or rules
  // version, a move that is not legal, a result that is not the referee's, a game that goes on
  // after its end.
  virtual ReplayedGame Replay(const GameRecord& record) const = 0;

  // The position after `ply` plies, as FEN. REQUIRES: the game has so many.
  virtual std::string FenAt(const ReplayedGame& game, size_t ply) const = 0;

  // Builds one sample. `planes` gets info().shape.input_size() floats. With Mirror::kYes left and
  // right are exchanged, where the rules allow it in that position; elsewhere it is ignored.
  virtual void Build(const ReplayedGame& game, size_t sample, Mirror mirror, Targets targets,
                     std::span<float> planes, TrainingSample& out) const = 0;
};

// Throws InputError for an unknown game.
std::unique_ptr<Replayer> MakeReplayer(const std::string& game);

}  // namespace khanzero
