// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/match.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "env/games.h"
#include "play/match_runner.h"

namespace khanzero {

namespace {

std::string Format(const char* format, auto... values) {
  std::array<char, 400> text;
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

void CheckSettings(const Contestant& a, const Contestant& b, const MatchSettings& s) {
  const auto need = [](bool holds, const char* what) {
    if (!holds) throw InputError(std::string("match: ") + what);
  };
  need(s.pairs >= 1, "the number of pairs must be at least 1");
  need(s.opening_plies >= 0, "the opening plies must not be negative");
  need(s.max_plies > s.opening_plies, "the longest game must be longer than the opening");
  need(s.concurrency >= 1, "the number of games at once must be at least 1");
  need(s.threads >= 1, "the number of threads must be at least 1");
  need(!s.sprt || s.sprt->elo0 < s.sprt->elo1, "the first Elo bound must be below the second");
  Check(s.threads == 1 || (a.evaluator == nullptr && b.evaluator == nullptr),
        "an evaluator serves one thread");
}

template <Game G>
PlayerFactory<G> FactoryOf(const Contestant& c) {
  if (c.evaluator == nullptr) return MakePlayerFactory<G>(c.spec, c.settings);
  return [c] {
    return MakeNetworkPlayer<G>(c.name.empty() ? "network" : c.name, *c.evaluator, c.settings);
  };
}

std::string NameOf(const Contestant& c) {
  if (!c.name.empty()) return c.name;
  return c.evaluator != nullptr ? "network" : ParsePlayerSpec(c.spec).name;
}

std::string EloText(const std::optional<double>& value, double score) {
  if (value) return Format("%.1f", *value);
  return score >= 1.0 ? "+inf" : score <= 0.0 ? "-inf" : "n/a";
}

std::string RatioText(int64_t numerator, int64_t denominator) {
  if (denominator == 0) return numerator == 0 ? "n/a" : "inf";
  return Format("%.2f", static_cast<double>(numerator) / static_cast<double>(denominator));
}

double SprtRatio(const MatchResult& r, const SprtSettings& sprt) {
  return LogLikelihoodRatio(r.pairs, sprt.elo0, sprt.elo1, sprt.model);
}

nlohmann::json OrNull(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json TallyJson(const Tally& t) {
  return {{"wins", t.wins}, {"draws", t.draws}, {"losses", t.losses}, {"score", t.score()}};
}

}  // namespace

double Tally::score() const {
  if (games() == 0) return 0.0;
  return (static_cast<double>(wins) + 0.5 * static_cast<double>(draws)) /
         static_cast<double>(games());
}

int64_t MatchResult::pair_count() const {
  return std::accumulate(pairs.begin(), pairs.end(), int64_t{0});
}

double MatchResult::average_plies() const {
  return total.games() == 0 ? 0.0 : static_cast<double>(plies) / static_cast<double>(total.games());
}

double MatchResult::white_score() const {
  const Tally white{.wins = as_white.wins + as_black.losses,
                    .draws = total.draws,
                    .losses = as_white.losses + as_black.wins};
  return white.score();
}

std::optional<MatchStatistics> MatchResult::Statistics() const {
  if (pair_count() == 0) return std::nullopt;
  return ComputeStatistics(pairs);
}

MatchResult PlayMatch(const std::string& game, const Contestant& a, const Contestant& b,
                      const MatchSettings& settings) {
  CheckSettings(a, b, settings);
  MatchResult result{.game = game, .name_a = NameOf(a), .name_b = NameOf(b)};
  WithGame(game, [&]<class G>() {
    MatchRunner<G>(FactoryOf<G>(a), FactoryOf<G>(b), settings, result).Run();
  });
  return result;
}

std::string ResultText(const MatchResult& r, const MatchSettings& settings,
                       const std::string& conditions) {
  std::string text = "Results of " + r.name_a + " vs " + r.name_b + " (" + r.game +
                     (conditions.empty() ? "" : ", " + conditions) + "):\n";
  if (const auto s = r.Statistics()) {
    const auto pairs = static_cast<double>(r.pair_count());
    text += "Elo: " + EloText(s->elo, s->score) + " +/- " + EloText(s->elo_error, 0.5) +
            ", nElo: " + EloText(s->normalized_elo, s->score) +
            Format(" +/- %.1f\n", s->normalized_elo_error);
    text += Format("LOS: %.1f %%, DrawRatio: %.1f %%, PairsRatio: ", 100.0 * s->los,
                   100.0 * static_cast<double>(r.pairs[2]) / pairs) +
            RatioText(r.pairs[3] + r.pairs[4], r.pairs[0] + r.pairs[1]) + "\n";
  }
  const auto games = static_cast<double>(r.total.games());
  const double points =
      static_cast<double>(r.total.wins) + 0.5 * static_cast<double>(r.total.draws);
  text += "Games: " + std::to_string(r.total.games()) + ", Wins: " + std::to_string(r.total.wins) +
          ", Losses: " + std::to_string(r.total.losses) +
          ", Draws: " + std::to_string(r.total.draws) +
          Format(", Points: %.1f (%.1f %%)\n", points, 100.0 * points / std::max(1.0, games));
  text += "Ptnml(0-2): [";
  for (size_t i = 0; i < r.pairs.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(r.pairs[i]);
  }
  text += "], WL/DD Ratio: " + RatioText(r.pairs_win_loss, r.pairs[2] - r.pairs_win_loss) + "\n";
  if (settings.sprt && r.pair_count() > 0) {
    const SprtSettings& sprt = *settings.sprt;
    const SprtBounds bounds = BoundsOfSprt(sprt.alpha, sprt.beta);
    const double ratio = SprtRatio(r, sprt);
    text += Format("LLR: %.2f (%.1f%%) (%.2f, %.2f) [%.2f, %.2f]\n", ratio,
                   100.0 * ratio / (ratio < 0.0 ? -bounds.lower : bounds.upper), bounds.lower,
                   bounds.upper, sprt.elo0, sprt.elo1);
  }
  text += Format("As White: %.1f %%, as Black: %.1f %%, White's score overall: %.1f %%\n",
                 100.0 * r.as_white.score(), 100.0 * r.as_black.score(), 100.0 * r.white_score());
  text += "Endings:";
  for (const auto& [reason, count] : r.endings) text += " " + reason + " " + std::to_string(count);
  return text + Format("; average length %.1f plies\n", r.average_plies());
}

std::string ResultJson(const MatchResult& r, const MatchSettings& settings,
                       const std::string& conditions) {
  nlohmann::json json = {{"game", r.game},
                         {"a", r.name_a},
                         {"b", r.name_b},
                         {"conditions", conditions},
                         {"seed", settings.seed},
                         {"opening_plies", settings.opening_plies},
                         {"games", r.total.games()},
                         {"total", TallyJson(r.total)},
                         {"as_white", TallyJson(r.as_white)},
                         {"as_black", TallyJson(r.as_black)},
                         {"white_score", r.white_score()},
                         {"pairs", r.pairs},
                         {"pairs_win_loss", r.pairs_win_loss},
                         {"endings", r.endings},
                         {"average_plies", r.average_plies()}};
  if (const auto s = r.Statistics()) {
    json["score"] = s->score;
    json["elo"] = OrNull(s->elo);
    json["elo_error"] = OrNull(s->elo_error);
    json["normalized_elo"] = OrNull(s->normalized_elo);
    json["normalized_elo_error"] = s->normalized_elo_error;
    json["los"] = s->los;
    if (settings.sprt) {
      const SprtBounds bounds = BoundsOfSprt(settings.sprt->alpha, settings.sprt->beta);
      json["sprt"] = {{"llr", SprtRatio(r, *settings.sprt)},
                      {"lower", bounds.lower},
                      {"upper", bounds.upper},
                      {"elo0", settings.sprt->elo0},
                      {"elo1", settings.sprt->elo1}};
    }
  }
  return json.dump();
}

}  // namespace khanzero
