// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/match.h"

#include "env/games.h"
#include "play/match_runner.h"

namespace khanzero {

namespace {

void CheckSettings(const Contestant& a, const Contestant& b, const MatchSettings& s) {
  const auto need = [](bool holds, const char* what) {
    if (!holds) throw InputError(std::string("match: ") + what);
  };
  need(s.pairs >= 1, "the number of pairs must be at least 1");
  need(s.games_of_pair == 1 || s.games_of_pair == 2, "a pair has one game or two");
  CheckOpenings(s.openings);
  const bool drawn =
      s.openings.source == OpeningSource::kRandom || s.openings.source == OpeningSource::kBalanced;
  need(!drawn || s.max_plies > s.openings.plies,
       "the longest game must be longer than the opening");
  need(s.concurrency >= 0, "the number of games at once must not be negative");
  need(s.threads >= 1, "the number of threads must be at least 1");
  if (s.sprt) {
    need(s.games_of_pair == 2, "the test of two Elo differences needs pairs of games");
    need(s.sprt->elo0 < s.sprt->elo1, "the first Elo bound must be below the second");
    const auto is_chance = [](double p) { return p > 0.0 && p < 0.5; };
    need(is_chance(s.sprt->alpha) && is_chance(s.sprt->beta),
         "the chances of error must be above 0 and below 0.5");
  }
  Check(s.threads == 1 || (a.evaluator == nullptr && b.evaluator == nullptr),
        "an evaluator serves one thread");
}

// Whether games beside each other would disturb this player.
bool WantsQuiet(const Contestant& c) {
  return c.settings.limits.timed() ||
         (c.evaluator == nullptr && ParsePlayerSpec(c.spec).kind == PlayerKind::kUci);
}

}  // namespace

std::string NameOf(const Contestant& c) {
  if (!c.name.empty()) return c.name;
  return c.evaluator != nullptr ? "network" : ParsePlayerSpec(c.spec).name;
}

SprtState StateOfSprt(const SprtSettings& settings, const MatchResult& result) {
  SprtState state{
      .ratio = LogLikelihoodRatio(result.pairs, settings.elo0, settings.elo1, settings.model),
      .bounds = BoundsOfSprt(settings.alpha, settings.beta)};
  if (state.ratio <= state.bounds.lower) state.verdict = SprtVerdict::kElo0;
  if (state.ratio >= state.bounds.upper) state.verdict = SprtVerdict::kElo1;
  return state;
}

MatchResult PlayMatch(const std::string& game, const Contestant& a, const Contestant& b,
                      const MatchSettings& settings) {
  CheckSettings(a, b, settings);
  MatchSettings effective = settings;
  if (effective.concurrency == 0) {
    effective.concurrency = WantsQuiet(a) || WantsQuiet(b) ? 1 : kBatchedGames;
  }
  std::array<Contestant, 2> players = {a, b};
  for (Contestant& player : players) player.settings.stop = settings.stop;
  MatchResult result{.game = game, .name_a = NameOf(a), .name_b = NameOf(b)};
  WithGame(game, [&]<class G>() {
    MatchRunner<G>(MakePairFactory<G>(players, effective.game),
                   {players[0].settings, players[1].settings}, effective, result)
        .Run();
  });
  return result;
}

}  // namespace khanzero
