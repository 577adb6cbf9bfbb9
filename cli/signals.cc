// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

#include "env/error.h"

namespace khanzero {

namespace {

// All that a signal handler may reach; -1 while no object takes signals.
std::atomic<int> g_write_end = -1;
std::atomic<int> g_signals = 0;
static_assert(std::atomic<int>::is_always_lock_free);

constexpr char kStop = 's';
constexpr char kOver = 'o';

void Write(int file, std::string_view text) {
  // Nothing can be done when it fails.
  if (::write(file, text.data(), text.size()) < 0) return;
}

void Handle(int signal) {
  if (g_signals.fetch_add(1) > 0) {
    Write(STDERR_FILENO, "\nkhanzero: ended at once\n");
    _exit(128 + signal);
  }
  Write(STDERR_FILENO, "\nkhanzero: stopping; once more ends it at once\n");
  Write(g_write_end, std::string_view(&kStop, 1));
}

}  // namespace

StopOnSignals::StopOnSignals() {
  int ends[2];
  Check(g_write_end < 0, "two takers of signals");
  if (pipe2(ends, O_CLOEXEC) != 0) throw RuntimeFailure("no pipe can be made for signals");
  read_end_ = ends[0];
  g_write_end = ends[1];
  g_signals = 0;
  watcher_ = std::jthread([this] {
    char byte = 0;
    while (::read(read_end_, &byte, 1) == 1 && byte != kOver) stop_.request_stop();
  });
  struct sigaction action {};
  action.sa_handler = Handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
}

StopOnSignals::~StopOnSignals() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
  Write(g_write_end, std::string_view(&kOver, 1));
  watcher_.join();
  ::close(g_write_end.exchange(-1));
  ::close(read_end_);
}

}  // namespace khanzero
