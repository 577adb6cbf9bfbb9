// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/signals.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace khanzero {

namespace {

void Write(std::string_view text) {
  // Nothing can be done when stderr is gone.
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

StopOnSignals::StopOnSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  watcher_ = std::jthread([this, signals](const std::stop_token& over) {
    for (;;) {
      int signal = 0;
      sigwait(&signals, &signal);
      if (over.stop_requested()) return;
      if (signal == SIGUSR1) continue;  // only wakes this thread
      if (stop_.stop_requested()) {
        Write("\nkhanzero: ended at once\n");
        std::_Exit(128 + signal);
      }
      Write("\nkhanzero: stopping, once more to end at once\n");
      stop_.request_stop();
    }
  });
}

StopOnSignals::~StopOnSignals() {
  watcher_.request_stop();
  pthread_kill(watcher_.native_handle(), SIGUSR1);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace khanzero
