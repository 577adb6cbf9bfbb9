// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero match: openings that are written and read again, and matches that are killed and go on.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "env/random.h"
#include "model/files.h"
#include "play/pgn_reader.h"
#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"
#include "tests/cli/scratch_run.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

using nlohmann::json;

// The games of a file, sorted, without what a day or a file's name changes.
std::vector<std::string> GamesIn(const std::string& path) {
  const std::string text = ReadFile(path);
  std::vector<std::string> games;
  PgnReader reader(text, path);
  while (const auto game = reader.Next()) {
    EXPECT_FALSE(game->cut_off()) << path << ":" << game->line;
    games.push_back(std::regex_replace(text.substr(game->begin, game->end - game->begin),
                                       std::regex("\\[(Date|Match) .*\\]\n"), ""));
  }
  std::sort(games.begin(), games.end());
  return games;
}

size_t CountOf(const std::string& part, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class MatchFiles : public testing::TestWithParam<std::string> {
 protected:
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> Arguments(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"match",       "--game",      GetParam(), "--a",
                                          "alphabeta:1", "--b",         "greedy",   "--pairs",
                                          "8",           "--threads",   "2",        "--concurrency",
                                          "2",           "--max-plies", "80"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  RunResult Run(const std::vector<std::string>& more) const {
    RunResult result = RunKhanzero(Arguments(more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }

  TempFolder folder_;
};

// It is killed as soon as it has said that a pair more is finished.
TEST_P(MatchFiles, AMatchThatIsKilledAgainAndAgainPlaysEachGameOnce) {
  const std::string whole = Path("whole.pgn");
  const std::string killed = Path("killed.pgn");
  const json expected = json::parse(Run({"--pgn", whole, "--json"}).out);
  ASSERT_EQ(GamesIn(whole).size(), 16U);
  // What a writer that is killed in the middle of a game leaves is made by cutting the file.
  Random random(GetParam().size());
  std::vector<std::string> arguments = Arguments({"--interval", "1", "--pgn", killed});
  int cuts = 0;
  size_t most_games = 0;  // that a killed match had played
  for (int round = 0; round < 5; ++round) {
    RunningKhanzero match(arguments);
    match.WaitFor("Games: ");
    match.Signal(SIGKILL);
    match.Wait();
    std::string text = ReadFile(killed);
    most_games = std::max(most_games, CountOf("[Event ", text));
    if (random.Below(3) > 0) {
      text.resize(text.size() - random.Below(std::min<uint64_t>(text.size(), 400)));
      std::ofstream(killed, std::ios::binary | std::ios::trunc) << text;
      ++cuts;
    }
    arguments = Arguments({"--interval", "1", "--resume", killed});
  }
  EXPECT_GT(cuts, 0);
  RecordProperty("most_games_when_killed", static_cast<int>(most_games));
  const RunResult last = Run({"--resume", killed, "--json"});
  EXPECT_NE(last.err.find(" of 16 games are played already\n"), std::string::npos) << last.err;
  EXPECT_EQ(json::parse(last.out), expected);
  EXPECT_EQ(GamesIn(killed), GamesIn(whole));
  EXPECT_EQ(RunKhanzero({"pgn", "check", killed}).exit_code, 0);
  // Nothing is left to play.
  const RunResult again = Run({"--resume", killed, "--json"});
  EXPECT_NE(again.err.find("16 of 16 games are played already\n"), std::string::npos) << again.err;
  EXPECT_EQ(json::parse(again.out), expected);
  EXPECT_EQ(GamesIn(killed).size(), 16U);
}

TEST_P(MatchFiles, ACutOffGameIsSaidToBeCutOff) {
  const std::string path = Path("games.pgn");
  Run({"--pgn", path});
  const std::string text = ReadFile(path);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text.substr(0, text.size() - 30);
  const RunResult result = Run({"--resume", path});
  EXPECT_NE(result.err.find("the last game is cut off; it is taken out and played again"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("15 of 16 games are played already"), std::string::npos) << result.err;
  EXPECT_EQ(GamesIn(path).size(), 16U);
}

TEST_P(MatchFiles, OpeningsThatAreWrittenRepeatTheMatch) {
  const std::string openings = Path("openings.txt");
  for (const std::string kind : {"random", "balanced"}) {
    const std::string first = Path(kind + "1.pgn");
    const std::string second = Path(kind + "2.pgn");
    Run({"--openings", kind, "--opening-plies", "3", "--openings-out", openings, "--pgn", first});
    const std::string text = ReadFile(openings);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9) << text;
    const RunResult repeated = Run({"--openings", openings, "--pgn", second});
    EXPECT_NE(repeated.out.find("openings.txt):\n"), std::string::npos) << repeated.out;
    EXPECT_EQ(GamesIn(first), GamesIn(second));
    const RunResult shuffled =
        Run({"--openings", openings, "--opening-order", "shuffled", "--pgn", Path(kind + "3.pgn")});
    EXPECT_NE(GamesIn(first), GamesIn(Path(kind + "3.pgn")));
    // The games themselves are a book, too.
    Run({"--openings", first});
  }
}

TEST_P(MatchFiles, OpeningsOfAResumedMatchAreAllWritten) {
  const std::string path = Path("games.pgn");
  Run({"--pgn", path, "--openings-out", Path("a.txt")});
  Run({"--resume", path, "--openings-out", Path("b.txt")});
  EXPECT_EQ(ReadFile(Path("a.txt")), ReadFile(Path("b.txt")));
}

TEST_P(MatchFiles, WithoutOpeningsEveryPairStartsAlike) {
  const std::string path = Path("games.pgn");
  const RunResult result = Run({"--openings", "none", "--pgn", path});
  EXPECT_NE(result.out.find("no openings):\n"), std::string::npos) << result.out;
  EXPECT_NE(ReadFile(path).find("[OpeningPlies \"0\"]"), std::string::npos);
}

TEST_P(MatchFiles, AnotherMatchIsNotResumed) {
  const std::string path = Path("games.pgn");
  Run({"--pgn", path, "--seed", "3"});
  ExpectRefused(Arguments({"--resume", path, "--seed", "4"}),
                path + ":1: the game is of another match: seed is '3' there and '4' here");
  ExpectRefused(Arguments({"--resume", path, "--seed", "3", "--name-a", "other"}),
                " is 'alphabeta:1' there and 'other' here");
  ExpectRefused(Arguments({"--resume", Path("none.pgn")}), "cannot be opened for writing");
  ExpectRefused(Arguments({"--resume", path, "--pgn", Path("x.pgn")}),
                "--resume appends to its own file");
  ExpectRefused(Arguments({"--openings", "no/such/book"}), "there is no such file");
  ExpectRefused(Arguments({"--opening-order", "upwards"}), "--opening-order");
  std::ofstream(Path("book.epd")) << "startpos\na1a1\n";
  ExpectRefused(Arguments({"--openings", Path("book.epd")}),
                Path("book.epd") + ":2: move 'a1a1' is not legal");
  ExpectRefused(Arguments({"--openings", path, "--openings-out", path}), "would overwrite");
  ExpectRefused(Arguments({"--openings-out", Path("no/folder/a.txt")}), "cannot be opened");
}

// A run's newest checkpoint is another player once the run has gone on.
TEST_P(MatchFiles, AMatchOfANetworkIsResumedWithTheSameNetworkAlone) {
  const ScratchRun run(GetParam());
  ASSERT_EQ(RunKhanzero(run.Train()).exit_code, 0);
  const std::string path = Path("games.pgn");
  const std::vector<std::string> match = {
      "match", "--game",      GetParam(), "--a", "latest:" + run.path().string(),
      "--b",   "random",      "--nodes",  "2",   "--pairs",
      "1",     "--max-plies", "12"};
  const auto with = [&](const std::string& option) {
    std::vector<std::string> arguments = match;
    arguments.insert(arguments.end(), {option, path});
    return arguments;
  };
  ASSERT_EQ(RunKhanzero(with("--pgn")).exit_code, 0);
  const RunResult resumed = RunKhanzero(with("--resume"));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("2 of 2 games are played already"), std::string::npos) << resumed.err;
  ASSERT_EQ(RunKhanzero(run.Train({"--set", "loop.max_games=24"})).exit_code, 0);
  ExpectRefused(with("--resume"), "the game is of another match: a is 'step-");
}

INSTANTIATE_TEST_SUITE_P(Games, MatchFiles, testing::Values("khans", "serbest"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace khanzero
