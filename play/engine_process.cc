// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/engine_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "env/error.h"

namespace khanzero {

namespace {

using Clock = EngineProcess::Clock;

// For poll(): milliseconds until `deadline`, rounded up, at most `most`.
int MillisecondsUntil(Clock::time_point deadline, int most) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, most));
}

void SetNonBlocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

// Writing to a program that has ended raises SIGPIPE, which must not end this one. While this
// lives, the signal is held back in the calling thread, and taken away if it was raised.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~NoBrokenPipeSignal() {
    constexpr timespec kNow{};
    sigtimedwait(&signals_, nullptr, &kNow);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  sigset_t signals_;
  sigset_t before_;
};

}  // namespace

std::vector<std::string> SplitCommand(const std::string& command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      words.back() += command[++i];
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) {
    throw InputError("command '" + Printable(command) + "': a quote " + quote + " is not closed");
  }
  if (words.empty() || words[0].empty()) throw InputError("the command of an engine is empty");
  return words;
}

void EngineProcess::Descriptor::Close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

EngineProcess::EngineProcess(const std::vector<std::string>& command) {
  std::array<Descriptor, 3> theirs;
  for (int i = 0; i < 3; ++i) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw RuntimeFailure(std::string("no pipe can be made for an engine: ") +
                           std::strerror(errno));
    }
    const bool is_input = i == 0;
    theirs[static_cast<size_t>(i)].Set(ends[is_input ? 0 : 1]);
    Descriptor& ours = is_input ? input_ : i == 1 ? output_ : errors_;
    ours.Set(ends[is_input ? 1 : 0]);
    SetNonBlocking(ours.get());
  }
  Spawn(command, theirs[0].get(), theirs[1].get(), theirs[2].get());
}

void EngineProcess::Spawn(const std::vector<std::string>& command, int in, int out, int err) {
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A process group of its own: Ctrl-C in the terminal is for us, and the end of a script ends what
  // it has started.
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&signals, signal);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), ::environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    pid_ = -1;
    throw InputError("the engine '" + Printable(command[0]) +
                     "' cannot be run: " + std::strerror(error) + "; check the command's path");
  }
}

EngineProcess::~EngineProcess() { Kill(); }

void EngineProcess::Kill() {
  if (pid_ < 0) return;
  // The process is not reaped before, so the group's number cannot be another's by now.
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = status;
  pid_ = -1;
}

bool EngineProcess::Send(const std::string& line, Clock::time_point deadline) {
  const NoBrokenPipeSignal no_signal;
  const std::string text = line + "\n";
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::write(input_.get(), text.data() + sent, text.size() - sent);
    if (n >= 0) {
      sent += static_cast<size_t>(n);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN || Clock::now() >= deadline) return false;
    pollfd waiting = {.fd = input_.get(), .events = POLLOUT, .revents = 0};
    ::poll(&waiting, 1, MillisecondsUntil(deadline, 1000));
  }
  return true;
}

EngineProcess::Read EngineProcess::ReadLine(std::string& line, Clock::time_point deadline,
                                            const std::stop_token& stop) {
  const auto is_no_text = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r' && c != '\x1b';
  };
  for (;;) {
    if (TakeLine(line)) {
      if (std::any_of(line.begin(), line.end(), is_no_text)) return Read::kGarbage;
      while (!line.empty() && line.back() == '\r') line.pop_back();
      return Read::kLine;
    }
    if (buffer_.size() - taken_ > kLongestLine) return Read::kGarbage;
    if (!output_.open()) return Read::kClosed;
    if (stop.stop_requested()) return Read::kStopped;
    if (Clock::now() >= deadline) return Read::kTimeout;
    Receive(deadline);
  }
}

bool EngineProcess::TakeLine(std::string& line) {
  size_t end = buffer_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = buffer_.size();
    // The last line of all may lack its end.
    if (output_.open() || taken_ == buffer_.size()) return false;
    end = buffer_.size();
  }
  line.assign(buffer_, taken_, end - taken_);
  taken_ = searched_ = std::min(end + 1, buffer_.size());
  if (taken_ == buffer_.size()) {
    buffer_.clear();
    taken_ = searched_ = 0;
  }
  return true;
}

void EngineProcess::Receive(Clock::time_point deadline) {
  constexpr int kLongestWaitMs = 100;  // a stop is seen so soon
  constexpr size_t kErrorTail = 2000;
  std::array<pollfd, 2> waiting = {
      pollfd{.fd = output_.get(), .events = POLLIN, .revents = 0},
      pollfd{.fd = errors_.get(), .events = POLLIN, .revents = 0}};  // passed over when closed
  if (::poll(waiting.data(), waiting.size(), MillisecondsUntil(deadline, kLongestWaitMs)) <= 0) {
    return;
  }
  std::array<char, 1 << 14> bytes;
  const auto take = [&](Descriptor& from, short events, std::string& into) {
    if (events == 0) return;
    const ssize_t n = ::read(from.get(), bytes.data(), bytes.size());
    if (n > 0) {
      into.append(bytes.data(), static_cast<size_t>(n));
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
      from.Close();
    }
  };
  if (taken_ > 0) {
    buffer_.erase(0, taken_);
    searched_ -= taken_;
    taken_ = 0;
  }
  take(errors_, waiting[1].revents, error_tail_);
  if (error_tail_.size() > kErrorTail) error_tail_.erase(0, error_tail_.size() - kErrorTail);
  take(output_, waiting[0].revents, buffer_);
}

std::string EngineProcess::DescribeEnd() {
  std::string text = output_.open() ? "still running" : "output closed";
  if (pid_ >= 0) {
    // A program closes its pipes a little before it is gone.
    constexpr int kPatienceMs = 100;
    const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (handle >= 0) {
      pollfd waiting = {.fd = handle, .events = POLLIN, .revents = 0};
      ::poll(&waiting, 1, kPatienceMs);
      ::close(handle);
    }
    siginfo_t info{};
    const bool ended =
        ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == pid_;
    Receive(Clock::now());  // its last words
    Kill();
    if (ended) {
      const int status = status_.value_or(0);
      text = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) + " (" +
                                       ::strsignal(WTERMSIG(status)) + ")"
                                 : "exit code " + std::to_string(WEXITSTATUS(status));
    }
  }
  std::string words = error_tail_;
  while (!words.empty() && static_cast<unsigned char>(words.back()) <= ' ') words.pop_back();
  if (const size_t line = words.rfind('\n'); line != std::string::npos) words.erase(0, line + 1);
  return words.empty() ? text : text + ", '" + Printable(words.substr(0, 200)) + "'";
}

}  // namespace khanzero
