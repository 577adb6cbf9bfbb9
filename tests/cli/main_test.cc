// SPDX-License-Identifier: GPL-3.0-or-later
//
// What holds for every command: help, version, and bad usage.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"

namespace khanzero {
namespace {

const std::vector<std::string> kCommands = {
    "train", "selfplay", "match", "suite",  "ladder", "export", "bench", "play", "serve",
    "uci",   "analyze",  "info",  "config", "data",   "report", "perft", "pgn",  "status"};

TEST(CommandLine, HelpGoesToStdoutAndListsTheCommands) {
  for (const std::string flag : {"--help", "-h"}) {
    const RunResult result = RunKhanzero({flag});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    for (const std::string& command : kCommands) {
      EXPECT_NE(result.out.find("\n  " + command), std::string::npos) << result.out;
    }
  }
}

TEST(CommandLine, EveryCommandHasHelp) {
  for (const std::string& command : kCommands) {
    const RunResult result = RunKhanzero({command, "--help"});
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_EQ(result.err, "") << command;
    EXPECT_NE(result.out.find("khanzero " + command), std::string::npos) << result.out;
  }
}

TEST(CommandLine, VersionIsOneLine) {
  const RunResult result = RunKhanzero({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out.starts_with("khanzero ")) << result.out;
  EXPECT_EQ(result.out.find('\n'), result.out.size() - 1);
}

// Loading LibTorch takes longer than an engine may take to start.
TEST(CommandLine, TheEngineAnswersWithoutLoadingLibTorch) {
  const auto libraries = [](RunningKhanzero& program) {
    program.Send("isready\n");
    EXPECT_TRUE(program.WaitFor("readyok"));
    std::ifstream maps("/proc/" + std::to_string(program.pid()) + "/maps");
    return std::string(std::istreambuf_iterator<char>(maps), {});
  };
  RunningKhanzero quick({"uci", "--device", "cpu"});
  const std::string loaded = libraries(quick);
  EXPECT_NE(loaded.find("libdnnl"), std::string::npos);
  EXPECT_EQ(loaded.find("libtorch"), std::string::npos);
  // Asked for LibTorch, it becomes the program that has it.
  RunningKhanzero with_torch({"uci", "--device", "cpu", "--backend", "torch"});
  EXPECT_NE(libraries(with_torch).find("libtorch"), std::string::npos);
}

TEST(CommandLine, CommandIsRequired) {
  ExpectRefused({}, "a command is needed; 'khanzero --help' lists them");
}

TEST(CommandLine, UnknownCommandSuggestsTheNearest) {
  ExpectRefused({"pertf", "khans"}, "unknown command 'pertf'; did you mean 'perft'?");
  ExpectRefused({"fly"}, "unknown command 'fly'; 'khanzero --help' lists the commands");
  ExpectRefused({""}, "unknown command ''");
}

TEST(CommandLine, WhatIsQuotedCannotSteerATerminal) {
  ExpectRefused({"perft", "che\x1b[2Jss\x07\x7f\n"}, "unknown game 'che\\x1b[2Jss\\x07\\x7f '");
}

TEST(CommandLine, UnknownFlagSuggestsTheNearest) {
  ExpectRefused(
      {"perft", "khans", "--dept", "2"},
      "unexpected argument '--dept'; did you mean '--depth'? See 'khanzero perft --help'");
  ExpectRefused({"--jsno", "perft", "khans"}, "unexpected argument '--jsno'");
  ExpectRefused({"config", "extra"}, "unexpected argument 'extra'; see 'khanzero config --help'");
}

}  // namespace
}  // namespace khanzero
