// SPDX-License-Identifier: GPL-3.0-or-later
//
// A ladder as people and programs read it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "train/ladder.h"

namespace khanzero {

namespace {

template <class T>
nlohmann::ordered_json OrNull(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

double ScoreOf(const Rating& rating) {
  return rating.games == 0 ? 0.0 : rating.points / static_cast<double>(rating.games);
}

std::string_view AlgorithmOf(const LadderConditions& conditions) {
  return kRootAlgorithmNames[static_cast<size_t>(conditions.algorithm)];
}

// "32 nodes, puct" or "100 ms, puct": how the checkpoints search.
std::string SearchText(const LadderConditions& conditions) {
  const std::string limit = conditions.movetime_ms > 0
                                ? fmt::format("{} ms", conditions.movetime_ms)
                                : fmt::format("{} nodes", conditions.nodes);
  return fmt::format("{}, {}", limit, AlgorithmOf(conditions));
}

nlohmann::ordered_json ConditionsJson(const LadderConditions& conditions) {
  nlohmann::ordered_json json;
  if (conditions.movetime_ms > 0) {
    json["movetime_ms"] = conditions.movetime_ms;
  } else {
    json["nodes"] = conditions.nodes;
  }
  json["algorithm"] = AlgorithmOf(conditions);
  json["opening_plies"] = conditions.opening_plies;
  json["max_plies"] = conditions.max_plies;
  return json;
}

std::string Row(const LadderEntry& entry, size_t place, size_t width, bool best) {
  const Rating& rating = entry.rating;
  const auto text = [](const auto& value, const char* format) {
    return value ? fmt::format(fmt::runtime(format), *value) : std::string("-");
  };
  std::string row = fmt::format(
      "{:>3}  {:<{}}  {:>9}  {:>9}  {:>7}  {:>7}  {:>5}  {:>6}  {:>6}", place, entry.name, width,
      text(entry.step, "{}"), text(entry.games, "{}"), text(entry.hours, "{:.2f}"),
      text(rating.elo, "{:.0f}"), rating.elo ? fmt::format("{:.0f}", rating.error) : "-",
      rating.games,
      rating.games == 0 ? std::string("-") : fmt::format("{:.1f} %", 100.0 * ScoreOf(rating)));
  if (best) row += "  best";
  if (!rating.elo) row += "  no chain of games leads to random";
  if (!entry.present && entry.checkpoint) row += "  deleted";
  return row + "\n";
}

}  // namespace

std::string LadderText(const LadderResult& r) {
  std::string text = fmt::format(
      "Ladder of {} ({}, {}, {} random plies): {} games, {} of them new\n", r.run, r.game,
      SearchText(r.conditions), r.conditions.opening_plies, r.games, r.new_games);
  size_t width = 10;
  for (const LadderEntry& entry : r.entries) width = std::max(width, entry.name.size());
  text += fmt::format("{:>3}  {:<{}}  {:>9}  {:>9}  {:>7}  {:>7}  {:>5}  {:>6}  {:>6}\n", "#",
                      "player", width, "step", "games", "hours", "Elo", "+/-", "played", "score");
  size_t place = 0;
  int64_t wide = 0;
  int64_t wanted = 0;
  for (const LadderEntry& entry : r.entries) {
    text += Row(entry, ++place, width, entry.checkpoint && entry.name == r.best && entry.present);
    if (!entry.wanted || !entry.present) continue;
    ++wanted;
    wide += entry.rating.elo && entry.rating.error <= r.error_elo ? 0 : 1;
  }
  text += "Elo above random, with 95 % intervals";
  if (r.level_error > 0.0) {
    text += fmt::format(
        " of the difference to the checkpoints' mean;\nthat mean itself is known to +/- {:.0f} Elo "
        "above random",
        r.level_error);
  }
  text += fmt::format(
      "; White's advantage {:+.0f} +/- {:.0f} Elo, draws "
      "{:.1f} % between equals\n",
      r.white_elo, r.white_error, 100.0 * r.draw_share);
  if (wide > 0) {
    text += fmt::format(
        "{} of {} checkpoints are not within +/- {:.0f} Elo yet{}; the same command goes on\n",
        wide, wanted, r.error_elo, r.stopped ? " (stopped early)" : "");
  }
  return text;
}

std::string LadderJson(const LadderResult& r) {
  nlohmann::ordered_json players = nlohmann::ordered_json::array();
  for (const LadderEntry& entry : r.entries) {
    const Rating& rating = entry.rating;
    players.push_back({{"name", entry.name},
                       {"kind", entry.checkpoint ? "checkpoint" : "anchor"},
                       {"present", entry.present},
                       {"wanted", entry.wanted},
                       {"step", OrNull(entry.step)},
                       {"games", OrNull(entry.games)},
                       {"hours", OrNull(entry.hours)},
                       {"elo", OrNull(rating.elo)},
                       {"error", rating.elo ? nlohmann::ordered_json(rating.error)
                                            : nlohmann::ordered_json(nullptr)},
                       {"played", rating.games},
                       {"points", rating.points},
                       {"score", ScoreOf(rating)}});
  }
  const nlohmann::ordered_json json = {{"format", "khanzero ladder"},
                                       {"format_version", 1},
                                       {"game", r.game},
                                       {"conditions", ConditionsJson(r.conditions)},
                                       {"anchor", "random"},
                                       {"white_elo", r.white_elo},
                                       {"white_error", r.white_error},
                                       {"draw_share", r.draw_share},
                                       {"level_error", r.level_error},
                                       {"asked_error", r.error_elo},
                                       {"precise", r.precise},
                                       {"stopped", r.stopped},
                                       {"games", r.games},
                                       {"new_games", r.new_games},
                                       {"best", OrNull(r.best)},
                                       {"players", std::move(players)}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace khanzero
