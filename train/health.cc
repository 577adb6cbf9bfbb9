// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "env/games.h"
#include "mcts/batch.h"

namespace khanzero {

namespace {

template <Game G>
class GameProbe : public SearchProbe {
 public:
  GameProbe(const Config& config, int positions, uint64_t seed) : search_(config.search) {
    Random random(seed);
    const GameSettings settings = {.kings_landing = config.kings_landing};
    typename G::Moves moves;
    while (static_cast<int>(states_.size()) < positions) {
      GameState<G> state(G::Position::Start(settings));
      // One position a game, at a ply of its own, so that they differ.
      const auto plies = static_cast<int>(random.Below(60));
      for (int ply = 0; ply < plies && !state.position().ComputeOutcome().over(); ++ply) {
        state.position().LegalMoves(moves);
        state.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
      }
      if (!state.position().ComputeOutcome().over()) states_.push_back(state);
    }
  }

  SearchGap Measure(Evaluator& evaluator) const override {
    std::deque<Search<G>> searches;
    std::vector<Search<G>*> all;
    for (const GameState<G>& state : states_) {
      all.push_back(&searches.emplace_back(search_, Exploration::kNone, Random(1)));
      all.back()->Begin(state.position(), state.history());
    }
    BatchSearcher<G>(evaluator, 1).Run(all);
    SearchGap gap;
    for (const Search<G>* search : all) {
      const SearchResult result = search->Result();
      const auto by_prior = std::ranges::max_element(result.moves, {}, &RootMove::prior);
      const auto by_target = std::ranges::max_element(result.moves, {}, &RootMove::target);
      gap.agreement += by_prior == by_target ? 1.0 : 0.0;
      for (const RootMove& move : result.moves) {
        if (move.target <= 0.0) continue;
        gap.divergence += move.target * std::log(move.target / std::max(move.prior, 1e-9));
      }
    }
    const auto count = static_cast<double>(all.size());
    gap.agreement /= count;
    gap.divergence /= count;
    return gap;
  }

 private:
  SearchSettings search_;
  std::vector<GameState<G>> states_;
};

}  // namespace

std::unique_ptr<SearchProbe> MakeSearchProbe(const Config& config, int positions, uint64_t seed) {
  return WithGame(config.game, [&]<class G>() -> std::unique_ptr<SearchProbe> {
    return std::make_unique<GameProbe<G>>(config, positions, seed);
  });
}

std::vector<std::string> AlarmsOf(const CycleMetrics& m, const Config& config) {
  std::vector<std::string> alarms;
  // Fewer games say little.
  constexpr int64_t kEnoughGames = 50;
  if (m.new_games >= kEnoughGames) {
    const auto games = static_cast<double>(m.new_games);
    const double capped = static_cast<double>(m.capped_games) / games;
    if (capped > 0.5) {
      alarms.push_back(fmt::format(
          "{:.0f} % of the games were cut off at selfplay.max_plies ({}): they teach no result",
          100.0 * capped, config.selfplay.max_plies));
    }
    const double white = m.white_score();
    if (white < 0.15 || white > 0.85) {
      alarms.push_back(
          fmt::format("White scores {:.0f} % in self-play: one side always wins", 100.0 * white));
    }
    const double draws = static_cast<double>(m.draws) / games;
    if (draws > 0.95 && capped <= 0.5) {
      alarms.push_back(fmt::format("{:.0f} % of the games are draws", 100.0 * draws));
    }
    const int64_t opened = m.new_games - m.earlier_starts;
    if (opened >= kEnoughGames && m.openings.size() < static_cast<size_t>(opened) / 10) {
      alarms.push_back(
          fmt::format("only {} different openings of {} plies in {} games: raise "
                      "selfplay.random_opening_share",
                      m.openings.size(), CycleMetrics::kOpeningPlies, opened));
    }
  }
  if (m.training.returns > 0) {
    alarms.push_back(fmt::format(
        "the learner went back to its last good state {} times: lower learner.learning_rate",
        m.training.returns));
  }
  if (m.training.steps == 0) {
    alarms.push_back(
        "the learner made no step: too few new positions for a batch; play more games a cycle or "
        "make learner.batch_size smaller");
    return alarms;
  }
  if (m.training.policy_entropy < 0.05) {
    alarms.push_back(
        fmt::format("the policy has collapsed: its entropy is {:.3f} nats; explore more or lower "
                    "learner.learning_rate",
                    m.training.policy_entropy));
  }
  constexpr int64_t kEnoughSamples = 500;
  const double gap = m.validation.loss.policy - m.training.loss.policy;
  if (m.validation.samples >= kEnoughSamples && gap > 0.25 * m.training.loss.policy + 0.1) {
    alarms.push_back(fmt::format(
        "the policy is learned by heart: its loss is {:.2f} on validation games and {:.2f} on "
        "those trained on; lower learner.samples_per_position or widen the window",
        m.validation.loss.policy, m.training.loss.policy));
  }
  if (m.learner_waiting_share() > 0.2) {
    alarms.push_back(fmt::format("the learner waits {:.0f} % of its time for its batches",
                                 100.0 * m.learner_waiting_share()));
  }
  return alarms;
}

}  // namespace khanzero
