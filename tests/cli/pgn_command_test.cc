// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero pgn, on games that khanzero match wrote.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "model/files.h"
#include "tests/cli/run_binary.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

using nlohmann::json;

class PgnCommand : public testing::TestWithParam<std::string> {
 protected:
  // A match of 6 games.
  PgnCommand() : path_((folder_ / "games.pgn").string()) {
    const RunResult match =
        RunKhanzero({"match", "--game", GetParam(), "--a", "greedy", "--b", "random", "--pairs",
                     "3", "--max-plies", "120", "--kings-landing", "8", "--pgn", path_});
    EXPECT_EQ(match.exit_code, 0) << match.err;
    text_ = ReadFile(path_);
  }

  void Write(const std::string& text) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
  }
  json CheckJson(int code) const {
    const RunResult result = RunKhanzero({"pgn", "check", path_, "--json"});
    EXPECT_EQ(result.exit_code, code) << result.err;
    return json::parse(result.out, nullptr, false);
  }

  TempFolder folder_;
  std::string path_;
  std::string text_;
};

TEST_P(PgnCommand, GamesOfAMatchAreGood) {
  const json report = CheckJson(0);
  EXPECT_TRUE(report.at("sound").get<bool>());
  EXPECT_EQ(report.at("games"), 6);
  EXPECT_EQ(report.at("variants").at(GetParam()), 6);
  const RunResult both = RunKhanzero({"pgn", "check", path_, path_, "--game", GetParam()});
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_NE(both.out.find("Games:        12 with "), std::string::npos) << both.out;
  EXPECT_NE(both.out.find("Wrong:        0\n"), std::string::npos) << both.out;
}

TEST_P(PgnCommand, AWrongGameIsNamed) {
  // The first move of the second game becomes one that no piece can make.
  const size_t second = text_.find("[Event", 1);
  const size_t move = text_.find("\n1. ", second) + 4;
  std::string changed = text_;
  changed.replace(move, changed.find(' ', move) - move, "a1a1");
  Write(changed);
  const json report = CheckJson(1);
  EXPECT_FALSE(report.at("sound").get<bool>());
  ASSERT_EQ(report.at("wrong").size(), 1U);
  EXPECT_EQ(report.at("wrong")[0].at("game"), 2);
  const RunResult text = RunKhanzero({"pgn", "check", path_});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(text.out.find(": game 2 (round "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("ply 1: move 'a1a1' is not legal in "), std::string::npos) << text.out;
  EXPECT_NE(text.err.find("1 of 6 games are wrong"), std::string::npos) << text.err;
}

TEST_P(PgnCommand, ACutOffGameIsWrongAndTheRestIsGood) {
  Write(text_.substr(0, text_.size() - 20));
  const json report = CheckJson(1);
  EXPECT_EQ(report.at("games"), 6);
  ASSERT_EQ(report.at("wrong").size(), 1U);
  EXPECT_EQ(report.at("wrong")[0].at("game"), 6);
}

TEST_P(PgnCommand, WhatIsNoPgnIsRefused) {
  Write("not a game\n");
  ExpectRefused({"pgn", "check", path_}, path_ + ":1: the tags of a game are expected");
  Write(text_ + "\n)\n");
  ExpectRefused({"pgn", "check", path_}, "the tags of a game are expected");
}

INSTANTIATE_TEST_SUITE_P(Games, PgnCommand, testing::Values("khans", "serbest"),
                         [](const auto& parameter) { return parameter.param; });

TEST(PgnCommandInput, BadUsageIsRefused) {
  ExpectRefused({"pgn"}, "see 'khanzero pgn --help'");
  ExpectRefused({"pgn", "check"}, "FILE");
  ExpectRefused({"pgn", "check", "no/such/file.pgn"}, "there is no file no/such/file.pgn");
  ExpectRefused({"pgn", "check", "a.pgn", "--game", "chess"}, "--game");
  ExpectRefused({"pgn", "check", "a.pgn", "--jsno"}, "did you mean '--json'?");
  EXPECT_NE(RunKhanzero({"pgn", "check", "--help"}).out.find("Exit codes"), std::string::npos);
}

}  // namespace
}  // namespace khanzero
