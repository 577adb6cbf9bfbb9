// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/data_check.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "env/error.h"
#include "env/random.h"
#include "train/replay_window.h"
#include "train/replayed_game.h"

namespace khanzero {

namespace {

// Sums of floats and root values in steps of 1/255.
constexpr double kSumTolerance = 1e-4;
constexpr double kRootTolerance = 1.0 / 255.0;
// With fewer positions of decided games their root values say little of viewpoints.
constexpr int64_t kEnoughForViewpoint = 1000;
constexpr double kTurnedAround = -0.02;

[[noreturn]] void Fail(const std::string& what) { throw InputError(what); }

void CheckColumns(const StoredColumns& row, const StoredColumns& record) {
  const auto compare = [](const char* name, auto in_row, auto in_record) {
    if (in_row == in_record) return;
    Fail("the row's " + std::string(name) + " is " + std::to_string(in_row) + ", the record's is " +
         std::to_string(in_record));
  };
  compare("id", row.id, record.id);
  compare("number", row.number, record.number);
  compare("network_step", row.network_step, record.network_step);
  compare("plies", row.plies, record.plies);
  compare("positions", row.positions, record.positions);
  compare("result", row.result, record.result);
  compare("reason", row.reason, record.reason);
}

// The side that moves at a ply, from the start and the ply alone.
Color MoverAt(const GameRecord& record, int ply) {
  const size_t space = record.start_fen.find(' ');
  const bool black_begins = space != std::string::npos && space + 1 < record.start_fen.size() &&
                            record.start_fen[space + 1] == 'b';
  return (ply % 2 == 1) != black_begins ? Color::kBlack : Color::kWhite;
}

void CheckShares(const Wdl& wdl, double tolerance, const std::string& name) {
  for (const float share : {wdl.win, wdl.draw, wdl.loss}) {
    if (!(share >= 0.0F && share <= 1.0F)) Fail(name + " has a share outside 0..1");
  }
  const double sum =
      static_cast<double>(wdl.win) + static_cast<double>(wdl.draw) + static_cast<double>(wdl.loss);
  if (std::abs(sum - 1.0) > tolerance) Fail(name + " sums to " + std::to_string(sum));
}

void CheckPolicy(const TrainingSample& sample, int policy_size, const std::string& where) {
  double sum = 0.0;
  for (const float p : sample.policy) {
    if (!std::isfinite(p) || p < 0.0F) Fail("the policy target" + where + " is not finite");
    sum += static_cast<double>(p);
  }
  // `policy` has entries for legal moves only, so a sum of 1 leaves nothing for others.
  if (!sample.policy.empty() && std::abs(sum - 1.0) > kSumTolerance) {
    Fail("the policy target" + where + " sums to " + std::to_string(sum));
  }
  for (size_t i = 0; i < sample.legal_indices.size(); ++i) {
    if (sample.legal_indices[i] >= policy_size) Fail("a policy index" + where + " is out of range");
    if (i > 0 && sample.legal_indices[i] == sample.legal_indices[i - 1]) {
      Fail("two legal moves" + where + " share a policy index");
    }
  }
}

// The result as the mover must see it, found without the code under test.
void CheckViewpoint(const GameRecord& record, const TrainingSample& sample, int ply) {
  float expected = 0.0F;
  if (record.outcome.result != Result::kDraw) {
    const Color winner =
        record.outcome.result == Result::kWhiteWins ? Color::kWhite : Color::kBlack;
    expected = MoverAt(record, ply) == winner ? 1.0F : -1.0F;
  }
  if (sample.result.value() != expected) {
    Fail("the value target at ply " + std::to_string(ply) + " has the wrong sign");
  }
}

class Checker {
 public:
  Checker(const ReplayStore& store, const Config& config)
      : store_(store),
        config_(config),
        replayer_(MakeReplayer(config.game)),
        planes_(static_cast<size_t>(replayer_->info().shape.input_size())) {}

  DataCheckReport Run(const DataProgress& progress) {
    int64_t last = 0;
    try {
      report_.file_problems = store_.FileProblems();
      const StoreTotals totals = store_.Totals();
      window_after_ = store_.SequenceBeforeNewest(
          WindowPositions(config_.learner, totals.positions + store_.Pruned().positions));
      VisitGames(store_, 0, INT64_MAX, [&](const StoredGame& stored) {
        last = stored.sequence;
        ++report_.rows;
        Visit(stored);
        progress(report_.rows, std::max(totals.games, report_.rows));
      });
    } catch (const InputError& e) {  // of the file: a row's own faults do not get here
      report_.file_problems.push_back("reading stopped after sequence " + std::to_string(last) +
                                      ": " + e.what());
    }
    report_.window = window_.Ranges(10);
    CheckRootValues();
    return std::move(report_);
  }

 private:
  void Visit(const StoredGame& stored) {
    try {
      const GameRecord record = ParseRecord(stored.bytes);
      CheckColumns(stored.columns, ColumnsOf(record));
      if (record.settings != GameSettings{.kings_landing = config_.kings_landing}) {
        Fail("it was played with kings_landing = " + std::to_string(record.settings.kings_landing) +
             ", the run has " + std::to_string(config_.kings_landing));
      }
      const ReplayedGame game = replayer_->Replay(record);
      const double agreement = CheckSamples(record, game);
      CheckCopies(stored.sequence, record);
      if (record.outcome.result != Result::kDraw) {
        report_.root_agreement += agreement;
        report_.decided_positions += static_cast<int64_t>(record.samples.size());
      }
      report_.good.Count(record);
      if (stored.sequence > window_after_) {
        const auto positions = static_cast<int64_t>(record.samples.size());
        window_.Count(record.last_network_step, positions);
        report_.window_positions += positions;
      }
    } catch (const InputError& e) {
      Damage(stored.sequence, e.what());
    } catch (const InternalError& e) {  // what no writer of ours makes
      Damage(stored.sequence, e.what());
    }
  }

  void Damage(int64_t sequence, const std::string& what) {
    ++report_.damaged;
    if (report_.problems.size() < DataCheckReport::kListed) {
      report_.problems.push_back({sequence, Printable(what)});
    }
  }

  // Returns the sum of root value x result.
  double CheckSamples(const GameRecord& record, const ReplayedGame& game) {
    if (game.samples.size() != record.samples.size()) {
      Fail("it has " + std::to_string(record.samples.size()) + " samples, " +
           std::to_string(game.samples.size()) + " of them on its plies");
    }
    double agreement = 0.0;
    for (size_t i = 0; i < game.samples.size(); ++i) {
      const int ply = game.samples[i].ply;
      const std::string where = " at ply " + std::to_string(ply);
      replayer_->Build(game, i, Mirror::kNo, Targets::kPlay, planes_, sample_);
      for (const float plane : planes_) {
        if (!(plane >= 0.0F && plane <= 1.0F)) Fail("an input plane" + where + " is outside 0..1");
      }
      CheckPolicy(sample_, replayer_->info().shape.policy_size(), where);
      CheckShares(sample_.root, kRootTolerance + kSumTolerance, "the root value" + where);
      CheckShares(sample_.result, kSumTolerance, "the value target" + where);
      CheckViewpoint(record, sample_, ply);
      agreement += static_cast<double>(sample_.root.value() * sample_.result.value());
    }
    return agreement;
  }

  void CheckCopies(int64_t sequence, const GameRecord& record) {
    // A run's seed and a game's number make its random stream.
    const auto [first, added] =
        streams_.emplace(Mix64(Mix64(record.seed) + record.number), sequence);
    if (!added) {
      Fail("it has the seed and number (" + std::to_string(record.number) +
           ") of the game at sequence " + std::to_string(first->second) + ": a copy");
    }
    const uint64_t moves = HashMoves(record, record.move_ranks.size());
    uint64_t content = moves;
    for (const SampleRecord& sample : record.samples) {
      content = Mix64(content ^ (static_cast<uint64_t>(sample.ply) << 16) ^
                      (static_cast<uint64_t>(sample.root_win) << 8) ^ sample.root_loss);
      for (const TargetEntry& entry : sample.target) {
        content = Mix64(content ^ (static_cast<uint64_t>(entry.rank) << 8) ^ entry.weight);
      }
    }
    const auto [earlier, is_new] = games_.emplace(moves, Seen{sequence, content});
    if (is_new) return;
    const bool is_short = record.move_ranks.size() <= static_cast<size_t>(kShortGamePlies);
    if (!is_short && earlier->second.content == content) {
      Fail("it has every move and target of the game at sequence " +
           std::to_string(earlier->second.sequence) + ": a copy");
    }
    ++(is_short ? report_.repeated_short : report_.repeated_long);
  }

  void CheckRootValues() {
    if (report_.decided_positions == 0) return;
    report_.root_agreement /= static_cast<double>(report_.decided_positions);
    if (report_.decided_positions >= kEnoughForViewpoint &&
        report_.root_agreement < kTurnedAround) {
      report_.file_problems.push_back("root values point away from the results (" +
                                      std::to_string(report_.root_agreement) +
                                      " on average): their viewpoint is turned around");
    }
  }

  struct Seen {
    int64_t sequence = 0;
    uint64_t content = 0;
  };

  const ReplayStore& store_;
  const Config& config_;
  const std::unique_ptr<Replayer> replayer_;
  DataCheckReport report_;
  StepTally window_;
  int64_t window_after_ = 0;
  std::unordered_map<uint64_t, int64_t> streams_;  // to the sequence
  std::unordered_map<uint64_t, Seen> games_;       // by a hash of their moves
  std::vector<float> planes_;
  TrainingSample sample_;
};

}  // namespace

DataCheckReport CheckData(const ReplayStore& store, const Config& config,
                          const DataProgress& progress) {
  return Checker(store, config).Run(progress);
}

}  // namespace khanzero
