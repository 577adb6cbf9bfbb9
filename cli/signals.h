// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ctrl-C and SIGTERM as a stop token: the first asks for a clean end, the second ends at once.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace khanzero {

// While it lives, both signals are taken. The handler only writes to a pipe that a thread of this
// object reads: masks and sigwait would not do, because libraries start threads before main, which
// would take the signals unmasked. One object at a time.
class StopOnSignals {
 public:
  StopOnSignals();
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

  std::stop_token token() const { return stop_.get_token(); }
  std::stop_source source() const { return stop_; }

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
  int read_end_ = -1;
  std::stop_source stop_;
  std::jthread watcher_;
};

}  // namespace khanzero
