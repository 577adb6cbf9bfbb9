// SPDX-License-Identifier: GPL-3.0-or-later
//
// What people look at while a run trains, made from the run's own files after each cycle: the
// TensorBoard event file of this start and report.html. Training does not need them, so whatever
// goes wrong with them is told and never thrown.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "train/event_file.h"
#include "train/run_folder.h"

namespace khanzero {

class RunViews {
 public:
  // Takes what metrics.jsonl already holds as shown by an earlier start.
  explicit RunViews(RunFolder run);

  // Brings both up to date with metrics.jsonl and the store. Returns what went wrong, a text for
  // each fault.
  std::vector<std::string> Refresh();

 private:
  void AddEvents();

  RunFolder run_;
  uintmax_t metrics_read_ = 0;         // bytes
  std::unique_ptr<EventFile> events_;  // made with the first cycle
};

}  // namespace khanzero
