// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_binary.h"

namespace khanzero {
namespace {

nlohmann::json PerftJson(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "perft");
  arguments.emplace_back("--json");
  const RunResult result = RunKhanzero(arguments);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  return nlohmann::json::parse(result.out);
}

TEST(PerftCommand, CountsFromTheStartPositions) {
  const uint64_t khans[] = {1, 20, 760, 16912, 667056};
  for (int depth = 0; depth <= 4; ++depth) {
    EXPECT_EQ(PerftJson({"khans", "--depth", std::to_string(depth)})["nodes"], khans[depth]);
  }
  const uint64_t serbest[] = {1, 670, 437828};
  for (int depth = 0; depth <= 2; ++depth) {
    EXPECT_EQ(PerftJson({"serbest", "--depth", std::to_string(depth)})["nodes"], serbest[depth]);
  }
}

TEST(PerftCommand, KingsLandingAddsARankForTheKing) {
  EXPECT_EQ(PerftJson({"serbest", "--depth", "1", "--kings-landing", "7"})["nodes"], 670);
  EXPECT_EQ(PerftJson({"serbest", "--depth", "1", "--kings-landing", "8"})["nodes"], 680);
}

TEST(PerftCommand, ThreadsDoNotChangeTheCount) {
  const auto divided = [](const char* depth, const std::string& threads) {
    return PerftJson({"khans", "--depth", depth, "--threads", threads, "--divide"});
  };
  for (const char* const depth : {"1", "3", "4"}) {
    const nlohmann::json alone = divided(depth, "1");
    for (const std::string threads : {"0", "64"}) {
      const nlohmann::json shared = divided(depth, threads);
      EXPECT_EQ(shared["nodes"], alone["nodes"]);
      EXPECT_EQ(shared["divide"], alone["divide"]);
    }
  }
}

TEST(PerftCommand, JsonSaysWhatWasCounted) {
  const std::string fen = "lhatkahl/ssssssss/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1";
  const nlohmann::json json = PerftJson({"khans", "--fen", fen, "--depth", "2", "--divide"});
  EXPECT_EQ(json["game"], "khans");
  EXPECT_EQ(json["fen"], fen);
  EXPECT_EQ(json["depth"], 2);
  EXPECT_EQ(json["nodes"], 760);
  EXPECT_GE(json["seconds"], 0.0);
  EXPECT_GE(json["nodes_per_second"], 0.0);
  EXPECT_EQ(json["divide"].size(), 20U);
  EXPECT_EQ(json["divide"]["e2e4"], 38);
}

TEST(PerftCommand, DivideListsSortedMovesThatAddUp) {
  const RunResult result = RunKhanzero({"perft", "khans", "--depth", "3", "--divide"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  std::istringstream lines(result.out);
  std::vector<std::string> moves;
  uint64_t sum = 0;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    const size_t colon = line.find(": ");
    ASSERT_NE(colon, std::string::npos) << line;
    moves.push_back(line.substr(0, colon));
    sum += std::stoull(line.substr(colon + 2));
  }
  EXPECT_EQ(moves.size(), 20U);
  EXPECT_TRUE(std::ranges::is_sorted(moves));
  EXPECT_EQ(sum, 16912U);
  EXPECT_NE(result.out.find("nodes    16912\n"), std::string::npos) << result.out;
}

TEST(PerftCommand, WonPositionHasNothingBelowIt) {
  // White's king has reached rank 8: campmate.
  const std::string won = "4K3/8/8/8/8/k7/8/8 b - - 0 1";
  EXPECT_EQ(PerftJson({"khans", "--fen", won, "--depth", "1"})["nodes"], 0);
  EXPECT_EQ(PerftJson({"khans", "--fen", won, "--depth", "3"})["nodes"], 0);
}

TEST(PerftCommand, BadInputIsRefused) {
  ExpectRefused({"perft"}, "GAME is required; see 'khanzero perft --help'");
  ExpectRefused({"perft", "chess"}, "unknown game 'chess'; the games are khans, serbest");
  ExpectRefused({"perft", "khans", "--fen", "8/8 w - - 0 1"}, "FEN");
  ExpectRefused({"perft", "khans", "--fen", ""}, "FEN");
  ExpectRefused({"perft", "khans", "--depth", "-1"}, "--depth");
  ExpectRefused({"perft", "khans", "--depth", "deep"}, "--depth");
  ExpectRefused({"perft", "khans", "--depth", "2.5"}, "--depth");
  ExpectRefused({"perft", "khans", "--depth"}, "--depth");
  ExpectRefused({"perft", "serbest", "--kings-landing", "9"}, "--kings-landing");
  ExpectRefused({"perft", "khans", "--kings-landing", "8"},
                "--kings-landing is not a setting of khans");
  ExpectRefused({"perft", "khans", "--threads", "-2"}, "--threads");
}

}  // namespace
}  // namespace khanzero
