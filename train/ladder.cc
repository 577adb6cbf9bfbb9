// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/ladder.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "env/error.h"
#include "env/games.h"
#include "env/random.h"
#include "model/files.h"
#include "play/pairing.h"
#include "train/ladder_players.h"
#include "train/ladder_store.h"

namespace khanzero {

namespace {

constexpr int kRandom = 0;       // the anchor's place among the players
constexpr int kFirstPairs = 2;   // of a batch that joins a player to the others
constexpr int kPairs = 4;        // of a batch otherwise
constexpr int kCheapPairs = 32;  // of one whose games cost next to nothing
// How much less precise the checkpoints' common distance to `random` may be: it can hardly be
// measured where a network loses one game in thousands to random moves.
constexpr double kLevelFactor = 4.0;
constexpr double kCheap = 8.0;  // evaluations of a network a move, of both players together
// Batches between two fits. Not a matter of threads, so that these change nothing about the games.
constexpr int kBatchesInRound = 4;

void CheckOptions(const LadderOptions& o) {
  const auto need = [](bool holds, const char* what) {
    if (!holds) throw InputError(std::string("ladder: ") + what);
  };
  need(o.conditions.nodes >= 1, "the nodes must be at least 1");
  need(o.conditions.movetime_ms >= 0, "the time for each move must not be negative");
  need(o.error_elo > 0.0, "the error that is asked for must be above 0 Elo");
  need(o.max_games >= 0, "the most games must not be negative");
  need(o.every >= 1, "every so manyth checkpoint: the number must be at least 1");
  need(o.last >= 0, "the number of the newest checkpoints must not be negative");
  need(o.threads >= 1, "the number of threads must be at least 1");
}

class Ladder {
 public:
  Ladder(const RunFolder& run, const Config& config, const LadderOptions& options)
      : run_(run),
        config_(config),
        options_(options),
        lock_(run, RunWork::kRating),
        store_(run.ladder_store(), config.game),
        conditions_(store_.EnterConditions(ConditionsText())) {
    Enter(AnchorsOf(options));
    const std::vector<LadderPlayer> checkpoints = CheckpointsOf(run, options);
    if (checkpoints.empty() && options.entrants.empty()) {
      throw InputError("the run '" + run.path().string() +
                       "' has no checkpoint to rate; train it first");
    }
    Enter(checkpoints);
    Enter(EntrantsOf(options));
    // Those that are gone or were not asked for still hold the others' games together.
    for (const LadderIdentity& known : store_.Players(conditions_)) {
      if (places_.contains(known.id)) continue;
      Enter({{.identity = known, .checkpoint = known.step.has_value()}});
    }
  }

  LadderResult Run() {
    Fit();
    PlayRound(OpenBatches());
    while (!options_.stop.stop_requested()) {
      Fit();
      Publish();
      const std::vector<LadderBatch> round = NextRound();
      if (round.empty()) break;
      PlayRound(round);
    }
    Fit();
    return Publish();
  }

 private:
  std::string ConditionsText() const {
    const LadderConditions& c = options_.conditions;
    nlohmann::json json = {{"rules_version", InfoOfGame(config_.game).rules_version},
                           {"kings_landing", config_.kings_landing},
                           {"nodes", c.nodes},
                           {"algorithm", kRootAlgorithmNames[static_cast<size_t>(c.algorithm)]},
                           {"opening_plies", c.opening_plies},
                           {"max_plies", c.max_plies}};
    if (c.movetime_ms > 0) {
      json.erase("nodes");
      json["movetime_ms"] = c.movetime_ms;
    }
    return json.dump();
  }

  void Enter(std::vector<LadderPlayer> players) {
    for (LadderPlayer& player : players) {
      player.identity.id = store_.EnterPlayer(player.identity);
      places_[player.identity.id] = static_cast<int>(players_.size());
      players_.push_back(std::move(player));
    }
  }

  LadderPlayer& At(int place) { return players_[static_cast<size_t>(place)]; }
  const Rating& RatingAt(size_t place) const { return fit_.players[place]; }

  void Fit() {
    std::vector<SideResults> results;
    games_ = 0;
    for (const LadderResults& r : store_.Results(conditions_)) {
      results.push_back({.white = places_.at(r.white),
                         .black = places_.at(r.black),
                         .white_wins = r.white_wins,
                         .draws = r.draws,
                         .black_wins = r.black_wins});
      games_ += results.back().games();
    }
    fit_ = FitRatings(static_cast<int>(players_.size()), kRandom, results);
    for (LadderPlayer& player : players_) player.present = player.CanPlay();
    Measure();
    progress_.max_games = options_.max_games;
    progress_.wanted = progress_.rated = 0;
    progress_.widest = 0.0;
    for (size_t i = 0; i < players_.size(); ++i) {
      if (!Wanted(i)) continue;
      ++progress_.wanted;
      progress_.rated += IsPrecise(i) ? 1 : 0;
      if (RatingAt(i).elo) progress_.widest = std::max(progress_.widest, RatingAt(i).error);
    }
  }

  // Turns the intervals from differences to the anchor to differences to the checkpoints' mean.
  void Measure() {
    centre_.clear();
    for (size_t i = 0; i < players_.size(); ++i) {
      const bool counts = players_[i].checkpoint && players_[i].present && RatingAt(i).elo;
      if (counts) centre_.push_back(static_cast<int>(i));
    }
    level_error_ = 0.0;
    if (centre_.size() < 2) centre_.clear();  // a difference to itself says nothing
    if (centre_.empty()) return;
    std::vector<double> mean(players_.size(), 0.0);
    for (const int i : centre_) {
      mean[static_cast<size_t>(i)] = 1.0 / static_cast<double>(centre_.size());
    }
    level_error_ = fit_.ErrorOfSum(mean);
    for (size_t i = 0; i < players_.size(); ++i) {
      std::vector<double> difference = mean;
      difference[i] -= 1.0;
      if (RatingAt(i).elo) fit_.players[i].error = fit_.ErrorOfSum(difference);
    }
  }

  bool Wanted(size_t place) const { return players_[place].wanted && players_[place].present; }
  bool IsPrecise(size_t place) const {
    return RatingAt(place).elo && RatingAt(place).error <= options_.error_elo;
  }

  // --- what to play ----------------------------------------------------------------------------

  // What another process left unfinished, as far as its players are there.
  std::vector<LadderBatch> OpenBatches() {
    std::vector<LadderBatch> open;
    int64_t left = options_.max_games;
    for (const LadderBatch& batch : store_.OpenBatches(conditions_)) {
      const bool possible = At(places_.at(batch.a)).present && At(places_.at(batch.b)).present;
      if (!possible || batch.missing > left) continue;
      left -= batch.missing;
      open.push_back(batch);
    }
    return open;
  }

  // Empty when all is as precise as asked for, or the games are used up.
  std::vector<LadderBatch> NextRound() {
    std::vector<Pairing> pairings = JoiningPairings();
    const bool joins = !pairings.empty();
    if (!joins) pairings = TellingPairings();
    std::vector<LadderBatch> round;
    int64_t left = options_.max_games - progress_.new_games;
    for (const Pairing& p : pairings) {
      const bool cheap = At(p.a).cost + At(p.b).cost <= kCheap;
      const int pairs = joins ? kFirstPairs : cheap ? kCheapPairs : kPairs;
      const int affordable = static_cast<int>(std::min<int64_t>(pairs, left / 2));
      if (affordable < 1) break;
      left -= 2 * affordable;
      round.push_back(
          store_.EnterBatch(conditions_, At(p.a).identity.id, At(p.b).identity.id, affordable));
    }
    return round;
  }

  // Joins every player without a rating to the others: an anchor to the one before it, a checkpoint
  // to the one next to it by step, which is likely to be about as strong.
  std::vector<Pairing> JoiningPairings() {
    std::vector<Pairing> pairings;
    for (size_t i = 1; i < players_.size(); ++i) {
      const LadderPlayer& player = players_[i];
      if (RatingAt(i).elo || !player.present || (player.checkpoint && !player.wanted)) continue;
      pairings.push_back({.a = static_cast<int>(i), .b = PartnerOf(i)});
    }
    return pairings;
  }

  int PartnerOf(size_t place) {
    const LadderPlayer& player = players_[place];
    if (!player.checkpoint) return static_cast<int>(place) - 1;
    int64_t nearest = std::numeric_limits<int64_t>::max();
    int partner = kRandom;
    for (size_t i = 0; i < players_.size(); ++i) {
      const LadderPlayer& other = players_[i];
      // One before it in the list is joined in the same round, or is rated already.
      const bool joined = RatingAt(i).elo.has_value() || (other.wanted && i < place);
      if (!other.checkpoint || !other.present || !joined) continue;
      const int64_t apart =
          std::abs(other.identity.step.value_or(0) - player.identity.step.value_or(0));
      if (apart < nearest) {
        nearest = apart;
        partner = static_cast<int>(i);
      }
    }
    return partner;
  }

  std::vector<Pairing> TellingPairings() const {
    PairingRequest request{.wanted = {},
                           .available = {},
                           .centre = {},
                           .costs = {},
                           .pairings = kBatchesInRound,
                           .pairs = kPairs};
    bool any = false;
    for (size_t i = 0; i < players_.size(); ++i) {
      request.wanted.push_back(Wanted(i) && !IsPrecise(i));
      request.available.push_back(players_[i].present);
      request.costs.push_back(players_[i].cost);
      any = any || request.wanted.back();
    }
    request.centre = centre_;
    // Entrants are compared with each other; how far all of them are above `random` is not asked.
    request.level =
        !any && options_.entrants.empty() && level_error_ > kLevelFactor * options_.error_elo;
    return any || request.level ? ChoosePairings(fit_, request) : std::vector<Pairing>{};
  }

  // --- playing ---------------------------------------------------------------------------------

  void PlayRound(const std::vector<LadderBatch>& round) {
    if (round.empty()) return;
    const size_t workers = std::min(round.size(), static_cast<size_t>(options_.threads));
    const int threads = std::max(1, options_.threads / static_cast<int>(workers));
    std::atomic<size_t> next = 0;
    std::exception_ptr error;  // guarded by mutex_
    std::stop_source failed;
    {
      std::vector<std::jthread> pool;
      for (size_t i = 0; i < workers; ++i) {
        pool.emplace_back([&] {
          for (size_t k = next++; k < round.size(); k = next++) {
            if (options_.stop.stop_requested() || failed.stop_requested()) return;
            try {
              PlayBatch(round[k], threads);
            } catch (...) {
              const std::lock_guard lock(mutex_);
              if (!error) error = std::current_exception();
              failed.request_stop();
            }
          }
        });
      }
    }
    if (error) std::rethrow_exception(error);
  }

  void PlayBatch(const LadderBatch& batch, int threads) {
    const LadderPlayer& a = At(places_.at(batch.a));
    const LadderPlayer& b = At(places_.at(batch.b));
    MatchSettings settings;
    settings.pairs = batch.pairs;
    settings.seed = Random::Stream(config_.seed, static_cast<uint64_t>(batch.id)).Next();
    settings.game = {.kings_landing = config_.kings_landing};
    settings.openings.plies = options_.conditions.opening_plies;
    settings.max_plies = options_.conditions.max_plies;
    settings.threads = threads;
    settings.stop = options_.stop;
    {
      const std::lock_guard lock(mutex_);
      settings.played = store_.Finished(batch);
    }
    settings.on_pgn = [&](const FinishedGame& game, const std::string& pgn) {
      Keep(batch, a, b, game, pgn);
    };
    try {
      PlayMatch(config_.game, a.contestant, b.contestant, settings);
    } catch (const InputError& e) {
      // A run that trains may have deleted a checkpoint: the others go on without it.
      if (a.CanPlay() && b.CanPlay()) throw;
      const std::lock_guard lock(mutex_);
      Note("A batch of games is left out, its checkpoint is gone: " + std::string(e.what()));
    }
  }

  void Keep(const LadderBatch& batch, const LadderPlayer& a, const LadderPlayer& b,
            const FinishedGame& finished, const std::string& pgn) {
    const bool a_is_white = finished.round.side_of_a == Color::kWhite;
    const LadderGame game{.round = Text(finished.round),
                          .white = a_is_white ? batch.a : batch.b,
                          .black = a_is_white ? batch.b : batch.a,
                          .result = std::string(Text(finished.result)),
                          .pgn = pgn};
    const std::lock_guard lock(mutex_);
    if (!store_.AddGame(batch, game)) return;
    ++progress_.new_games;
    progress_.pairing = a.contestant.name + " - " + b.contestant.name;
    if (options_.on_progress) options_.on_progress(progress_);
  }

  void Note(const std::string& text) const {
    if (options_.on_note) options_.on_note(text);
  }

  // --- what it comes to ------------------------------------------------------------------------

  LadderResult Publish() {
    LadderResult result{.run = run_.path().string(),
                        .game = config_.game,
                        .conditions = options_.conditions,
                        .white_elo = fit_.white_elo,
                        .white_error = fit_.white_error,
                        .draw_share = fit_.draw_share,
                        .level_error = level_error_,
                        .error_elo = options_.error_elo,
                        .games = games_,
                        .new_games = progress_.new_games,
                        .stopped = options_.stop.stop_requested(),
                        .precise = progress_.rated == progress_.wanted};
    double highest = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < players_.size(); ++i) {
      const LadderPlayer& player = players_[i];
      const Rating& rating = RatingAt(i);
      if (player.checkpoint && !player.wanted && rating.games == 0) continue;
      result.entries.push_back({.name = player.identity.name,
                                .checkpoint = player.checkpoint,
                                .present = player.present,
                                .wanted = player.wanted,
                                .step = player.identity.step,
                                .games = player.identity.games,
                                .hours = player.identity.hours,
                                .rating = rating});
      if (!player.checkpoint || player.entrant || !player.present || !rating.elo) continue;
      if (*rating.elo - rating.error > highest) {
        highest = *rating.elo - rating.error;
        result.best = player.identity.name;
      }
    }
    std::stable_sort(result.entries.begin(), result.entries.end(),
                     [](const LadderEntry& x, const LadderEntry& y) {
                       const double lowest = -std::numeric_limits<double>::infinity();
                       return x.rating.elo.value_or(lowest) > y.rating.elo.value_or(lowest);
                     });
    WriteFileDurably(run_.ladder(), LadderJson(result) + "\n");
    if (result.best) run_.SetBest(*result.best);
    return result;
  }

  const RunFolder run_;
  const Config& config_;
  const LadderOptions& options_;
  const RunLock lock_;
  LadderStore store_;  // guarded by mutex_ while a round is played
  const int64_t conditions_;
  std::vector<LadderPlayer> players_;
  std::map<int64_t, int> places_;  // of players' ids
  RatingFit fit_;
  std::vector<int> centre_;  // the checkpoints whose mean ratings are compared with
  double level_error_ = 0.0;
  int64_t games_ = 0;
  std::mutex mutex_;
  LadderProgress progress_;  // guarded by mutex_ while a round is played
};

}  // namespace

LadderResult RunLadder(const RunFolder& run, const Config& config, const LadderOptions& options) {
  CheckOptions(options);
  return Ladder(run, config, options).Run();
}

}  // namespace khanzero
