// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program that is spoken to line by line over pipes, and that may do anything: end, hang, flood,
// send bytes that are no text. No call here blocks beyond its deadline.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace khanzero {

// Words of a command line; single and double quotes hold words together, a backslash takes the next
// character as it is. Throws InputError for none at all and for a quote that is not closed.
std::vector<std::string> SplitCommand(const std::string& command);

class EngineProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // Starts the program. Throws InputError when it cannot be run. Not a shell: words are passed as
  // they are.
  explicit EngineProcess(const std::vector<std::string>& command);
  // Ends the program, and what it started, at once.
  ~EngineProcess();
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  // Sends `line` and a line feed. False when the program does not take it: it has ended, or has not
  // read its input for so long that the pipe is full and `deadline` has come.
  bool Send(const std::string& line, Clock::time_point deadline);

  enum class Read {
    kLine,
    kTimeout,  // `deadline` has come
    kClosed,   // the program has ended or closed its output
    kGarbage,  // bytes that are no text, or a line without end
    kStopped,  // `stop` was requested
  };
  // The next line without its line end. Lines that have come are given even after the deadline.
  Read ReadLine(std::string& line, Clock::time_point deadline, const std::stop_token& stop);

  // How the program stands: "exit code 3", "signal 11 (Segmentation fault)", "output closed" or
  // "still running", and the last line of its error output. Ends it.
  std::string DescribeEnd();

 private:
  class Descriptor {
   public:
    Descriptor() = default;
    ~Descriptor() { Close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    void Close();
    void Set(int fd) {
      Close();
      fd_ = fd;
    }
    int get() const { return fd_; }
    bool open() const { return fd_ >= 0; }

   private:
    int fd_ = -1;
  };

  static constexpr size_t kLongestLine = 1 << 16;

  void Spawn(const std::vector<std::string>& command, int in, int out, int err);
  // Waits for output until `deadline`, at most a tenth of a second, and takes it in.
  void Receive(Clock::time_point deadline);
  bool TakeLine(std::string& line);
  void Kill();

  pid_t pid_ = -1;
  std::optional<int> status_;  // as waitpid gave it
  Descriptor input_;           // the program's
  Descriptor output_;
  Descriptor errors_;
  std::string buffer_;
  size_t taken_ = 0;     // of buffer_, given out
  size_t searched_ = 0;  // of buffer_, without a line end after taken_
  std::string error_tail_;
};

}  // namespace khanzero
