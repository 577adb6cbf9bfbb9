// SPDX-License-Identifier: GPL-3.0-or-later
//
// One game of self-play, from its opening to its record. A worker advances many of these in
// lockstep.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "env/history.h"
#include "mcts/batch.h"
#include "train/config.h"
#include "train/game_record.h"
#include "train/move_ranks.h"
#include "train/self_play.h"

namespace khanzero {

template <Game G>
class SelfPlayGame {
 public:
  explicit SelfPlayGame(const Config& config)
      : config_(config),
        state_(G::Position::Start(Settings())),
        search_(config.search, Exploration::kSelfPlay, Random(0)) {}

  // Begins game `number` of the run. Its random stream follows from the run's seed and the number
  // alone.
  void Begin(uint64_t number, const SelfPlay::Network& network) {
    record_ = GameRecord{.game = std::string(G::kName),
                         .rules_version = G::kRulesVersion,
                         .settings = Settings(),
                         .start_fen = {},
                         .id = Mix64(Mix64(config_.seed) + number),
                         .seed = config_.seed,
                         .number = number,
                         .first_network_step = network.step,
                         .last_network_step = network.step,
                         .outcome = {},
                         .move_ranks = {},
                         .samples = {}};
    random_ = Random::Stream(config_.seed, number);
    search_.Reseed(Random::Stream(random_.Next(), 1));
    SetSimulations(network);
    PlayOpening(network);
    BeginSearch();
  }

  // A new network plays on: the search of the present move starts anew with it.
  void ChangeNetwork(const SelfPlay::Network& network) {
    record_.last_network_step = network.step;
    SetSimulations(network);
    SearchAgain();
  }

  // Plays the move of a finished search; says whether the game is over. REQUIRES:
  // search().finished().
  bool PlaySearchedMove() {
    const SearchResult result = search_.Result();
    if (policy_plies_ > 0) {
      PlayPolicyMove(result);
      BeginSearch();
      return false;
    }
    const MoveRanks<G> ranks(state_.position());
    if (full_search_ || config_.selfplay.cheap_samples) {
      record_.samples.push_back(MakeSample(result, ranks));
    }
    const Move move = result.moves[static_cast<size_t>(ChooseMove(result))].move;
    PlayMove(move, ranks);
    if (Over()) return true;
    BeginSearch();
    return false;
  }

  // The finished game. REQUIRES: PlaySearchedMove() said that it is over.
  GameRecord TakeRecord() { return std::move(record_); }

  // Says that the seat stays empty: no further game begins.
  void Leave() { left_ = true; }
  bool left() const { return left_; }

  // What the search did since this was last asked.
  SearchCounters TakeCounters() {
    const SearchCounters before = std::exchange(counted_, search_.counters());
    return {.simulations = counted_.simulations - before.simulations,
            .evaluations = counted_.evaluations - before.evaluations,
            .cache_hits = counted_.cache_hits - before.cache_hits,
            .terminal_visits = counted_.terminal_visits - before.terminal_visits};
  }

  Search<G>& search() { return search_; }
  Leaf<G>& leaf() { return leaf_; }

 private:
  // The next move's search: a full one, or by chance a cheap one (playout cap randomisation, Wu
  // 2019), which only moves the game on and says who stands better.
  void BeginSearch() {
    const double share = config_.selfplay.full_search_share;
    if (policy_plies_ == 0) full_search_ = share >= 1.0 || random_.Uniform() < share;
    SearchAgain();
  }
  void SearchAgain() {
    const bool explores = full_search_ && policy_plies_ == 0;
    search_.set_exploration(explores ? Exploration::kSelfPlay : Exploration::kNone);
    search_.Begin(state_.position(), state_.history());
    search_.set_simulation_limit(policy_plies_ > 0 ? 1  // for the policy at the root
                                 : full_search_
                                     ? simulations_
                                     : std::min(simulations_, config_.selfplay.cheap_simulations));
    counted_ = {};
  }
  void SetSimulations(const SelfPlay::Network& network) {
    simulations_ = network.simulations > 0 ? network.simulations : config_.search.simulations;
  }
  GameSettings Settings() const { return {.kings_landing = config_.kings_landing}; }

  void PlayMove(Move move, const MoveRanks<G>& ranks) {
    record_.move_ranks.push_back(ranks.RankOf(G::PolicyIndex(state_.position(), move)));
    state_.Play(move);
  }

  // A share of games begins with a few random plies, so that rare positions are seen too, or from
  // a position of an earlier game, or with plies drawn from the policy, which searches to come
  // give. An opening that ends the game is thrown away.
  void PlayOpening(const SelfPlay::Network& network) {
    policy_plies_ = openings_thrown_ = 0;
    if (StartEarlier(network)) return;
    const SelfPlaySettings& settings = config_.selfplay;
    int plies = 0;
    if (settings.random_opening_plies > 0 && random_.Uniform() < settings.random_opening_share) {
      plies = DrawPlies(settings.random_opening_plies);
    } else if (settings.policy_opening_share > 0.0 &&
               random_.Uniform() < settings.policy_opening_share) {
      policy_plies_ = DrawPlies(settings.policy_opening_plies);
    }
    for (;;) {
      StartAnew();
      bool over = false;
      for (int ply = 0; ply < plies && !over; ++ply) {
        const MoveRanks<G> ranks(state_.position());
        PlayMove(ranks[random_.Below(ranks.size())].move, ranks);
        over = state_.position().ComputeOutcome().over();
      }
      if (!over) return;
    }
  }

  // 1 to `most`.
  int DrawPlies(int most) {
    return 1 + static_cast<int>(random_.Below(static_cast<uint64_t>(most)));
  }

  void StartAnew() {
    state_ = GameState<G>(G::Position::Start(Settings()));
    record_.move_ranks.clear();
  }

  // Says whether the game starts from a position of an earlier one. What was repeated before it is
  // not known to this game.
  bool StartEarlier(const SelfPlay::Network& network) {
    const double share = config_.selfplay.earlier_start_share;
    if (share <= 0.0 || !network.earlier_start || random_.Uniform() >= share) return false;
    const std::optional<std::string> fen = network.earlier_start(record_.id, random_);
    if (!fen) return false;
    record_.start_fen = *fen;
    state_ = GameState<G>(G::Position::FromFen(*fen, Settings()));
    return true;
  }

  // Plays a ply of an opening that is drawn from the policy. It ends early where the search has
  // proven something: that position is worth a sample.
  void PlayPolicyMove(const SearchResult& result) {
    constexpr int kMostThrown = 8;
    if (result.proof != Proof::kUnknown) {
      policy_plies_ = 0;
      return;
    }
    std::vector<double> priors;
    for (const RootMove& move : result.moves) priors.push_back(move.prior);
    const size_t drawn = Draw(priors, config_.selfplay.policy_opening_temperature);
    PlayMove(result.moves[drawn].move, MoveRanks<G>(state_.position()));
    --policy_plies_;
    if (!state_.position().ComputeOutcome().over()) return;
    StartAnew();
    policy_plies_ =
        ++openings_thrown_ < kMostThrown ? DrawPlies(config_.selfplay.policy_opening_plies) : 0;
  }

  // An index with a chance in proportion to weight^(1 / temperature). REQUIRES: a weight above 0.
  size_t Draw(std::vector<double> weights, double temperature) {
    // Relative to the greatest, so that small temperatures stay finite.
    const double most = *std::ranges::max_element(weights);
    double sum = 0.0;
    for (double& weight : weights) sum += weight = std::pow(weight / most, 1.0 / temperature);
    double drawn = random_.Uniform() * sum;
    size_t last = 0;  // rounding can leave a little of the sum
    for (size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] <= 0.0) continue;
      last = i;
      drawn -= weights[i];
      if (drawn < 0.0) break;
    }
    return last;
  }

  bool Over() {
    record_.outcome = state_.position().ComputeOutcome();
    if (!record_.outcome.over() &&
        static_cast<int>(record_.move_ranks.size()) >= config_.selfplay.max_plies) {
      record_.outcome = {Result::kDraw, EndReason::kPlyCap};
    }
    return record_.outcome.over();
  }

  SampleRecord MakeSample(const SearchResult& result, const MoveRanks<G>& ranks) {
    SampleRecord sample{.ply = static_cast<int>(record_.move_ranks.size()),
                        .target = {},
                        .root_win = QuantizeShare(static_cast<double>(result.root.win)),
                        .root_loss = QuantizeShare(static_cast<double>(result.root.loss))};
    // Rounding both up must not make them more than everything.
    if (sample.root_win + sample.root_loss > 255) {
      sample.root_loss = static_cast<uint8_t>(255 - sample.root_win);
    }
    if (full_search_) FillTarget(result, ranks, sample);
    return sample;
  }

  void FillTarget(const SearchResult& result, const MoveRanks<G>& ranks, SampleRecord& sample) {
    std::vector<double> target(ranks.size(), 0.0);
    double surprise = 0.0;
    for (const RootMove& move : result.moves) {
      target[ranks.RankOf(G::PolicyIndex(state_.position(), move.move))] = move.target;
      if (move.target > 0.0) {
        surprise += move.target * std::log(move.target / std::max(move.prior, 1e-9));
      }
    }
    sample.target = QuantizeTarget(target, random_);
    sample.surprise = QuantizeShare(surprise * kSurpriseUnits / 255.0);
  }

  // Gumbel chooses by its own noise. PUCT draws from the visits in the first plies. A proven win is
  // always played.
  int ChooseMove(const SearchResult& result) {
    const SelfPlaySettings& settings = config_.selfplay;
    if (config_.search.algorithm != RootAlgorithm::kPuct || result.proof == Proof::kWin ||
        static_cast<int>(record_.move_ranks.size()) >= settings.temperature_plies) {
      return result.best;
    }
    std::vector<double> visits;
    for (const RootMove& move : result.moves) visits.push_back(move.visits);
    if (visits.front() <= 0.0) return result.best;
    return static_cast<int>(Draw(visits, settings.temperature));
  }

  const Config& config_;
  GameState<G> state_;
  Search<G> search_;
  Leaf<G> leaf_;
  SearchCounters counted_;  // of search_, at the last TakeCounters()
  Random random_{0};
  GameRecord record_;
  int simulations_ = 0;      // of a full search
  int policy_plies_ = 0;     // still to be drawn from the policy
  int openings_thrown_ = 0;  // of those drawn from the policy
  bool full_search_ = true;  // the present search
  bool left_ = false;
};

}  // namespace khanzero
