// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "env/error.h"
#include "model/checkpoint_files.h"
#include "model/files.h"
#include "play/svg.h"
#include "train/metrics_file.h"
#include "train/report_ladder.h"

namespace khanzero {

namespace {

constexpr const char* kScorePrefix = "scores/";
constexpr size_t kMostRows = 16;

std::optional<double> ValueOf(const MetricsLine& line, const std::string& tag) {
  const auto found = line.scalars.find(tag);
  return found == line.scalars.end() ? std::nullopt : std::optional(found->second);
}

double HoursOf(const MetricsLine& line) { return ValueOf(line, "run/hours").value_or(0.0); }

// A cell of a table; a dash where there is no figure.
std::string Cell(const std::optional<double>& value, int digits, double factor = 1.0) {
  return value ? fmt::format("{:.{}f}", *value * factor, digits) : "-";
}

// Whom the run was measured against.
std::vector<std::string> OpponentsOf(const std::vector<MetricsLine>& lines) {
  std::vector<std::string> names;
  for (const MetricsLine& line : lines) {
    for (const auto& [tag, value] : line.scalars) {
      if (!tag.starts_with(kScorePrefix)) continue;
      const std::string name = tag.substr(std::string(kScorePrefix).size());
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// The last line of each of so many equal parts of the time: where the run stood by then.
std::vector<const MetricsLine*> ByHours(const std::vector<MetricsLine>& lines) {
  std::vector<const MetricsLine*> chosen;
  if (lines.empty()) return chosen;
  const double all = std::max(HoursOf(lines.back()), 1e-9);
  size_t part = 0;  // that the last line chosen is in
  for (const MetricsLine& line : lines) {
    const auto at = static_cast<size_t>(
        std::clamp(HoursOf(line) / all * kMostRows, 0.0, static_cast<double>(kMostRows - 1)));
    if (!chosen.empty() && at == part) {
      chosen.back() = &line;
    } else {
      chosen.push_back(&line);
    }
    part = at;
  }
  return chosen;
}

// The newest score against `opponent` up to `line`: a run is not measured in every cycle.
std::optional<double> ScoreBy(const std::vector<MetricsLine>& lines, const MetricsLine* line,
                              const std::string& opponent) {
  std::optional<double> score;
  for (const MetricsLine& earlier : lines) {
    if (const auto value = ValueOf(earlier, kScorePrefix + opponent)) score = value;
    if (&earlier == line) break;
  }
  return score;
}

std::string MetricsTable(const std::vector<MetricsLine>& lines,
                         const std::vector<std::string>& opponents) {
  std::string text =
      "| hours | games | steps | policy loss | value loss | best move found | White's score | "
      "plies "
      "|";
  std::string rule = "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";
  for (const std::string& opponent : opponents) {
    text += " vs " + Printable(opponent) + " |";
    rule += " ---: |";
  }
  text += "\n" + rule + "\n";
  for (const MetricsLine* const line : ByHours(lines)) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} % | {} % | {} |",
                        Cell(ValueOf(*line, "run/hours"), 2), Cell(ValueOf(*line, "run/games"), 0),
                        Cell(ValueOf(*line, "run/step"), 0),
                        Cell(ValueOf(*line, "validation/policy_loss"), 3),
                        Cell(ValueOf(*line, "validation/value_loss"), 3),
                        Cell(ValueOf(*line, "validation/top_move_agreement"), 1, 100.0),
                        Cell(ValueOf(*line, "self_play/white_score"), 1, 100.0),
                        Cell(ValueOf(*line, "self_play/mean_plies"), 1));
    for (const std::string& opponent : opponents) {
      const std::optional<double> score = ScoreBy(lines, line, opponent);
      text += score ? fmt::format(" {:.1f} % |", 100.0 * *score) : " - |";
    }
    text += "\n";
  }
  return text;
}

SvgCurve CurveOf(const std::vector<MetricsLine>& lines, const std::string& name,
                 const std::string& tag, double factor = 1.0) {
  SvgCurve curve{.name = name};
  for (const MetricsLine& line : lines) {
    if (const auto value = ValueOf(line, tag)) {
      curve.points.push_back({.x = HoursOf(line), .y = factor * *value});
    }
  }
  return curve;
}

// The configuration without its explanations.
std::string PlainConfig(const std::string& yaml) {
  std::istringstream stream(yaml);
  std::string text;
  for (std::string line; std::getline(stream, line);) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line[begin] == '#') continue;
    text += line + "\n";
  }
  return text;
}

// Writes the page and its pictures, and remembers what it wrote.
class Writer {
 public:
  Writer(const std::filesystem::path& page, RunSummary& summary) : page_(page), summary_(summary) {
    summary_.files.push_back(page);
  }

  // Adds a picture to the page.
  void Picture(const std::string& what, const std::string& alt, const std::string& svg) {
    const std::string name = page_.stem().string() + "-" + what + ".svg";
    WriteFileDurably(page_.parent_path() / name, svg);
    summary_.files.push_back(page_.parent_path() / name);
    text_ += "![" + alt + "](" + name + ")\n\n";
  }
  void Add(const std::string& text) { text_ += text; }
  void Finish() { WriteFileDurably(page_, text_); }

 private:
  const std::filesystem::path& page_;
  RunSummary& summary_;
  std::string text_;
};

void AddMetrics(Writer& writer, const std::vector<MetricsLine>& lines) {
  writer.Add("## What it learned, by hours\n\n");
  if (lines.empty()) {
    writer.Add("No cycle of the run is finished.\n\n");
    return;
  }
  const std::vector<std::string> opponents = OpponentsOf(lines);
  writer.Add(MetricsTable(lines, opponents));
  writer.Add(
      "\nHours are those of the run's own work. Losses are those of validation games, which are "
      "not "
      "trained on; `best move found` is\nhow often the network's first choice there is the "
      "search's; White's score and plies are of self-play.");
  writer.Add(opponents.empty() ? "\n\n" : " Scores are the newest until then.\n\n");
  writer.Picture("losses", "Losses by hours",
                 Draw(SvgCurveChart{.title = "Losses on validation games",
                                    .x_label = "hours",
                                    .y_label = "cross entropy, nats",
                                    .curves = {CurveOf(lines, "policy", "validation/policy_loss"),
                                               CurveOf(lines, "value", "validation/value_loss")}}));
  if (opponents.empty()) return;
  SvgCurveChart scores{
      .title = "Score against fixed players", .x_label = "hours", .y_label = "points a game, %"};
  for (const std::string& opponent : opponents) {
    scores.curves.push_back(CurveOf(lines, opponent, kScorePrefix + opponent, 100.0));
  }
  writer.Picture("scores", "Scores by hours", Draw(scores));
}

void AddRatings(Writer& writer, const nlohmann::ordered_json& ladder, RunSummary& summary) {
  if (!ladder.is_object()) return;
  SvgCurve curve;
  std::string rows;
  for (size_t i = 0; i < ladder.at("name").size(); ++i) {
    const auto number = [&](const char* key) -> std::optional<double> {
      const nlohmann::ordered_json& value = ladder.at(key).at(i);
      return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
    };
    if (!number("elo")) continue;
    curve.points.push_back({.x = number("hours").value_or(0.0),
                            .y = *number("elo"),
                            .error = number("error").value_or(0.0)});
    rows +=
        fmt::format("| {} | {} | {} | {} | {} |\n",
                    Printable(ladder.at("name").at(i).get<std::string>()), Cell(number("games"), 0),
                    Cell(number("hours"), 2), Cell(number("elo"), 0), Cell(number("error"), 0));
  }
  summary.rated = curve.points.size();
  if (curve.points.empty()) return;
  writer.Add("## Rating\n\n");
  writer.Add("| checkpoint | games | hours | Elo | +/- |\n| --- | ---: | ---: | ---: | ---: |\n" +
             rows);
  for (const nlohmann::ordered_json& anchor : ladder.at("anchors")) {
    writer.Add(fmt::format("| {} | - | - | {:.0f} | - |\n",
                           Printable(anchor.at("name").get<std::string>()),
                           anchor.at("value").get<double>()));
  }
  const nlohmann::ordered_json& level = ladder.at("level_error");
  writer.Add(fmt::format(
      "\nElo above `random` by `khanzero ladder` ({}), with 95 % intervals of the difference to "
      "the "
      "checkpoints' mean{}.\n\n",
      Printable(ladder.at("about").get<std::string>()),
      level.is_number()
          ? fmt::format("; that mean itself is known to +/- {:.0f}", level.get<double>())
          : ""));
  writer.Picture("rating", "Rating by hours",
                 Draw(SvgCurveChart{.title = "Rating of the checkpoints",
                                    .note = "with 95 % intervals of the difference to their mean",
                                    .x_label = "hours",
                                    .y_label = "Elo above random",
                                    .curves = {curve}}));
}

// What the run was begun from; empty where that was a fresh network.
std::string OriginOf(const RunFolder& run) {
  const std::optional<std::filesystem::path> latest = run.LatestCheckpoint();
  return latest ? ReadCheckpointInfo(*latest).origin : "";
}

}  // namespace

RunSummary WriteRunSummary(const RunFolder& run, const std::filesystem::path& page) {
  const Config config = ReadRunConfig(run.path(), {});
  RunSummary summary;
  MetricsLines metrics = ReadMetrics(run.metrics());
  summary.cycles = metrics.lines.size();
  summary.notes = std::move(metrics.notes);
  Writer writer(page, summary);
  writer.Add("# " + config.game + ": how this agent was made\n\n");
  if (!metrics.lines.empty()) {
    const MetricsLine& last = metrics.lines.back();
    const std::string origin = OriginOf(run);
    writer.Add(fmt::format(
        "By self-play alone{}: {} games with {} positions, {} steps of learning, {} "
        "hours. Network: {} blocks, {} channels.\n\n",
        origin.empty() ? ", from nothing" : "", Cell(ValueOf(last, "run/games"), 0),
        Cell(ValueOf(last, "run/positions"), 0), Cell(ValueOf(last, "run/step"), 0),
        Cell(ValueOf(last, "run/hours"), 2), config.network.blocks, config.network.channels));
    if (!origin.empty()) writer.Add("Begun from " + Printable(origin) + ".\n\n");
  }
  AddMetrics(writer, metrics.lines);
  AddRatings(writer, LadderForReport(run, summary.notes), summary);
  writer.Add(
      "## Configuration\n\nAll of it, `config.yaml` of the run; `khanzero config` says what "
      "each setting means.\n\n```yaml\n" +
      PlainConfig(ReadFile(run.config())) + "```\n");
  writer.Finish();
  return summary;
}

}  // namespace khanzero
