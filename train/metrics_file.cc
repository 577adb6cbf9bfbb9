// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/metrics_file.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "env/error.h"

namespace khanzero {

namespace {

// Takes the numbers in `object` under `prefix`. Deeper nesting than any metric has is left out.
void TakeScalars(const nlohmann::json& object, const std::string& prefix, int depth_left,
                 std::map<std::string, double>& scalars) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_number() && std::isfinite(value.get<double>())) {
      scalars[prefix + key] = value.get<double>();
    } else if (value.is_object() && depth_left > 0) {
      TakeScalars(value, prefix + key + "/", depth_left - 1, scalars);
    }
  }
}

std::string ReadFrom(const std::filesystem::path& path, uintmax_t begin) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  std::ostringstream text;
  // An empty rest sets failbit on the output only.
  text << file.rdbuf();
  if (!file.is_open() || file.bad()) {
    throw RuntimeFailure("cannot read '" + path.string() + "'");
  }
  return std::move(text).str();
}

}  // namespace

std::optional<MetricsLine> ParseMetricsLine(std::string_view text) {
  const nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  MetricsLine line;
  for (const auto& [key, value] : object.items()) {
    constexpr int kDeepest = 4;
    if (value.is_object()) {
      TakeScalars(value, key + "/", kDeepest, line.scalars);
    } else if (value.is_number() && std::isfinite(value.get<double>())) {
      line.scalars["run/" + key] = value.get<double>();
    } else if (key == "alarms" && value.is_array()) {
      for (const auto& alarm : value) {
        if (alarm.is_string()) line.alarms.push_back(alarm.get<std::string>());
      }
    }
  }
  return line;
}

MetricsLines ReadMetrics(const std::filesystem::path& path, uintmax_t begin) {
  MetricsLines read{.lines = {}, .notes = {}, .end = begin};
  if (!std::filesystem::exists(path)) return read;
  const std::string text = ReadFrom(path, begin);
  const std::string file = path.filename().string();
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    ++number;
    const size_t newline = text.find('\n', at);
    if (newline == std::string::npos) {
      read.notes.push_back(file + ": the last line is not complete and is left out");
      break;
    }
    const std::string_view content = std::string_view(text).substr(at, newline - at);
    at = newline + 1;
    if (std::optional<MetricsLine> line = ParseMetricsLine(content)) {
      read.lines.push_back(std::move(*line));
    } else if (!content.empty()) {
      read.notes.push_back(file + ": line " + std::to_string(number) +
                           " is damaged and is left out");
    }
    read.end = begin + at;
  }
  return read;
}

}  // namespace khanzero
