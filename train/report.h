// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run at a glance: one HTML file that needs nothing else, with plots of the run's metrics and a
// few of its games on a board.
//
// The page is report.html, report.css and three scripts, built into the program; the figures go
// into it as one block of JSON, which the scripts draw as SVG. They put text into the page as text
// only, and the page's content policy forbids it to load anything, so nothing that stands in a
// metrics file can become markup.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/run_folder.h"

namespace khanzero {

struct ReportSummary {
  size_t cycles = 0;               // lines of metrics
  size_t games = 0;                // on the board
  std::vector<std::string> notes;  // what is missing from the report, and why
};

// Writes the report of a run to `out`, aside and renamed. Whatever of the run is not there yet, or
// is damaged, is left out with a note. Throws InputError when the folder is no run, RuntimeFailure
// when the file cannot be written.
ReportSummary WriteReport(const RunFolder& run, const std::filesystem::path& out);

}  // namespace khanzero
