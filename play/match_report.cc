// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/match_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace khanzero {

namespace {

std::string Format(const char* format, auto... values) {
  std::array<char, 400> text;
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string EloText(const std::optional<double>& value, double score) {
  if (value) return Format("%.1f", *value);
  return score >= 1.0 ? "+inf" : score <= 0.0 ? "-inf" : "n/a";
}

std::string RatioText(int64_t numerator, int64_t denominator) {
  if (denominator == 0) return numerator == 0 ? "n/a" : "inf";
  return Format("%.2f", static_cast<double>(numerator) / static_cast<double>(denominator));
}

double Share(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string CountText(int64_t part, int64_t whole) {
  return std::to_string(part) + Format(" (%.1f %%)", 100.0 * Share(part, whole));
}

nlohmann::json OrNull(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json TallyJson(const Tally& t) {
  return {{"wins", t.wins}, {"draws", t.draws}, {"losses", t.losses}, {"score", t.score()}};
}

std::string InBrackets(const MatchResult& r, const std::string& conditions) {
  return " (" + r.game + (conditions.empty() ? "" : ", " + conditions) + ")";
}

std::string SprtLine(const SprtSettings& sprt, const MatchResult& r) {
  const SprtState state = StateOfSprt(sprt, r);
  const double bound = state.ratio < 0.0 ? -state.bounds.lower : state.bounds.upper;
  const char* const verdict = state.verdict == SprtVerdict::kElo0   ? ", H0 accepted"
                              : state.verdict == SprtVerdict::kElo1 ? ", H1 accepted"
                                                                    : "";
  return Format("LLR: %.2f (%.1f%%) (%.2f, %.2f) [%.2f, %.2f]%s\n", state.ratio,
                100.0 * state.ratio / bound, state.bounds.lower, state.bounds.upper, sprt.elo0,
                sprt.elo1, verdict);
}

std::string PairLines(const MatchResult& r, const MatchStatistics& s) {
  return "Elo: " + EloText(s.elo, s.score) + " +/- " + EloText(s.elo_error, 0.5) +
         ", nElo: " + EloText(s.normalized_elo, s.score) +
         Format(" +/- %.1f\n", s.normalized_elo_error) +
         Format("LOS: %.1f %%, DrawRatio: %.1f %%, PairsRatio: ", 100.0 * s.los,
                100.0 * Share(r.pairs[2], r.pair_count())) +
         RatioText(r.pairs[3] + r.pairs[4], r.pairs[0] + r.pairs[1]) + "\n";
}

std::string PairCountsLine(const MatchResult& r) {
  std::string text = "Ptnml(0-2): [";
  for (size_t i = 0; i < r.pairs.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(r.pairs[i]);
  }
  return text + "], WL/DD Ratio: " + RatioText(r.pairs_win_loss, r.pairs[2] - r.pairs_win_loss) +
         "\n";
}

std::string FaultsLine(const std::string& name, const std::map<std::string, int64_t>& faults) {
  if (faults.empty()) return "";
  std::string text = "Lost by faults of " + name + ":";
  for (const auto& [reason, count] : faults) text += " " + reason + " " + std::to_string(count);
  return text + "\n";
}

std::string UniqueText(const MatchResult& r) {
  const auto unique = static_cast<int64_t>(r.unique_games.size());
  return "Unique games: " + std::to_string(unique) + " of " + std::to_string(r.total.games()) +
         Format(" (%.1f %%)\n", 100.0 * Share(unique, r.total.games()));
}

nlohmann::json EndingsBySideJson(const MatchResult& r) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [reason, count] : r.endings_by_side) {
    json[reason] = {
        {"white_wins", count.white_wins}, {"draws", count.draws}, {"black_wins", count.black_wins}};
  }
  return json;
}

// What both kinds of reports hold.
nlohmann::json CommonJson(const MatchResult& r, const MatchSettings& settings,
                          const std::string& conditions) {
  nlohmann::json lengths = nlohmann::json::object();
  for (const auto& [plies, count] : r.lengths) lengths[std::to_string(plies)] = count;
  return {{"game", r.game},
          {"conditions", conditions},
          {"seed", settings.seed},
          {"openings", OpeningsText(settings.openings)},
          {"games", r.total.games()},
          {"white_score", r.white_score()},
          {"endings", r.endings},
          {"endings_by_side", EndingsBySideJson(r)},
          {"average_plies", r.average_plies()},
          {"median_plies", r.LengthQuantile(0.5)},
          {"games_by_plies", lengths},
          {"unique_games", r.unique_games.size()}};
}

nlohmann::json SprtJson(const SprtSettings& sprt, const MatchResult& r) {
  const SprtState state = StateOfSprt(sprt, r);
  constexpr std::array<const char*, 3> kVerdicts = {"open", "elo0", "elo1"};
  return {{"llr", state.ratio},
          {"lower", state.bounds.lower},
          {"upper", state.bounds.upper},
          {"elo0", sprt.elo0},
          {"elo1", sprt.elo1},
          {"model", sprt.model == SprtModel::kLogistic ? "logistic" : "normalized"},
          {"accepted", kVerdicts[static_cast<size_t>(state.verdict)]}};
}

}  // namespace

std::string ResultText(const MatchResult& r, const MatchSettings& settings,
                       const std::string& conditions) {
  std::string text =
      "Results of " + r.name_a + " vs " + r.name_b + InBrackets(r, conditions) + ":\n";
  const auto s = r.Statistics();
  if (s) text += PairLines(r, *s);
  const int64_t half_points = 2 * r.total.wins + r.total.draws;
  text += "Games: " + std::to_string(r.total.games()) + ", Wins: " + std::to_string(r.total.wins) +
          ", Losses: " + std::to_string(r.total.losses) +
          ", Draws: " + std::to_string(r.total.draws) +
          Format(", Points: %.1f (%.1f %%)\n", static_cast<double>(half_points) / 2.0,
                 static_cast<double>(50 * half_points) /
                     static_cast<double>(std::max<int64_t>(1, r.total.games())));
  text += PairCountsLine(r);
  if (s && settings.sprt) text += SprtLine(*settings.sprt, r);
  text += Format("As White: %.1f %%, as Black: %.1f %%, White's score overall: %.1f %%\n",
                 100.0 * r.as_white.score(), 100.0 * r.as_black.score(), 100.0 * r.white_score());
  text += "Endings:";
  for (const auto& [reason, count] : r.endings) text += " " + reason + " " + std::to_string(count);
  text += Format("; average length %.1f plies\n", r.average_plies());
  text += FaultsLine(r.name_a, r.faults_of_a) + FaultsLine(r.name_b, r.faults_of_b);
  return r.unique_games.empty() ? text : text + UniqueText(r);
}

std::string ResultJson(const MatchResult& r, const MatchSettings& settings,
                       const std::string& conditions) {
  nlohmann::json json = CommonJson(r, settings, conditions);
  json.update({{"a", r.name_a},
               {"b", r.name_b},
               {"total", TallyJson(r.total)},
               {"as_white", TallyJson(r.as_white)},
               {"as_black", TallyJson(r.as_black)},
               {"pairs", r.pairs},
               {"pairs_win_loss", r.pairs_win_loss},
               {"faults_of_a", r.faults_of_a},
               {"faults_of_b", r.faults_of_b}});
  if (const auto s = r.Statistics()) {
    json["score"] = s->score;
    json["elo"] = OrNull(s->elo);
    json["elo_error"] = OrNull(s->elo_error);
    json["normalized_elo"] = OrNull(s->normalized_elo);
    json["normalized_elo_error"] = s->normalized_elo_error;
    json["los"] = s->los;
    if (settings.sprt) json["sprt"] = SprtJson(*settings.sprt, r);
  }
  return json.dump();
}

std::string ProgressText(const MatchResult& r, const MatchSettings& settings) {
  const int64_t games = int64_t{settings.pairs} * settings.games_of_pair;
  std::string text = std::to_string(r.total.games()) + " of " + std::to_string(games) +
                     " games: +" + std::to_string(r.total.wins) + " =" +
                     std::to_string(r.total.draws) + " -" + std::to_string(r.total.losses) +
                     Format(", %.1f %%", 100.0 * r.total.score());
  if (const auto s = r.Statistics()) {
    text += ", Elo " + EloText(s->elo, s->score) + " +/- " + EloText(s->elo_error, 0.5);
    if (settings.sprt) text += Format(", LLR %.2f", StateOfSprt(*settings.sprt, r).ratio);
  }
  return text;
}

std::string SelfText(const MatchResult& r, const std::string& conditions) {
  const Tally white = r.white();
  const int64_t games = white.games();
  std::string text = r.name_a + " against itself" + InBrackets(r, conditions) + ":\n";
  text += "Games: " + std::to_string(games) + ", White wins: " + CountText(white.wins, games) +
          ", Draws: " + CountText(white.draws, games) +
          ", Black wins: " + CountText(white.losses, games) + "\n";
  text += Format("White's score: %.1f %% +/- %.1f %%", 100.0 * white.score(),
                 100.0 * ScoreError(white));
  if (games > 0) {
    const std::array counts = {white.losses, white.draws, white.wins};
    const MatchStatistics s = ComputeStatistics(counts);
    text +=
        ", Elo of having White: " + EloText(s.elo, s.score) + " +/- " + EloText(s.elo_error, 0.5);
  }
  text += Format("\n%-16s %7s %7s %7s %7s\n", "Ending", "games", "White", "draws", "Black");
  for (const auto& [reason, n] : r.endings_by_side) {
    text += Format("%-16s %7lld %7lld %7lld %7lld\n", reason.c_str(),
                   static_cast<long long>(n.games()), static_cast<long long>(n.white_wins),
                   static_cast<long long>(n.draws), static_cast<long long>(n.black_wins));
  }
  text += Format("Length in plies: mean %.1f, shortest %d", r.average_plies(), r.LengthQuantile(0));
  for (const int percent : {10, 25, 50, 75, 90}) {
    text += Format(", %d %% up to %d", percent, r.LengthQuantile(percent / 100.0));
  }
  return text + Format(", longest %d\n", r.LengthQuantile(1.0)) + UniqueText(r);
}

std::string SelfJson(const MatchResult& r, const MatchSettings& settings,
                     const std::string& conditions) {
  nlohmann::json json = CommonJson(r, settings, conditions);
  const Tally white = r.white();
  json.update({{"player", r.name_a},
               {"white_wins", white.wins},
               {"draws", white.draws},
               {"black_wins", white.losses},
               {"white_score_error", ScoreError(white)}});
  return json.dump();
}

}  // namespace khanzero
