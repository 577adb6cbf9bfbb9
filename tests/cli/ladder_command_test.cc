// SPDX-License-Identifier: GPL-3.0-or-later
//
// `khanzero ladder` as a user runs it, on runs that were trained here: it rates, goes on where it
// was killed, points at the best checkpoint, and leaves training as it is.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "model/files.h"
#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"
#include "tests/cli/scratch_run.h"

namespace khanzero {
namespace {

using nlohmann::json;

void Train(const ScratchRun& run, const std::vector<std::string>& more = {}) {
  const RunResult trained = RunKhanzero(run.Train(more));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
}

std::vector<std::string> Ladder(const std::filesystem::path& run,
                                const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"ladder", "--run",     run.string(), "--no-baselines",
                                        "--json", "--threads", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

json RunLadder(const std::filesystem::path& run, const std::vector<std::string>& more) {
  const RunResult result = RunKhanzero(Ladder(run, more));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out);
}

// Every game of the ladder's store, by batch and round.
std::map<std::pair<int64_t, std::string>, std::string> Games(const std::filesystem::path& run) {
  const SQLite::Database db((run / "ladder.db").string(), SQLite::OPEN_READONLY);
  SQLite::Statement query(db, "SELECT batch, round, pgn FROM games");
  std::map<std::pair<int64_t, std::string>, std::string> games;
  while (query.executeStep()) {
    games[{query.getColumn(0).getInt64(), query.getColumn(1).getString()}] =
        query.getColumn(2).getString();
  }
  return games;
}

// Comments hold times, and where lines break follows from them.
std::string WithoutComments(const std::string& pgn) {
  std::istringstream words(std::regex_replace(pgn, std::regex(R"(\{[^}]*\})"), ""));
  std::string text;
  for (std::string word; words >> word;) text += word + " ";
  return text;
}

class LadderCommand : public testing::TestWithParam<std::string> {};

TEST_P(LadderCommand, RatesCheckpointsAndPointsAtTheBest) {
  const ScratchRun run(GetParam());
  Train(run);
  const json ladder = RunLadder(run.path(), {"--error", "100", "--max-games", "30"});
  EXPECT_EQ(ladder.at("game"), GetParam());
  EXPECT_EQ(ladder.at("games"), 30);
  EXPECT_EQ(ladder.at("new_games"), 30);
  EXPECT_EQ(ladder.at("conditions").at("nodes"), 2);  // of the run's evaluation
  int checkpoints = 0;
  double played = 0.0;
  for (const json& player : ladder.at("players")) {
    played += player.at("played").get<double>();
    EXPECT_TRUE(player.at("elo").is_number()) << player;
    if (player.at("kind") != "checkpoint") continue;
    ++checkpoints;
    EXPECT_GT(player.at("error").get<double>(), 0.0);
    EXPECT_TRUE(player.at("hours").is_number());
    EXPECT_TRUE(player.at("games").is_number());
  }
  EXPECT_GE(checkpoints, 2);
  EXPECT_EQ(played, 60.0);
  EXPECT_EQ(json::parse(ReadFile(run.path() / "ladder.json")), ladder);

  const std::string best = ladder.at("best").get<std::string>();
  EXPECT_EQ(ReadFile(run.path() / "best"), best + "\n");
  const RunResult info = RunKhanzero({"info", "best:" + run.path().string()});
  EXPECT_EQ(info.exit_code, 0) << info.err;

  // Nothing new: the same games, the same ratings.
  const json again = RunLadder(run.path(), {"--error", "100", "--max-games", "0"});
  EXPECT_EQ(again.at("new_games"), 0);
  EXPECT_EQ(again.at("players"), ladder.at("players"));
  // Precise enough as it is.
  EXPECT_EQ(RunLadder(run.path(), {"--error", "9999"}).at("new_games"), 0);
  EXPECT_TRUE(RunLadder(run.path(), {"--error", "9999"}).at("precise").get<bool>());
  // Other conditions begin anew.
  const json other = RunLadder(run.path(), {"--nodes", "3", "--last", "1", "--max-games", "4"});
  EXPECT_EQ(other.at("games"), 4);
  EXPECT_EQ(other.at("players").size(), 2U);

  const RunResult table = RunKhanzero({"ladder", "--run", run.path().string(), "--no-baselines",
                                       "--max-games", "0", "--error", "100"});
  EXPECT_NE(table.out.find(best), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("Elo above random"), std::string::npos) << table.out;
  ASSERT_EQ(RunKhanzero({"report", "--run", run.path().string()}).exit_code, 0);
  EXPECT_NE(ReadFile(run.path() / "report.html").find("\"ladder\":{\"about\":\"2 nodes"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Games, LadderCommand, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

TEST(LadderSurvival, KilledItGoesOnAsIfItHadNotBeen) {
  const ScratchRun run("khans");
  Train(run);
  const std::filesystem::path straight = run.folder() / "straight";
  std::filesystem::copy(run.path(), straight, std::filesystem::copy_options::recursive);
  RunLadder(straight, {"--error", "1", "--max-games", "200"});

  size_t before = 0;
  for (int kills = 0; kills < 3; ++kills) {
    RunningKhanzero program(Ladder(run.path(), {"--error", "1", "--max-games", "1000000"}));
    ASSERT_TRUE(program.WaitFor("games (at most")) << program.printed();
    program.Signal(SIGKILL);
    program.Wait();
    const size_t now = Games(run.path()).size();
    EXPECT_GT(now, before);
    before = now;
  }
  const json ladder = RunLadder(run.path(), {"--error", "1", "--max-games", "60"});
  const auto games = Games(run.path());
  EXPECT_GE(games.size(), before + 59);  // an odd one is left when a pair was begun
  EXPECT_EQ(ladder.at("games"), games.size());
  // Whatever both have is the same, game by game.
  size_t shared = 0;
  const auto expected = Games(straight);
  for (const auto& [round, pgn] : games) {
    const auto found = expected.find(round);
    if (found == expected.end()) continue;
    ++shared;
    EXPECT_EQ(WithoutComments(found->second), WithoutComments(pgn));
  }
  EXPECT_GE(shared, std::min<size_t>(games.size(), 60));
}

TEST(LadderSurvival, AnInterruptEndsItCleanly) {
  const ScratchRun run("khans");
  Train(run);
  RunningKhanzero program(Ladder(run.path(), {"--error", "1", "--max-games", "1000000"}));
  ASSERT_TRUE(program.WaitFor("games (at most")) << program.printed();
  program.Signal(SIGINT);
  EXPECT_EQ(program.Wait(), 0) << program.printed();
  const json ladder = json::parse(ReadFile(run.path() / "ladder.json"));
  EXPECT_TRUE(ladder.at("stopped").get<bool>());
  EXPECT_EQ(ladder.at("games"), Games(run.path()).size());
}

TEST(LadderInTheLoop, RatesEachCheckpointAndLeavesTrainingAsItIs) {
  const std::vector<std::string> deterministic = {"--set", "loop.deterministic=true", "--set",
                                                  "evaluation.final_pairs=0"};
  const ScratchRun without("khans");
  Train(without, deterministic);
  std::vector<std::string> rated = deterministic;
  for (const char* const word :
       {"--set", "evaluation.ladder_every=1", "--set", "evaluation.ladder_games=40"}) {
    rated.emplace_back(word);
  }
  const ScratchRun with("khans");
  Train(with, rated);

  std::istringstream lines(ReadFile(with.path() / "metrics.jsonl"));
  int cycles = 0;
  for (std::string line; std::getline(lines, line); ++cycles) {
    EXPECT_TRUE(json::parse(line).at("ladder").at("elo").is_number()) << line;
  }
  EXPECT_EQ(cycles, 2);
  EXPECT_NE(ReadFile(with.path() / "log.txt").find("Elo above random"), std::string::npos);
  EXPECT_FALSE(ReadFile(with.path() / "best").empty());
  const std::string latest = ReadFile(without.path() / "latest");
  EXPECT_EQ(latest, ReadFile(with.path() / "latest"));
  const std::string name = latest.substr(0, latest.find('\n'));
  for (const char* const file : {"weights.safetensors", "learner.json"}) {
    const std::string expected = ReadFile(without.path() / "checkpoints" / name / file);
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(expected, ReadFile(with.path() / "checkpoints" / name / file)) << file;
  }
}

// Checkpoints of two runs in a folder that is no run of its own.
TEST(LadderEntrants, AreRatedAgainstEachOther) {
  const ScratchRun run("khans");
  Train(run);
  const std::filesystem::path rating = run.folder() / "rating";
  std::filesystem::create_directories(rating);
  std::filesystem::copy_file(run.path() / "config.yaml", rating / "config.yaml");
  const std::string first =
      std::filesystem::directory_iterator(run.path() / "checkpoints")->path().string();
  const std::vector<std::string> entrants = {"--entrant", "new=latest:" + run.path().string(),
                                             "--entrant", "same=latest:" + run.path().string(),
                                             "--entrant", "some=checkpoint:" + first,
                                             "--error",   "1"};
  const auto rate = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = entrants;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunLadder(rating, arguments);
  };
  const json ladder = rate({"--max-games", "40"});
  EXPECT_EQ(ladder.at("games"), 40);
  EXPECT_TRUE(ladder.at("best").is_null());
  std::set<std::string> names;
  for (const json& player : ladder.at("players")) {
    names.insert(player.at("name").get<std::string>());
    EXPECT_TRUE(player.at("elo").is_number()) << player;
    EXPECT_EQ(player.at("step").is_number(), player.at("kind") == "checkpoint");
  }
  EXPECT_EQ(names, (std::set<std::string>{"new", "random", "same", "some"}));
  EXPECT_FALSE(std::filesystem::exists(rating / "best"));
  EXPECT_EQ(rate({"--max-games", "0"}).at("players"), ladder.at("players"));
  // By time: other conditions.
  const json timed = rate({"--max-games", "4", "--movetime", "1"});
  EXPECT_EQ(timed.at("games"), 4);
  EXPECT_EQ(timed.at("conditions").at("movetime_ms"), 1);

  const auto refused = [&](const std::string& entrant, const std::string& what) {
    std::vector<std::string> arguments = Ladder(rating, {"--entrant", entrant});
    ExpectRefused(arguments, what);
  };
  refused("random", "must be NAME=PLAYER");
  refused("a b=random", "must be NAME=PLAYER");
  refused("a=random", "its player must be a checkpoint");
  refused("a=latest:/none", "/none");
  ExpectRefused(
      Ladder(rating, {"--entrant", "a=checkpoint:" + first, "--entrant", "a=checkpoint:" + first}),
      "two entrants are called 'a'");
}

TEST(LadderInput, BadUsageIsRefused) {
  ExpectRefused({"ladder"}, "--run is required");
  ExpectRefused({"ladder", "--run", "/none"}, "'/none' is not a run");
  ExpectRefused({"ladder", "--run", "/none", "--error", "0"}, "--error");
  const ScratchRun run("khans");
  std::filesystem::create_directories(run.path() / "checkpoints");
  std::filesystem::copy(run.folder() / "tiny.yaml", run.path() / "config.yaml");
  const std::string folder = run.path().string();
  ExpectRefused({"ladder", "--run", folder}, "has no checkpoint to rate");
  ExpectRefused({"ladder", "--run", folder, "--anchor", "greedy@5"}, "takes no nodes");
  ExpectRefused({"ladder", "--run", folder, "--anchor", "engine"}, "a player is one of");
  ExpectRefused({"match", "--game", "khans", "--a", "best:" + folder, "--b", "random"},
                "'khanzero ladder --run' finds it");
}

}  // namespace
}  // namespace khanzero
