// SPDX-License-Identifier: GPL-3.0-or-later
//
// The third game: its own rules, and that search, training and the commands take it as they take
// the others. The suites that every game passes run on it as well; see CMakeLists.txt.
#include "tests/third_game/minikhans.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "env/perft.h"
#include "tests/cli/run_binary.h"
#include "tests/env/position_text.h"
#include "tests/mcts/search_testing.h"
#include "tests/train/sample_games.h"

namespace khanzero {
namespace {

using nlohmann::json;

// Counted by Fairy-Stockfish with these pieces on 6x7.
TEST(Minikhans, PerftIsTheReferences) {
  struct Counts {
    std::string fen;
    std::vector<uint64_t> nodes;  // at depths 1, 2, ...
  };
  const Counts all[] = {
      {std::string(MinikhansSpec::kStartFen), {14, 122, 1949, 23891}},
      {"2k3/4PP/1s4/2t3/1Ql3/1s4/2K3 w - - 0 1", {5, 82, 1070, 12750}},
      {"1t1k2/1P3P/2N3/l1s3/3q2/s1s3/1K3R b - - 0 1", {2, 34, 852, 10773}},
      {"3k2/5P/2t3/l1s3/3q2/s1s1N1/1K3R b - - 0 1", {32, 332, 8412}},
      {"3k2/6/6/2s1s1/6/3K2/6 w - - 0 1", {6, 42, 165}},
  };
  for (const Counts& counts : all) {
    for (size_t i = 0; i < counts.nodes.size(); ++i) {
      EXPECT_EQ(Perft(At<Minikhans>(counts.fen), static_cast<int>(i) + 1), counts.nodes[i])
          << counts.fen << " at depth " << i + 1;
    }
  }
}

TEST(Minikhans, ScoutStepsForwardAndCapturesByJumping) {
  const auto position = At<Minikhans>("3k2/6/2s3/6/1P1P2/6/3K2 b - - 0 1");
  EXPECT_EQ(MovesFrom<Minikhans>(position, "c5"), Words("c4 b3 d3"));
  const auto checked = At<Minikhans>("3k2/6/2s3/6/3K2/6/6 w - - 0 1");
  EXPECT_TRUE(checked.InCheck());
  EXPECT_EQ(MovesFrom<Minikhans>(checked, "d3"), Words("c2 d2 e2 c3 e3 c4 d4"));
}

TEST(Minikhans, KhatunSlidesOnDiagonalsAndCapturesOneStep) {
  const auto position = At<Minikhans>("3k2/6/6/2t3/3P2/4P1/3K2 b - - 0 1");
  EXPECT_EQ(MovesFrom<Minikhans>(position, "c4"), Words("a2 b3 d3 a6 b5 d5 e6 f7"));
  EXPECT_FALSE(At<Minikhans>("3k2/6/6/t5/6/6/3K2 w - - 0 1").InCheck());
}

TEST(Minikhans, PawnsAndScoutsPromoteOnTheirLastRank) {
  const auto white = At<Minikhans>("k5/4P1/6/6/6/6/K5 w - - 0 1");
  EXPECT_EQ(MovesFrom<Minikhans>(white, "e6"), Words("e7q e7r"));
  const auto black = At<Minikhans>("k5/6/6/6/2N3/3s2/K5 b - - 0 1");
  EXPECT_EQ(MovesFrom<Minikhans>(black, "d2"), Words("d1t"));
}

TEST(Minikhans, AKingOnTheLastRankWins) {
  EXPECT_EQ(StateOf(After<Minikhans>("6/2K3/6/6/6/1k4/6 w - - 0 1", "c6c7")), "1-0 campmate");
}

TEST(Minikhans, SearchFindsForcedWins) {
  struct Forced {
    std::string fen;
    int plies;
  };
  for (const auto& [fen, plies] :
       {Forced{"6/2K3/6/6/6/1k4/6 w - - 0 1", 1}, Forced{"k5/5R/6/6/6/6/K3R1 w - - 0 1", 1},
        Forced{"6/6/2K3/4k1/6/6/6 w - - 0 1", 3}}) {
    for (const RootAlgorithm algorithm : kBothAlgorithms) {
      const auto searched = SearchFen<Minikhans>(fen, SettingsFor(algorithm, 2000));
      EXPECT_EQ(searched.result.proof, Proof::kWin) << fen;
      EXPECT_LE(searched.result.proof_plies, 3) << fen;
      EXPECT_GE(searched.result.proof_plies, plies) << fen;
    }
  }
}

TEST(Minikhans, IsOneOfTheGames) {
  EXPECT_EQ(GameNamesText(), "khans, serbest, minikhans");
  const GameInfo info = InfoOfGame("minikhans");
  EXPECT_EQ(info.shape.files, 6);
  EXPECT_EQ(info.shape.ranks, 7);
}

TEST(Minikhans, CommandsKnowIt) {
  const RunResult perft = RunKhanzero({"perft", "minikhans", "--depth", "3", "--json"});
  ASSERT_EQ(perft.exit_code, 0) << perft.err;
  EXPECT_EQ(json::parse(perft.out).at("nodes"), 1949);
  ExpectRefused({"perft", "chess"}, "khans, serbest, minikhans");
}

TEST(Minikhans, TrainsFromItsYaml) {
  const ScratchFolder folder;
  const std::string run = (folder.path() / "run").string();
  std::vector<std::string> arguments = {"train", "--config", KHANZERO_MINIKHANS_YAML,
                                        "--run", run,        "--json"};
  for (const char* const setting :
       {"search.simulations=4", "selfplay.workers=1", "selfplay.games_per_worker=4",
        "selfplay.max_plies=40", "learner.batch_size=16", "learner.threads=1", "loop.max_games=12",
        "loop.games_per_cycle=6", "loop.uniform_games=6", "evaluation.pairs=1",
        "evaluation.final_pairs=2", "evaluation.simulations=2"}) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  const RunResult trained = RunKhanzero(arguments);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const json result = json::parse(trained.out);
  EXPECT_GE(result.at("games"), 12);
  EXPECT_GT(result.at("step"), 0);
  const RunResult info = RunKhanzero({"info", result.at("checkpoint").get<std::string>()});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_NE(info.out.find("minikhans"), std::string::npos) << info.out;
}

}  // namespace
}  // namespace khanzero
