// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "env/error.h"
#include "env/games.h"
#include "model/files.h"
#include "model/version.h"
#include "train/metrics_file.h"
#include "train/replay_store.h"
#include "train/report_games.h"
#include "train/report_ladder.h"
#include "train/report_page.h"

namespace khanzero {

namespace {

using nlohmann::ordered_json;

constexpr size_t kMostPoints = 1000;  // of a plot
constexpr size_t kMostNotes = 20;
constexpr size_t kMostAlarms = 30;

// Absent where the line has no such figure.
using Column = std::vector<std::optional<double>>;
using Columns = std::map<std::string, Column>;

Columns ColumnsOf(const std::vector<MetricsLine>& lines) {
  Columns columns;
  for (size_t i = 0; i < lines.size(); ++i) {
    for (const auto& [tag, number] : lines[i].scalars) {
      Column& column = columns[tag];
      column.resize(lines.size());
      column[i] = number;
    }
  }
  // A reason that no game of a cycle ended by is not listed there: its count is 0.
  const auto games = columns.find("self_play/games");
  for (auto& [tag, column] : columns) {
    if (!tag.starts_with("self_play/endings/") || games == columns.end()) continue;
    for (size_t i = 0; i < column.size(); ++i) {
      if (!column[i] && games->second[i]) column[i] = 0.0;
    }
  }
  return columns;
}

// Where a group of cycles stands on the x axis: at its end.
bool IsPlace(const std::string& tag) {
  static const std::set<std::string> kPlaces = {"run/cycle", "run/games", "run/hours",
                                                "run/positions", "run/step"};
  return kPlaces.contains(tag);
}

// One number for each `group` successive cycles: the mean of those there are, or the last.
Column Thinned(const Column& column, size_t group, bool take_last) {
  Column thinned;
  for (size_t begin = 0; begin < column.size(); begin += group) {
    const size_t end = std::min(begin + group, column.size());
    std::optional<double> last;
    double sum = 0.0;
    int count = 0;
    for (size_t i = begin; i < end; ++i) {
      if (!column[i]) continue;
      last = column[i];
      sum += *column[i];
      ++count;
    }
    thinned.push_back(count == 0 || take_last ? last : sum / count);
  }
  return thinned;
}

// Seven digits are more than a plot shows.
double Rounded(double number) {
  std::array<char, 32> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 7);
  double rounded = number;
  if (error == std::errc{}) std::from_chars(text.data(), end, rounded);
  return rounded;
}

ordered_json PlotJson(const std::vector<MetricsLine>& lines) {
  const size_t group = std::max<size_t>(1, (lines.size() + kMostPoints - 1) / kMostPoints);
  ordered_json columns = ordered_json::object();
  for (const auto& [tag, column] : ColumnsOf(lines)) {
    ordered_json numbers = ordered_json::array();
    for (const std::optional<double>& number : Thinned(column, group, IsPlace(tag))) {
      numbers.push_back(number ? ordered_json(Rounded(*number)) : ordered_json(nullptr));
    }
    columns[tag] = std::move(numbers);
  }
  return {{"cycles_per_point", group}, {"columns", std::move(columns)}};
}

// Each alarm once, the newest first, with the cycles it was given in.
ordered_json AlarmsJson(const std::vector<MetricsLine>& lines) {
  struct Seen {
    size_t first = 0;
    size_t last = 0;
    size_t count = 0;
  };
  std::map<std::string, Seen> alarms;
  for (size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& text : lines[i].alarms) {
      Seen& seen = alarms.try_emplace(text, Seen{.first = i}).first->second;
      seen.last = i;
      ++seen.count;
    }
  }
  std::vector<std::pair<std::string, Seen>> sorted(alarms.begin(), alarms.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.last > b.second.last; });
  if (sorted.size() > kMostAlarms) sorted.resize(kMostAlarms);
  const auto cycle = [&](size_t i) {
    const auto found = lines[i].scalars.find("run/cycle");
    return found == lines[i].scalars.end() ? static_cast<double>(i) : found->second;
  };
  ordered_json json = ordered_json::array();
  for (const auto& [text, seen] : sorted) {
    json.push_back({{"text", text},
                    {"first_cycle", cycle(seen.first)},
                    {"last_cycle", cycle(seen.last)},
                    {"count", seen.count},
                    {"now", seen.last + 1 == lines.size()}});
  }
  return json;
}

std::string UtcText() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &utc);
  return text.data();
}

std::string RunName(const RunFolder& run) {
  const std::filesystem::path path = std::filesystem::absolute(run.path()).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

ordered_json HeaderJson(const RunFolder& run, const Config& config,
                        const std::vector<MetricsLine>& lines, std::vector<std::string>& notes) {
  const EncodingShape shape = InfoOfGame(config.game).shape;
  ordered_json header = {{"run", RunName(run)},
                         {"game", config.game},
                         {"files", shape.files},
                         {"ranks", shape.ranks},
                         {"blocks", config.network.blocks},
                         {"channels", config.network.channels},
                         {"simulations", config.search.simulations},
                         {"written", UtcText()},
                         {"program", ProgramVersion()}};
  for (const char* const name : {"games", "positions", "step", "hours"}) {
    if (lines.empty()) break;
    const auto found = lines.back().scalars.find("run/" + std::string(name));
    if (found != lines.back().scalars.end()) header[name] = found->second;
  }
  try {
    const std::optional<std::filesystem::path> latest = run.LatestCheckpoint();
    if (latest) header["checkpoint"] = latest->filename().string();
  } catch (const InputError& e) {
    notes.emplace_back(e.what());
  }
  return header;
}

ordered_json GamesJson(const RunFolder& run, const std::string& game,
                       std::vector<std::string>& notes) {
  if (!std::filesystem::exists(run.store())) {
    notes.emplace_back("There is no replay.db, so no game is shown.");
    return ordered_json::array();
  }
  try {
    return SampleGames(ReplayStore(run.store(), game, ReplayStore::Access::kReadOnly), game, notes);
  } catch (const std::runtime_error& e) {
    notes.push_back("No game is shown: " + std::string(e.what()));
    return ordered_json::array();
  }
}

std::string HtmlEscaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// JSON that can stand inside a <script> element: what could end it is written as an escape, which
// only strings can contain.
std::string ScriptSafe(const ordered_json& json) {
  const std::string text = json.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "\\u003c";
        break;
      case '>':
        safe += "\\u003e";
        break;
      case '&':
        safe += "\\u0026";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

// `page` with every {{name}} replaced, in one pass: what is put in is not looked at again.
std::string Filled(std::string_view page, const std::map<std::string, std::string_view>& parts) {
  std::string filled;
  for (;;) {
    const size_t open = page.find("{{");
    filled += page.substr(0, open);
    if (open == std::string_view::npos) return filled;
    const size_t close = page.find("}}", open);
    Check(close != std::string_view::npos, "report.html has an open placeholder");
    filled += parts.at(std::string(page.substr(open + 2, close - open - 2)));
    page.remove_prefix(close + 2);
  }
}

}  // namespace

ReportSummary WriteReport(const RunFolder& run, const std::filesystem::path& out) {
  const Config config = ReadRunConfig(run.path(), {});
  MetricsLines metrics = ReadMetrics(run.metrics());
  std::vector<std::string>& notes = metrics.notes;
  if (metrics.lines.empty()) notes.emplace_back("No cycle has been finished yet.");
  ordered_json data = {{"header", HeaderJson(run, config, metrics.lines, notes)},
                       {"plots", PlotJson(metrics.lines)},
                       {"ladder", LadderForReport(run, notes)},
                       {"alarms", AlarmsJson(metrics.lines)},
                       {"games", GamesJson(run, config.game, notes)}};
  if (notes.size() > kMostNotes) {
    const size_t more = notes.size() - kMostNotes;
    notes.resize(kMostNotes);
    notes.push_back("... and " + std::to_string(more) + " more");
  }
  data["notes"] = notes;
  const std::string title = HtmlEscaped(Printable(RunName(run)));
  const std::string json = ScriptSafe(data);
  WriteFileDurably(out, Filled(ReportHtml(), {{"title", title},
                                              {"style", ReportStyle()},
                                              {"charts", ReportCharts()},
                                              {"plots", ReportPlots()},
                                              {"games", ReportGames()},
                                              {"data", json}}));
  return {.cycles = metrics.lines.size(), .games = data["games"].size(), .notes = notes};
}

}  // namespace khanzero
