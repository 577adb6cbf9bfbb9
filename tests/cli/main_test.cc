// SPDX-License-Identifier: GPL-3.0-or-later
//
// What holds for every command: help, version, and bad usage.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/run_binary.h"

namespace khanzero {
namespace {

const std::vector<std::string> kCommands = {"train", "match",  "play",  "uci", "export",
                                            "info",  "config", "perft", "data"};

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

TEST(CommandLine, CommandIsRequired) {
  ExpectRefused({}, "a command is needed; 'khanzero --help' lists them");
}

TEST(CommandLine, UnknownCommandSuggestsTheNearest) {
  ExpectRefused({"pertf", "khans"}, "unknown command 'pertf'; did you mean 'perft'?");
  ExpectRefused({"fly"}, "unknown command 'fly'; 'khanzero --help' lists the commands");
  ExpectRefused({""}, "unknown command ''");
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
