// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ctrl-C and SIGTERM as a stop token: the first asks for a clean end, the second ends at once.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace khanzero {

// While it lives, both signals are taken by a thread of its own. REQUIRES: made before other
// threads, which inherit the signal mask.
class StopOnSignals {
 public:
  StopOnSignals();
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  sigset_t before_;
  std::stop_source stop_;
  std::jthread watcher_;
};

}  // namespace khanzero
