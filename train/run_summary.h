// SPDX-License-Identifier: GPL-3.0-or-later
//
// What made an agent, as a page in Markdown with pictures: the run's metrics by hours, its ratings
// and its configuration. It is for the repository that ships the agent, where report.html would be
// too much.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/run_folder.h"

namespace khanzero {

struct RunSummary {
  size_t cycles = 0;                           // lines of metrics
  size_t rated = 0;                            // checkpoints with a rating
  std::vector<std::filesystem::path> files{};  // what was written, the page first
  std::vector<std::string> notes{};            // what is missing or damaged
};

// Writes `page` and, beside it and named after it, its pictures: NAME-losses.svg, NAME-scores.svg
// where the run was measured, NAME-rating.svg where it was rated. What the run does not have is
// left out. Throws InputError when the folder is no run, RuntimeFailure when a file cannot be
// written.
RunSummary WriteRunSummary(const RunFolder& run, const std::filesystem::path& page);

}  // namespace khanzero
