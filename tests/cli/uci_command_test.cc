// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero uci as a chess program sees it: over pipes, in every state, with floods and garbage, and
// killed.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <thread>

#include "env/random.h"
#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"
#include "tests/cli/scratch_run.h"

namespace khanzero {
namespace {

// One network of a tiny run for all tests of a game.
class UciCommand : public testing::TestWithParam<std::string> {
 protected:
  static const ScratchRun& Run(const std::string& game) {
    static const auto make = [](const std::string& name) {
      auto run = std::make_unique<ScratchRun>(name);
      const RunResult result = RunKhanzero(run->TrainShortest());
      EXPECT_EQ(result.exit_code, 0) << result.err;
      return run;
    };
    static const std::unique_ptr<ScratchRun> khans = make("khans");
    static const std::unique_ptr<ScratchRun> serbest = make("serbest");
    return game == "khans" ? *khans : *serbest;
  }
  std::string latest() const { return "latest:" + Run(GetParam()).path().string(); }
  // Sets the game and its network.
  std::string Setup() const {
    return "setoption name UCI_Variant value " + GetParam() +
           "\nsetoption name WeightsFile value " + latest() + "\n";
  }
};

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

TEST_P(UciCommand, AnswersEveryCommandBeforeThereIsANetwork) {
  const RunResult result = RunKhanzero(
      {"uci", "--variant", GetParam()},
      "uci\nsetoption name WeightsFile value /none\nisready\nucinewgame\nposition startpos\nd\n"
      "go perft 1\nsetoption name WeightsFile value /none\nisready\ngo nodes 5\nstop\nponderhit\n"
      "debug on\nregister later\nquit\nd\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(Count(result.out, "uciok\n"), 1U);
  EXPECT_EQ(Count(result.out, "readyok\n"), 2U);
  EXPECT_EQ(Count(result.out, "Side to move: white\n"), 1U) << result.out;
  EXPECT_GE(Count(result.out, "info string error: "), 3U);
  EXPECT_NE(result.out.find("there is no checkpoint at /none"), std::string::npos) << result.out;
  EXPECT_TRUE(result.out.ends_with("bestmove (none)\n")) << result.out;
}

TEST_P(UciCommand, TheOptionWeightsFileTakesARunsNewestNetwork) {
  RunningKhanzero engine({"uci"});
  engine.Send("uci\n");
  ASSERT_TRUE(engine.WaitFor("uciok"));
  engine.Send(Setup() + "isready\n");
  ASSERT_TRUE(engine.WaitFor("info string variant " + GetParam() + " files "));
  ASSERT_TRUE(engine.WaitFor("readyok"));
  EXPECT_EQ(engine.printed().find("error"), std::string::npos) << engine.printed();
  engine.Send("go nodes 30\n");
  ASSERT_TRUE(engine.WaitFor("bestmove "));
  // The other game's network is refused, by both names, and the engine goes on.
  engine.Send("setoption name UCI_Variant value " +
              std::string(GetParam() == "khans" ? "serbest" : "khans") + "\nisready\n");
  ASSERT_TRUE(engine.WaitFor("info string error: "));
  ASSERT_TRUE(engine.WaitFor("readyok"));
  engine.Send("setoption name UCI_Variant value " + GetParam() + "\ngo nodes 5\nquit\n");
  ASSERT_TRUE(engine.WaitFor("bestmove "));
  EXPECT_EQ(engine.Wait(), 0);
}

TEST_P(UciCommand, CommandsDuringASearch) {
  RunningKhanzero engine({"uci", "--weights", latest()});
  const std::string move = GetParam() == "khans" ? "e2e4" : "N@j10";
  for (const std::string& line :
       {std::string("stop"), std::string("stop\nstop"), std::string("ucinewgame"),
        std::string("setoption name MultiPV value 3"), std::string("setoption name Hash value 32"),
        std::string("setoption name Threads value 2"),
        std::string("setoption name WeightsFile value " + latest()),
        "position startpos moves " + move + "\nstop", std::string("go nodes 3\nstop"),
        std::string("ponderhit\nstop"), std::string("\x01\xff\nstop"),
        std::string("go perft 3\nstop")}) {
    for (const char* const go : {"go infinite", "go ponder wtime 60000 btime 60000", "go"}) {
      engine.Send("position startpos\n" + std::string(go) + "\n" + line + "\nisready\n");
      ASSERT_TRUE(engine.WaitFor("bestmove ")) << line << "\n" << engine.printed();
      ASSERT_TRUE(engine.WaitFor("readyok")) << line << "\n" << engine.printed();
    }
  }
  const std::string printed = engine.printed();
  EXPECT_EQ(Count(printed, "bestmove "), 36U);
  EXPECT_EQ(Count(printed, "(none)"), 0U) << printed;
  engine.Send("go perft 9\nquit\n");
  EXPECT_EQ(engine.Wait(), 0);
}

TEST_P(UciCommand, PonderingEndsWithTheClockAfterPonderhit) {
  RunningKhanzero engine({"uci", "--weights", latest()});
  engine.Send("go ponder movetime 20\nisready\n");
  ASSERT_TRUE(engine.WaitFor("readyok"));
  EXPECT_EQ(engine.printed().find("bestmove"), std::string::npos);
  engine.Send("ponderhit\n");
  ASSERT_TRUE(engine.WaitFor("bestmove "));
}

TEST_P(UciCommand, TenThousandLinesAtOnceOverAPipe) {
  RunningKhanzero engine({"uci", "--weights", latest()});
  std::string flood;
  for (int i = 0; i < 10'000; ++i) {
    static constexpr std::array<const char*, 5> kLines = {"isready\n", "position startpos\n",
                                                          "stop\n", "xyzzy\n", "\n"};
    flood += kLines[static_cast<size_t>(i) % kLines.size()];
  }
  {
    // The engine answers while it reads: somebody else has to send.
    const std::jthread sender([&] { engine.Send(flood + "go nodes 10\n"); });
    ASSERT_TRUE(engine.WaitFor("bestmove "));
  }
  EXPECT_EQ(Count(engine.printed(), "readyok\n"), 2'000U);
  EXPECT_EQ(Count(engine.printed(), "unknown command"), 2'000U);
}

TEST_P(UciCommand, GarbageLeavesItAlive) {
  Random random(7);
  std::string garbage;
  for (int i = 0; i < 200'000; ++i) garbage += static_cast<char>(random.Below(256));
  garbage += "\n" + std::string(5 << 20, 'A') + "\n" + std::string(1000, '\0') + "\nposition fen " +
             std::string(900'000, '1') + "\ngo " + std::string(100'000, '9') +
             "\nsetoption name Hash value 99999999999999999999\nposition startpos moves " +
             std::string(100'000, 'e') + "\nposition startpos\ngo nodes 4\nisready\n";
  const RunResult result = RunKhanzero({"uci", "--weights", latest()}, garbage);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("a line of more than 1048576 bytes"), std::string::npos);
  EXPECT_NE(result.out.find("readyok"), std::string::npos);
  EXPECT_EQ(Count(result.out, "\nbestmove "), 2U);  // one of them of the go without a number
  for (const char c : result.out) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

// Whatever the order of commands, each `go` that is not refused has one bestmove, and every line
// is one that the protocol knows.
TEST_P(UciCommand, AnyOrderOfCommandsKeepsTheProtocol) {
  const std::vector<std::string> commands = {
      "go nodes 3",
      "go infinite",
      "go ponder movetime 5",
      "go movetime 3",
      "go depth 2",
      "go mate 1 nodes 9",
      "go wtime 100 btime 100 winc 1 binc 1",
      "go nodes 2 searchmoves " + std::string(GetParam() == "khans" ? "a2a3" : "P@a1"),
      "stop",
      "ponderhit",
      "isready",
      "uci",
      "ucinewgame",
      "position startpos",
      "position startpos moves " + std::string(GetParam() == "khans" ? "a2a3" : "P@a1"),
      "position fen 8/8 w",
      "setoption name Skill value 4",
      "setoption name Skill value 20",
      "setoption name UCI_LimitStrength value true",
      "setoption name MultiPV value 2",
      "setoption name Threads value 2",
      "setoption name Hash value 8",
      "setoption name UCI_ShowWDL value true",
      "setoption name Nonsense value 1",
      "nonsense"};
  const std::regex known(
      "(id |option name |uciok|readyok|info depth [0-9]+ |info string |bestmove ).*|");
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    std::string input;
    size_t searches = 0;
    for (int i = 0; i < 400; ++i) {
      const std::string& command = commands[random.Below(commands.size())];
      input += command + "\n";
      searches += command.starts_with("go ") ? 1 : 0;
    }
    const RunResult result = RunKhanzero({"uci", "--weights", latest()}, input);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const size_t refused = Count(result.out, "error: a search is running");
    EXPECT_EQ(Count("\n" + result.out, "\nbestmove "), searches - refused) << "seed " << seed;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_TRUE(std::regex_match(line, known)) << line;
    }
  }
}

TEST_P(UciCommand, TheEndOfTheInputDuringASearchEndsIt) {
  const RunResult result = RunKhanzero({"uci", "--weights", latest()}, "go infinite\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Count(result.out, "bestmove "), 1U);
}

TEST_P(UciCommand, KilledInASearchItStartsAgain) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT}) {
    RunningKhanzero engine({"uci", "--weights", latest()});
    engine.Send("go infinite\nisready\n");
    ASSERT_TRUE(engine.WaitFor("readyok"));
    engine.Signal(signal);
    EXPECT_EQ(engine.Wait(), 128 + signal);
  }
  const RunResult result = RunKhanzero({"uci", "--weights", latest()}, "go nodes 5\n");
  EXPECT_EQ(Count(result.out, "bestmove "), 1U);
}

// As an engine in a match, at two levels: our own referee finds no fault.
TEST_P(UciCommand, PlaysAMatchAtTwoLevels) {
  const std::string engine = "uci:" KHANZERO_BINARY " uci --weights " + latest();
  const RunResult result =
      RunKhanzero({"match",   "--game",      GetParam(), "--a",       engine,    "--b",
                   engine,    "--name-a",    "level 8",  "--name-b",  "level 0", "--option-a",
                   "Skill=8", "--option-b",  "Skill=0",  "--nodes",   "10",      "--pairs",
                   "1",       "--max-plies", "30",       "--threads", "1",       "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* const part : {"\"games\":2", "\"faults_of_a\":{}", "\"faults_of_b\":{}"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << result.out;
  }
}

INSTANTIATE_TEST_SUITE_P(Games, UciCommand, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace khanzero
