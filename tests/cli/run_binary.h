// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs the real `khanzero` as a user does and returns what it printed. The build gives its path as
// KHANZERO_BINARY.
#pragma once

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace khanzero {

struct RunResult {
  int exit_code = -1;  // 128 + the signal when one ended it
  std::string out;
  std::string err;
};

namespace run_binary_internal {

// An unnamed file, so that no amount of output can block the program that writes it.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& content = "") : file_(std::tmpfile(), &std::fclose) {
    if (!file_) throw std::runtime_error("no temporary file can be made");
    std::fwrite(content.data(), 1, content.size(), file_.get());
    std::rewind(file_.get());
  }
  int descriptor() const { return fileno(file_.get()); }
  std::string Content() const {
    std::rewind(file_.get());
    std::string content;
    char buffer[4096];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file_.get())) > 0;) {
      content.append(buffer, n);
    }
    return content;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace run_binary_internal

// Starts `khanzero` with `arguments` on these three files.
inline pid_t SpawnKhanzero(const std::vector<std::string>& arguments, int in, int out, int err) {
  std::vector<std::string> words = {KHANZERO_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, KHANZERO_BINARY, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw std::runtime_error(std::string("cannot run " KHANZERO_BINARY ": ") +
                             std::strerror(error));
  }
  return pid;
}

// Runs `khanzero` with `arguments` and waits for its end.
inline RunResult RunKhanzero(const std::vector<std::string>& arguments,
                             const std::string& input = "") {
  const run_binary_internal::ScratchFile in(input);
  const run_binary_internal::ScratchFile out;
  const run_binary_internal::ScratchFile err;

  const pid_t pid = SpawnKhanzero(arguments, in.descriptor(), out.descriptor(), err.descriptor());
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) throw std::runtime_error("the program cannot be waited for");
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = out.Content(),
          .err = err.Content()};
}

// Bad usage or input: exit code 2, nothing on stdout, and one line on stderr that holds `what`.
inline void ExpectRefused(const std::vector<std::string>& arguments, const std::string& what) {
  std::string command = "khanzero";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  SCOPED_TRACE(command);
  const RunResult result = RunKhanzero(arguments);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("khanzero: ")) << result.err;
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  EXPECT_NE(result.err.find(what), std::string::npos) << result.err;
}

}  // namespace khanzero
