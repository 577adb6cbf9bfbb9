// SPDX-License-Identifier: GPL-3.0-or-later
//
// A Redis server of the test's own, on a unix socket in a folder that goes away. It writes a log of
// what it is told and syncs it every time, so that it may be killed.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/train/sample_games.h"

namespace khanzero {

class RedisServer {
 public:
  static bool Installed() {
    static const bool installed = std::system("command -v redis-server >/dev/null 2>&1") == 0;
    return installed;
  }

  explicit RedisServer(std::vector<std::string> options = {}) : options_(std::move(options)) {
    Start();
  }
  ~RedisServer() { End(SIGKILL); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  // Returns when it takes connections, with what its log holds.
  void Start() {
    std::vector<std::string> words = {"redis-server",
                                      "--port",
                                      "0",
                                      "--unixsocket",
                                      socket(),
                                      "--dir",
                                      folder_.path().string(),
                                      "--save",
                                      "",
                                      "--appendonly",
                                      "yes",
                                      "--appendfsync",
                                      "always"};
    words.insert(words.end(), options_.begin(), options_.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) throw std::runtime_error("redis-server cannot be started");
    std::string printed;
    char buffer[4096];
    while (printed.find("eady to accept connections") == std::string::npos) {
      const ssize_t n = read(ends[0], buffer, sizeof buffer);
      if (n <= 0) throw std::runtime_error("redis-server does not start: " + printed);
      printed.append(buffer, static_cast<size_t>(n));
    }
    output_ = ends[0];
  }

  void End(int signal) {
    if (pid_ <= 0) return;
    kill(pid_, signal);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
    close(output_);
  }

  std::string socket() const { return (folder_.path() / "redis.sock").string(); }
  std::string url() const { return "unix://" + socket(); }

 private:
  ScratchFolder folder_;
  std::vector<std::string> options_;
  pid_t pid_ = -1;
  int output_ = -1;
};

// Skips a test where there is no redis-server.
class RedisTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::Installed()) {
      GTEST_SKIP() << "redis-server is not installed (scripts/setup.sh --tests installs it)";
    }
  }
};

}  // namespace khanzero
