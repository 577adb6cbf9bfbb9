// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads metrics.jsonl back. Each line is an object of numbers and of objects of numbers; here every
// number has a tag that says where it stood, so that readers need to know no particular figure:
// {"hours": 1, "learner": {"policy_loss": 2}} is run/hours = 1 and learner/policy_loss = 2.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace khanzero {

struct MetricsLine {
  std::map<std::string, double> scalars;  // by tag; finite
  std::vector<std::string> alarms;
};

// Nothing when `text` is not a JSON object. Whatever in it is neither a number nor an alarm is left
// out.
std::optional<MetricsLine> ParseMetricsLine(std::string_view text);

struct MetricsLines {
  std::vector<MetricsLine> lines;
  std::vector<std::string> notes;  // what was left out, and why
  uintmax_t end = 0;               // where reading can go on: past the last complete line
};

// The lines from byte `begin` on; none when there is no file. A line that is no object, or that has
// not been written to its end, is left out with a note. Throws RuntimeFailure when reading fails.
MetricsLines ReadMetrics(const std::filesystem::path& path, uintmax_t begin = 0);

}  // namespace khanzero
