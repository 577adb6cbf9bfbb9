// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/data_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace khanzero {

namespace {

using Json = nlohmann::ordered_json;

double Share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

std::string Percent(int64_t part, int64_t whole) {
  return fmt::format("{:.1f} %", 100.0 * Share(part, whole));
}

std::string MiB(int64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

Json ResultsJson(const GameTally& tally) {
  Json endings = Json::object();
  for (const auto& [name, games] : tally.endings) endings[name] = games;
  return {{"white_wins", tally.white_wins},
          {"black_wins", tally.black_wins},
          {"draws", tally.draws},
          {"capped", tally.capped},
          {"capped_share", Share(tally.capped, tally.games)},
          {"endings", endings}};
}

std::string ResultsText(const GameTally& tally) {
  std::string text = fmt::format(
      "Results:    White {}, Black {}, draws {}\n", Percent(tally.white_wins, tally.games),
      Percent(tally.black_wins, tally.games), Percent(tally.draws, tally.games));
  text += "Endings:   ";
  for (const auto& [name, games] : tally.endings) {
    text += fmt::format(" {} {}", name, Percent(games, tally.games));
  }
  return text + "\n";
}

Json StepsJson(const std::vector<StepRange>& ranges) {
  Json json = Json::array();
  for (const StepRange& range : ranges) {
    json.push_back({{"first_step", range.first_step},
                    {"last_step", range.last_step},
                    {"games", range.games},
                    {"positions", range.positions}});
  }
  return json;
}

std::string StepsText(const std::vector<StepRange>& ranges) {
  int64_t most = 1;
  for (const StepRange& range : ranges) most = std::max(most, range.positions);
  std::string text;
  for (const StepRange& range : ranges) {
    constexpr int64_t kBar = 30;
    const std::string steps = range.first_step == range.last_step
                                  ? std::to_string(range.first_step)
                                  : fmt::format("{}-{}", range.first_step, range.last_step);
    text += fmt::format("  {:>15} {:>9} games {:>10} positions {}\n", steps, range.games,
                        range.positions,
                        std::string(static_cast<size_t>(kBar * range.positions / most), '#'));
  }
  return text;
}

Json CountsJson(const std::map<int, int64_t>& counts) {
  Json json = Json::object();
  for (const auto& [value, count] : counts) json[std::to_string(value)] = count;
  return json;
}

// "1: 12.0 %, 2: 30.1 %, 3-4: ..."
std::string CountsText(const std::map<int, int64_t>& counts) {
  int64_t sum = 0;
  for (const auto& [value, count] : counts) sum += count;
  std::string text;
  for (const auto& [end, count] : ByPowersOfTwo(counts)) {
    text += fmt::format("{}{}{}: {}", text.empty() ? "" : ", ",
                        end > 2 ? std::to_string(end / 2 + 1) + "-" : "", end, Percent(count, sum));
  }
  return text.empty() ? "none" : text;
}

Json TotalsJson(const StoreTotals& totals) {
  return {{"games", totals.games}, {"positions", totals.positions}, {"bytes", totals.bytes}};
}

}  // namespace

Json ToJson(const DataCheckReport& report) {
  Json problems = Json::array();
  for (const DataProblem& problem : report.problems) {
    problems.push_back({{"sequence", problem.sequence}, {"what", problem.what}});
  }
  return {{"sound", report.sound()},
          {"games", report.rows},
          {"damaged", report.damaged},
          {"problems", problems},
          {"file_problems", report.file_problems},
          {"positions", report.good.positions},
          {"plies", report.good.plies},
          {"results", ResultsJson(report.good)},
          {"repeated_short", report.repeated_short},
          {"repeated_long", report.repeated_long},
          {"decided_positions", report.decided_positions},
          {"root_agreement", report.root_agreement},
          {"window_positions", report.window_positions},
          {"window", StepsJson(report.window)}};
}

std::string ToText(const DataCheckReport& report) {
  std::string text =
      fmt::format("Checked {} games: {} sound with {} positions, {} damaged\n", report.rows,
                  report.good.games, report.good.positions, report.damaged);
  for (const std::string& problem : report.file_problems) text += "  store: " + problem + "\n";
  for (const DataProblem& problem : report.problems) {
    text += fmt::format("  sequence {}: {}\n", problem.sequence, problem.what);
  }
  const int64_t more = report.damaged - static_cast<int64_t>(report.problems.size());
  if (more > 0) text += fmt::format("  and {} more\n", more);
  if (report.good.games == 0) return text;
  text += ResultsText(report.good);
  text += fmt::format("Repeated:   {} games of up to {} plies, {} longer ones\n",
                      report.repeated_short, kShortGamePlies, report.repeated_long);
  text += fmt::format("Root value: agrees with the result by {:+.3f} on average (-1 to 1)\n",
                      report.root_agreement);
  text += fmt::format("Window:     {} positions, by network step\n", report.window_positions);
  return text + StepsText(report.window);
}

Json ToJson(const DataStats& stats) {
  return {
      {"games", stats.tally.games},
      {"positions", stats.tally.positions},
      {"policy_positions", stats.tally.policy_positions},
      {"plies", stats.tally.plies},
      {"unreadable", stats.unreadable},
      {"record_bytes", stats.record_bytes},
      {"bytes_per_position", Share(stats.record_bytes, stats.tally.positions)},
      {"pruned_games", stats.pruned.games},
      {"pruned_positions", stats.pruned.positions},
      {"validation_games", stats.validation_games},
      {"validation_positions", stats.validation_positions},
      {"length",
       {{"mean", stats.mean_length},
        {"median", stats.median_length},
        {"longest", stats.longest},
        {"games", CountsJson(stats.lengths)}}},
      {"results", ResultsJson(stats.tally)},
      {"target_entries", CountsJson(stats.target_entries)},
      {"mean_target_entropy", stats.mean_target_entropy},
      {"openings",
       {{"plies", kOpeningPlies}, {"games", stats.openings}, {"unique", stats.unique_openings}}},
      {"network_steps", StepsJson(stats.steps)}};
}

std::string ToText(const DataStats& stats) {
  const GameTally& tally = stats.tally;
  std::string text = fmt::format("Games:      {} with {} positions in {} plies\n", tally.games,
                                 tally.positions, tally.plies);
  if (tally.policy_positions < tally.positions) {
    text += fmt::format("Policy:     {} of the positions have a policy target\n",
                        Percent(tally.policy_positions, tally.positions));
  }
  if (stats.unreadable > 0) {
    text += fmt::format("Left out:   {} records that cannot be read; see 'data check'\n",
                        stats.unreadable);
  }
  if (stats.pruned.games > 0) {
    text += fmt::format("Pruned:     {} games with {} positions before these\n", stats.pruned.games,
                        stats.pruned.positions);
  }
  if (tally.games == 0) return text;
  text += fmt::format("Validation: {} games with {} positions\n", stats.validation_games,
                      stats.validation_positions);
  text += fmt::format("Records:    {}, {:.1f} bytes a position\n", MiB(stats.record_bytes),
                      Share(stats.record_bytes, tally.positions));
  text += fmt::format("Length:     mean {:.1f}, median {}, longest {} plies\n", stats.mean_length,
                      stats.median_length, stats.longest);
  text += "            " + CountsText(stats.lengths) + "\n";
  text += ResultsText(tally);
  text += fmt::format("Targets:    entropy {:.3f} nats on average; entries {}\n",
                      stats.mean_target_entropy, CountsText(stats.target_entries));
  text += fmt::format("Openings:   {} different first {} plies in {} games\n",
                      stats.unique_openings, kOpeningPlies, stats.openings);
  return text + "By network step:\n" + StepsText(stats.steps);
}

Json ToJson(const DataExportReport& report) {
  return {{"games", report.games},
          {"positions", report.positions},
          {"policy_entries", report.policy_entries},
          {"legal_moves", report.legal_moves},
          {"damaged_games", report.damaged_games},
          {"bytes", report.bytes}};
}

std::string ToText(const DataExportReport& report) {
  std::string text = fmt::format("{} positions of {} games, {}\n", report.positions, report.games,
                                 MiB(report.bytes));
  if (report.damaged_games > 0) {
    text += fmt::format("{} damaged games are left out; see 'data check'\n", report.damaged_games);
  }
  return text;
}

Json ToJson(const PrunePlan& plan) {
  return {{"before", TotalsJson(plan.before)},
          {"deleted", TotalsJson(plan.deleted)},
          {"window_positions", plan.window_positions}};
}

Json ToJson(const PruneReport& report) {
  Json json = ToJson(report.plan);
  json["file_bytes_before"] = report.file_bytes_before;
  json["file_bytes_after"] = report.file_bytes_after;
  json["not_compacted"] = report.not_compacted;
  return json;
}

std::string ToText(const PrunePlan& plan) {
  const int64_t left = plan.before.positions - plan.deleted.positions;
  std::string text = fmt::format(
      "The store has {} games with {} positions. Of these {} games with {} positions are too old; "
      "{} games with {} positions stay.\n",
      plan.before.games, plan.before.positions, plan.deleted.games, plan.deleted.positions,
      plan.before.games - plan.deleted.games, left);
  if (plan.deleted.games > 0 && left < plan.window_positions) {
    text += fmt::format(
        "The learner's window is {} positions when the run goes on: it will have fewer.\n",
        plan.window_positions);
  }
  return text;
}

std::string ToText(const PruneReport& report) {
  std::string text = ToText(report.plan);
  if (report.plan.deleted.games == 0) return text + "Nothing was deleted.\n";
  text += fmt::format("Deleted. The file had {} and has {} now.\n", MiB(report.file_bytes_before),
                      MiB(report.file_bytes_after));
  if (!report.not_compacted.empty()) {
    text += "It was not made smaller; new games will fill the room: " + report.not_compacted + "\n";
  }
  return text;
}

}  // namespace khanzero
