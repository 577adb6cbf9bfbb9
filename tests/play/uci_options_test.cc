// SPDX-License-Identifier: GPL-3.0-or-later
//
// Options of the UCI engine, and playing below full strength.
#include "play/uci_options.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "tests/play/uci_fixture.h"

namespace khanzero {
namespace {

using UciOptionsTest = UciTest;

TEST_F(UciOptionsTest, ListsEveryOptionWithTheValueItHas) {
  const std::string text =
      Say({"setoption name skill value 7", "setoption name UCI_Elo value 1000",
           "setoption name CPuct value 2.25", "setoption name Ponder value true", "uci"});
  for (const char* const part : {"option name Threads type spin default 1 min 1 max 256\n",
                                 "option name Hash type spin default 512 min 1 max 65536\n",
                                 "option name MultiPV type spin default 1 min 1 max 500\n",
                                 "option name Ponder type check default true\n",
                                 "option name Move Overhead type spin default 50 min 0 max 10000\n",
                                 "option name UCI_ShowWDL type check default false\n",
                                 "option name UCI_AnalyseMode type check default false\n",
                                 "option name Skill type spin default 7 min 0 max 20\n",
                                 "option name UCI_LimitStrength type check default false\n",
                                 "option name UCI_Elo type spin default 1000 min ",
                                 "option name KingsLanding type spin default 7 min 7 max 8\n",
                                 "option name CPuct type string default 2.25\n",
                                 "option name FpuReduction type string default 0.25\n"}) {
    EXPECT_TRUE(Has(text, part)) << part << text;
  }
}

TEST_F(UciOptionsTest, AWrongValueChangesNothing) {
  for (const char* const line :
       {"setoption name CPuct value nan", "setoption name CPuct value -1",
        "setoption name CPuct value 1e999", "setoption name CPuct value 1.5x",
        "setoption name Skill value 21", "setoption name UCI_Elo value 1",
        "setoption name UCI_LimitStrength value yes", "setoption name UCI_AnalyseMode value"}) {
    EXPECT_EQ(Say({line}).find("info string error: option "), 0U) << line;
  }
  const std::string text = Say({"uci"});
  EXPECT_TRUE(Has(text, "option name CPuct type string default 1.5\n")) << text;
  EXPECT_TRUE(Has(text, "option name Skill type spin default 20 ")) << text;
}

// Nodes of the last search.
int64_t NodesIn(const std::string& text) {
  std::smatch match;
  const std::string last = text.substr(text.rfind("info depth"));
  return std::regex_search(last, match, std::regex(" nodes ([0-9]+)")) ? std::stoll(match[1]) : -1;
}

TEST_F(UciOptionsTest, SkillTakesSimulationsAway) {
  LoadGame("khans");
  EXPECT_EQ(NodesIn(Say({"setoption name Skill value 0", "go nodes 500"})), 1);
  const int64_t at_five = NodesIn(Say({"setoption name Skill value 5", "go nodes 500"}));
  const int64_t at_ten = NodesIn(Say({"setoption name Skill value 10", "go nodes 500"}));
  EXPECT_LT(1, at_five);
  EXPECT_LT(at_five, at_ten);
  EXPECT_LT(at_ten, 500);
  // The limit of `go` still holds, analysis is never weakened, and level 20 is full strength.
  EXPECT_EQ(NodesIn(Say({"go nodes 3"})), 3);
  EXPECT_EQ(NodesIn(Say({"setoption name UCI_AnalyseMode value true", "go nodes 500"})), 500);
  EXPECT_EQ(NodesIn(Say({"setoption name UCI_AnalyseMode value false",
                         "setoption name Skill value 20", "go nodes 600"})),
            600);
  // UCI_Elo goes before Skill, and counts only with UCI_LimitStrength.
  const std::string least = "setoption name UCI_Elo value " + std::to_string(kLeastElo);
  EXPECT_EQ(NodesIn(Say({least, "go nodes 700"})), 700);
  EXPECT_EQ(NodesIn(Say({"setoption name UCI_LimitStrength value true", "go nodes 700"})), 1);
}

TEST_F(UciOptionsTest, AWeakPlayerVariesAndTakesAWinAtHand) {
  LoadGame("khans");
  Say({"setoption name Skill value 3"});
  std::set<std::string> moves;
  for (int i = 0; i < 20; ++i) {
    moves.insert(BestMove(Say({"ucinewgame", "position startpos", "go nodes 1000"})));
  }
  EXPECT_GT(moves.size(), 3U);
  for (int i = 0; i < 10; ++i) {
    const std::string text = Say({"position fen 7k/3K4/8/8/8/8/8/8 w - - 0 1", "go nodes 9"});
    EXPECT_TRUE(std::regex_search(text, std::regex("bestmove d7[cde]8"))) << text;
  }
}

TEST_F(UciOptionsTest, AMiddleLevelDoesNotLetTheOpponentWinAtOnce) {
  LoadGame("khans");
  Say({"setoption name Skill value 8"});
  // The khan steps onto rank 1 unless the rook guards it.
  for (int i = 0; i < 30; ++i) {
    const std::string fen = "8/8/8/8/8/8/3k4/R6K w - - 0 1";
    const std::string move = BestMove(Say({"ucinewgame", "position fen " + fen, "go nodes 1000"}));
    const std::string after = Say({"position fen " + fen + " moves " + move, "go nodes 50"});
    EXPECT_FALSE(Has(after, "score mate 1 ")) << move << after;
  }
}

TEST(Skill, LevelsRiseFromOneSimulationToFullStrength) {
  EXPECT_EQ(SkillOfLevel(0)->simulations, 1);
  EXPECT_FALSE(SkillOfLevel(kMostSkill).has_value());
  for (int level = 1; level < kMostSkill; ++level) {
    const Skill weaker = *SkillOfLevel(level - 1);
    const Skill stronger = *SkillOfLevel(level);
    EXPECT_GT(stronger.simulations, weaker.simulations) << level;
    EXPECT_LT(stronger.temperature, weaker.temperature) << level;
    EXPECT_GE(stronger.sees_replies, weaker.sees_replies) << level;
  }
}

TEST(Skill, EloAndLevelsAreEachOthersInverse) {
  EXPECT_EQ(EloOfLevel(0), kLeastElo);
  EXPECT_EQ(EloOfLevel(kMostSkill), kMostElo);
  for (int elo = kLeastElo; elo <= kMostElo; elo += 7) EXPECT_EQ(EloOfLevel(LevelOfElo(elo)), elo);
  EXPECT_EQ(LevelOfElo(-1000), 0.0);
  EXPECT_EQ(LevelOfElo(9000), 1.0 * kMostSkill);
}

}  // namespace
}  // namespace khanzero
