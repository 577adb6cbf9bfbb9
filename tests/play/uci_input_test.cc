// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whatever comes in, in whatever state: commands during a search, floods, garbage, the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "play/uci.h"
#include "tests/play/uci_fixture.h"

namespace khanzero {
namespace {

using UciInputTest = UciTest;

TEST_F(UciInputTest, QuitEndsASearchAndPerft) {
  LoadGame("khans");
  EXPECT_TRUE(engine_.Execute("go infinite"));
  EXPECT_FALSE(engine_.Execute("quit"));
  EXPECT_TRUE(Has(Take(), "bestmove "));
  EXPECT_TRUE(engine_.Execute("go perft 12"));
  EXPECT_FALSE(engine_.Execute("quit"));
}

TEST_F(UciInputTest, TheEndOfTheInputIsQuit) {
  std::istringstream in("uci\nsetoption name WeightsFile value good\ngo infinite\n");
  engine_.Run(in);
  const std::string text = Take();
  EXPECT_TRUE(Has(text, "uciok"));
  EXPECT_TRUE(Has(text, "bestmove "));
}

TEST_F(UciInputTest, GarbageIsAnsweredAndNothingElse) {
  LoadGame("khans");
  for (const std::string& line :
       {std::string("xyzzy"), std::string("\x01\x02\xff"), std::string(100000, 'a'),
        std::string("setoption"), std::string("setoption name"), std::string("setoption name Foo"),
        std::string("setoption name Hash value many"), std::string("setoption name Hash value -1"),
        std::string("setoption name MultiPV value"), std::string("position fen moves"),
        std::string("setoption name KingsLanding value 9"),
        std::string("setoption name UCI_ShowWDL value perhaps")}) {
    const std::string text = Say({line});
    EXPECT_EQ(text.find("info string error: "), 0U) << line.substr(0, 50);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    EXPECT_LT(text.size(), 600U);
  }
  EXPECT_EQ(Say({"", "   ", "debug on"}), "");
  const std::string text = Say({"go nodes many"});
  EXPECT_TRUE(Has(text, "info string error: go nodes needs a number")) << text;
  EXPECT_TRUE(Has(text, "bestmove (none)"));
  EXPECT_TRUE(Has(Say({"go nodes 5 sideways"}), "'sideways' is unknown and ignored"));
}

TEST_F(UciInputTest, CommandsDuringASearchAreAnsweredAndEndItWhereTheyMust) {
  LoadGame("khans");
  // These leave the search alone.
  for (const char* const line : {"position startpos moves e2e4", "isready", "uci", "d", "debug on",
                                 "ponderhit", "go nodes 5", "nonsense", "position fen x"}) {
    EXPECT_TRUE(engine_.Execute("go infinite"));
    EXPECT_TRUE(engine_.Execute(line));
    if (std::string(line) != "ponderhit") {
      EXPECT_FALSE(Has(Take(), "bestmove ")) << line;
    }
    const std::string text = Say({"stop"});
    EXPECT_EQ(text.find("bestmove "), text.rfind("bestmove ")) << line;
  }
  // These end it, with its bestmove.
  for (const char* const line : {"ucinewgame", "setoption name MultiPV value 2",
                                 "setoption name UCI_Variant value khans", "stop"}) {
    EXPECT_TRUE(engine_.Execute("position startpos"));
    EXPECT_TRUE(engine_.Execute("go infinite"));
    EXPECT_TRUE(engine_.Execute(line));
    EXPECT_TRUE(Has(Take(), "bestmove ")) << line;
    EXPECT_EQ(Say({"stop", "stop"}), "") << line;
  }
}

TEST_F(UciInputTest, AFloodIsAnsweredLineByLine) {
  std::string input = "setoption name WeightsFile value good\n";
  for (int i = 0; i < 10'000; ++i) input += i % 2 == 0 ? "isready\n" : "position startpos\n";
  input += "go nodes 20\n";
  for (int i = 0; i < 2'000; ++i) input += "stop\n\n";
  std::istringstream in(input);
  engine_.Run(in);
  const std::string text = Take();
  size_t answers = 0;
  for (size_t at = 0; (at = text.find("readyok\n", at)) != text.npos; ++at) ++answers;
  EXPECT_EQ(answers, 5'000U);
  EXPECT_FALSE(Has(text, "error")) << text.substr(0, 200);
  EXPECT_TRUE(Has(text, "bestmove "));
}

TEST_F(UciInputTest, LinesWithoutEndAndBytesThatAreNoTextDoNoHarm) {
  std::string input(3 << 20, 'x');
  input += "\nisready\n";
  for (int byte = 0; byte < 256; ++byte) input += static_cast<char>(byte);
  input += "\nsetoption name WeightsFile value caf\xe9\xff\nuci\nisready";
  std::istringstream in(input);
  engine_.Run(in);
  const std::string text = Take();
  EXPECT_TRUE(Has(text, "info string error: a line of more than 1048576 bytes is ignored\n"));
  EXPECT_TRUE(Has(text, "default caf\\xe9\\xff\n"));
  EXPECT_TRUE(Has(text, "cannot read 'caf\\xe9\\xff'\nreadyok\n")) << text;
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

TEST(UciInput, LinesAreReadWithAndWithoutTheirEnd) {
  std::istringstream in("one\n\ntoo long\nlast");
  std::string line;
  EXPECT_EQ(ReadInputLine(in, line, 5), InputLine::kRead);
  EXPECT_EQ(line, "one");
  EXPECT_EQ(ReadInputLine(in, line, 5), InputLine::kRead);
  EXPECT_EQ(line, "");
  EXPECT_EQ(ReadInputLine(in, line, 5), InputLine::kTooLong);
  EXPECT_EQ(ReadInputLine(in, line, 5), InputLine::kRead);
  EXPECT_EQ(line, "last");
  EXPECT_EQ(ReadInputLine(in, line, 5), InputLine::kEnd);
}

}  // namespace
}  // namespace khanzero
