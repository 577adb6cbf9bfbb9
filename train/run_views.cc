// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/run_views.h"

#include <exception>
#include <filesystem>
#include <system_error>

#include "train/metrics_file.h"
#include "train/report.h"

namespace khanzero {

RunViews::RunViews(RunFolder run) : run_(std::move(run)) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(run_.metrics(), error);
  if (!error) metrics_read_ = size;
}

std::vector<std::string> RunViews::Refresh() {
  std::vector<std::string> faults;
  const auto attempt = [&](const char* what, const auto& work) {
    try {
      work();
    } catch (const std::exception& e) {
      faults.push_back(std::string(what) + " is behind: " + e.what());
    }
  };
  attempt("the event file", [this] { AddEvents(); });
  attempt("the report", [this] { WriteReport(run_, run_.report()); });
  return faults;
}

void RunViews::AddEvents() {
  const MetricsLines metrics = ReadMetrics(run_.metrics(), metrics_read_);
  if (!metrics.lines.empty() && !events_) events_ = std::make_unique<EventFile>(run_.events());
  for (const MetricsLine& line : metrics.lines) {
    const auto games = line.scalars.find("run/games");
    events_->Add(games == line.scalars.end() ? 0 : static_cast<int64_t>(games->second),
                 line.scalars);
  }
  metrics_read_ = metrics.end;
}

}  // namespace khanzero
