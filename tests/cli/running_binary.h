// SPDX-License-Identifier: GPL-3.0-or-later
//
// The real `khanzero` running beside the test, which reads what it prints as it comes, writes to
// it, and sends it signals.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/cli/run_binary.h"

namespace khanzero {

class RunningKhanzero {
 public:
  explicit RunningKhanzero(const std::vector<std::string>& arguments) {
    int in[2];
    int out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe");
    }
    pid_ = SpawnKhanzero(arguments, in[0], out[1], out[1]);
    close(in[0]);
    close(out[1]);
    input_ = in[1];
    output_ = out[0];
  }
  ~RunningKhanzero() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(input_);
    close(output_);
  }
  RunningKhanzero(const RunningKhanzero&) = delete;
  RunningKhanzero& operator=(const RunningKhanzero&) = delete;

  void Send(const std::string& text) {
    if (write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("the program takes no more input");
    }
  }

  // Reads on until `text` has been printed; false when the output ends before.
  bool WaitFor(const std::string& text) {
    char buffer[4096];
    while (printed_.find(text, searched_) == std::string::npos) {
      const ssize_t n = read(output_, buffer, sizeof buffer);
      if (n <= 0) return false;
      printed_.append(buffer, static_cast<size_t>(n));
    }
    searched_ = printed_.find(text, searched_) + text.size();
    return true;
  }

  // Reads what comes for some milliseconds, or until the output ends.
  void ReadFor(int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    char buffer[4096];
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      pollfd waiting = {.fd = output_, .events = POLLIN, .revents = 0};
      if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return;
      const ssize_t n = read(output_, buffer, sizeof buffer);
      if (n <= 0) return;
      printed_.append(buffer, static_cast<size_t>(n));
    }
  }

  void Signal(int signal) { kill(pid_, signal); }
  pid_t pid() const { return pid_; }

  // Reads to the end; the exit code, 128 + the signal when one ended it.
  int Wait() {
    char buffer[4096];
    for (ssize_t n; (n = read(output_, buffer, sizeof buffer)) > 0;) {
      printed_.append(buffer, static_cast<size_t>(n));
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  const std::string& printed() const { return printed_; }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string printed_;
  size_t searched_ = 0;
};

}  // namespace khanzero
