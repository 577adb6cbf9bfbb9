// SPDX-License-Identifier: GPL-3.0-or-later
//
// Engines in processes of their own: what goes wrong with them costs them the game and nothing
// else. The engine is tests/play/fake_engine.cc; its path is FAKE_ENGINE.
#include "play/uci_player.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "env/games.h"
#include "play/match.h"

namespace khanzero {
namespace {

Contestant Fake(const std::string& arguments) {
  Contestant contestant{.spec = "uci:" FAKE_ENGINE " " + arguments, .name = "fake"};
  contestant.settings.engine.search_moves = SearchMoves::kOn;
  return contestant;
}

MatchSettings Settings(int pairs) {
  MatchSettings settings;
  settings.pairs = pairs;
  settings.seed = 5;
  settings.max_plies = 40;
  return settings;
}

MatchResult Play(const Contestant& a, const Contestant& b, const MatchSettings& settings,
                 const std::string& game = "khans") {
  return PlayMatch(game, a, b, settings);
}

const Contestant kRandom = {.spec = "random"};

using Counts = std::map<std::string, int64_t>;

TEST(SplitCommand, TakesQuotesAndBackslashes) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(SplitCommand("engine"), (Words{"engine"}));
  EXPECT_EQ(SplitCommand("  a  b\tc "), (Words{"a", "b", "c"}));
  EXPECT_EQ(SplitCommand("\"my engine\" 'x \"y\"' a\\ b \"\""),
            (Words{"my engine", "x \"y\"", "a b", ""}));
  EXPECT_EQ(SplitCommand("a\"b c\"d"), (Words{"ab cd"}));
  EXPECT_THROW(SplitCommand(""), InputError);
  EXPECT_THROW(SplitCommand("   "), InputError);
  EXPECT_THROW(SplitCommand("\"\" x"), InputError);
  EXPECT_THROW(SplitCommand("'a"), InputError);
}

TEST(UciPlayer, AGoodEnginePlaysWholeMatches) {
  for (const char* const game : {"khans", "serbest"}) {
    const MatchResult result = Play(Fake("good"), kRandom, Settings(2), game);
    EXPECT_EQ(result.total.games(), 4) << game;
    EXPECT_EQ(result.faults_of_a, Counts()) << game;
    EXPECT_EQ(result.faults_of_b, Counts()) << game;
  }
}

struct Wrong {
  const char* mode;
  const char* reason;
};

class WrongEngine : public testing::TestWithParam<Wrong> {};

// Both games of each pair are lost, by the right side, and the match goes on to its end.
TEST_P(WrongEngine, LosesEachGameForItsOwnSide) {
  const auto& [mode, reason] = GetParam();
  Contestant fake = Fake(mode);
  fake.settings.engine.answer_timeout_ms = 150;
  const MatchResult as_a = Play(fake, kRandom, Settings(2));
  EXPECT_EQ(as_a.total, (Tally{0, 0, 4}));
  EXPECT_EQ(as_a.faults_of_a, (Counts{{reason, 4}}));
  EXPECT_EQ(as_a.faults_of_b, Counts());
  const MatchResult as_b = Play(kRandom, fake, Settings(1));
  EXPECT_EQ(as_b.total, (Tally{2, 0, 0}));
  EXPECT_EQ(as_b.faults_of_b, (Counts{{reason, 2}}));
}

INSTANTIATE_TEST_SUITE_P(
    Modes, WrongEngine,
    testing::Values(Wrong{"illegal", "illegal move"}, Wrong{"malformed", "illegal move"},
                    Wrong{"null_move", "illegal move"}, Wrong{"no_move", "illegal move"},
                    Wrong{"none", "illegal move"}, Wrong{"crash", "crash"},
                    Wrong{"signal", "crash"}, Wrong{"closes_output", "crash"},
                    Wrong{"hang", "hang"}, Wrong{"ignores_input", "hang"},
                    Wrong{"info_flood", "hang"}, Wrong{"garbage_flood", "garbage"},
                    Wrong{"garbage_bytes", "garbage"}, Wrong{"endless_line", "garbage"}),
    [](const auto& engine) { return std::string(engine.param.mode); });

// Good until its third move; then each process of it fails again.
TEST(UciPlayer, IsStartedAnewAfterAFault) {
  for (const char* const mode : {"crash 3", "signal 3", "closes_output 3", "illegal 3"}) {
    MatchSettings settings = Settings(3);
    std::vector<std::string> games;
    settings.on_pgn = [&](const FinishedGame&, const std::string& pgn) { games.push_back(pgn); };
    const MatchResult result = Play(Fake(mode), kRandom, settings);
    EXPECT_EQ(result.total.games(), 6) << mode;
    int64_t faults = 0;
    for (const auto& [reason, count] : result.faults_of_a) faults += count;
    EXPECT_GE(faults, 5) << mode;
    // Its first two moves were played.
    EXPECT_NE(games[0].find("+0.36/3"), std::string::npos) << games[0];
  }
}

TEST(UciPlayer, PgnTellsTheFault) {
  const auto pgn_of = [](const std::string& mode) {
    MatchSettings settings = Settings(1);
    std::string first;
    settings.on_pgn = [&](const FinishedGame&, const std::string& pgn) {
      first = first.empty() ? pgn : first;
    };
    Play(Fake(mode), kRandom, settings);
    return first;
  };
  const std::string illegal = pgn_of("illegal");
  EXPECT_NE(illegal.find("[Result \"0-1\"]"), std::string::npos) << illegal;
  EXPECT_NE(illegal.find("[Termination \"illegal move\"]"), std::string::npos) << illegal;
  EXPECT_NE(illegal.find("[Fault \"White: played a1a1\"]"), std::string::npos) << illegal;
  EXPECT_NE(illegal.find("{illegal move} 0-1"), std::string::npos) << illegal;
  const std::string crash = pgn_of("crash");
  EXPECT_NE(crash.find("[Termination \"abandoned\"]"), std::string::npos) << crash;
  EXPECT_NE(crash.find("[Fault \"White: exit code 5\"]"), std::string::npos) << crash;
  EXPECT_NE(pgn_of("signal").find("[Fault \"White: signal 6"), std::string::npos);
}

TEST(UciPlayer, LosesOnTimeWhenItAnswersLateOrNever) {
  for (const char* const mode : {"hang", "info_flood"}) {
    Contestant fake = Fake(mode);
    fake.settings.limits.movetime_ms = 10;
    fake.settings.limits.margin_ms = 20;
    const MatchResult by_move = Play(fake, kRandom, Settings(1));
    EXPECT_EQ(by_move.faults_of_a, (Counts{{"time", 2}})) << mode;
    fake.settings.limits = {.clock = TimeControl{.base_ms = 10, .increment_ms = 1},
                            .margin_ms = 20};
    const MatchResult by_clock = Play(kRandom, fake, Settings(1));
    EXPECT_EQ(by_clock.faults_of_b, (Counts{{"time", 2}})) << mode;
  }
}

TEST(UciPlayer, LinesThatAreNoUciArePassedOver) {
  Contestant fake = Fake("garbage_line");
  fake.settings.engine.answer_timeout_ms = 10'000;
  EXPECT_EQ(Play(fake, kRandom, Settings(1)).faults_of_a, Counts());
}

TEST(UciPlayer, OddScoresArePassedOver) {
  MatchSettings settings = Settings(1);
  settings.max_plies = 6;
  std::string last;
  settings.on_pgn = [&](const FinishedGame&, const std::string& pgn) { last = pgn; };
  EXPECT_EQ(Play(Fake("odd_scores"), Fake("odd_scores"), settings).total.games(), 2);
  EXPECT_NE(last.find("{+0.12/7 "), std::string::npos) << last;
  EXPECT_EQ(last.find("{+9"), std::string::npos) << last;
  EXPECT_NE(last.find(", n=40}"), std::string::npos) << last;
}

TEST(UciPlayer, AnEngineThatFailsBetweenGamesLosesTheNext) {
  const MatchResult dead = Play(Fake("dies_on_new_game"), kRandom, Settings(1));
  EXPECT_EQ(dead.faults_of_a, (Counts{{"crash", 2}}));
  Contestant silent = Fake("silent_on_new_game");
  silent.settings.engine.start_timeout_ms = 1000;
  MatchSettings settings = Settings(1);
  settings.games_of_pair = 1;
  EXPECT_EQ(Play(silent, kRandom, settings).faults_of_a, (Counts{{"hang", 1}}));
}

// What an InputError says; empty when there is none.
std::string Refusal(const Contestant& engine) {
  try {
    Play(engine, kRandom, Settings(1));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(UciPlayer, OnlyAnEngineThatDoesNotStartEndsTheMatch) {
  const auto expect = [](const std::string& arguments, const std::string& what) {
    Contestant fake = Fake(arguments);
    fake.settings.engine.start_timeout_ms = 200;
    const std::string said = Refusal(fake);
    EXPECT_NE(said.find(what), std::string::npos) << arguments << ": " << said;
  };
  expect("says_nothing", "did not answer uci with uciok: no answer in time");
  expect("no_readyok", "did not answer isready with readyok");
  Contestant exits = Fake("exits_at_once");
  EXPECT_NE(Refusal(exits).find("exit code 3, 'no such luck'"), std::string::npos)
      << Refusal(exits);
  EXPECT_NE(Refusal(Fake("dies_on_uci")).find("signal 6"), std::string::npos);
  const std::string variants = Refusal(Fake("other_variants"));
  EXPECT_NE(variants.find("does not know the variant 'khans' (it knows chess, shogi"),
            std::string::npos)
      << variants;
  EXPECT_NE(Refusal(Fake("complains")).find("says: error: no such file"), std::string::npos);
  const std::string missing = Refusal({.spec = "uci:/no/such/engine"});
  EXPECT_NE(missing.find("'/no/such/engine' cannot be run: No such file"), std::string::npos)
      << missing;
}

TEST(UciPlayer, AnEngineThatCannotBeStartedAgainEndsTheMatchAsAFailure) {
  const std::string mark = testing::TempDir() + "fake_engine_started_" + std::to_string(getpid());
  std::filesystem::remove(mark);
  EXPECT_THROW(Play(Fake("starts_once 1 " + mark), kRandom, Settings(2)), RuntimeFailure);
  EXPECT_TRUE(std::filesystem::remove(mark));
}

TEST(UciPlayer, SetsOptionsAsTheEngineNamesThem) {
  Contestant fake = Fake("good");
  std::mutex mutex;
  std::vector<std::string> lines;
  fake.settings.engine.log = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
  };
  fake.settings.engine.options = {{"hash", "64"}, {"Skill level", "3"}};
  fake.settings.search.simulations = 7;
  MatchSettings settings = Settings(1);
  settings.max_plies = 6;
  Play(fake, kRandom, settings);
  const auto at = [&](const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) - lines.begin();
  };
  const auto end = static_cast<std::ptrdiff_t>(lines.size());
  EXPECT_LT(at("> setoption name UCI_Variant value khans"), at("> setoption name Hash value 64"));
  EXPECT_LT(at("> setoption name Hash value 64"), at("> setoption name Skill Level value 3"));
  EXPECT_LT(at("> setoption name Skill Level value 3"), at("> ucinewgame"));
  EXPECT_LT(at("> quit"), end);
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("> go nodes 7 searchmoves ");
  }));
  fake.settings.engine.options = {{"Contempt", "1"}};
  EXPECT_NE(Refusal(fake).find("has no option 'Contempt'; it has: Hash, Skill Level, UCI_Variant"),
            std::string::npos);
}

// The Serbest has settings that this engine has no option for.
TEST(UciPlayer, GivesTheLegalMovesWhereTheEngineOnlyApproximates) {
  for (const char* const game : {"khans", "serbest"}) {
    Contestant fake = Fake("good");
    fake.settings.engine.search_moves = SearchMoves::kAuto;
    const MatchResult result = Play(fake, kRandom, Settings(1), game);
    // Without a list this engine has no move to give.
    EXPECT_EQ(result.faults_of_a.count("illegal move"), std::string(game) == "khans" ? 1U : 0U);
  }
}

TEST(UciPlayer, ScoresAdjudicateWhereAsked) {
  MatchSettings settings = Settings(1);
  EXPECT_EQ(Play(Fake("losing"), kRandom, settings).endings.count("win by score"), 0U);
  settings.adjudication.resign = ResignRule{.centipawns = 800, .moves = 2};
  const MatchResult lost = Play(Fake("losing"), kRandom, settings);
  EXPECT_EQ(lost.endings, (Counts{{"win by score", 2}}));
  EXPECT_EQ(lost.total, (Tally{0, 0, 2}));
  settings.adjudication = {.draw = DrawRule{.centipawns = 5, .moves = 2, .from_move = 4}};
  const MatchResult level = Play(Fake("level"), Fake("level"), settings);
  EXPECT_EQ(level.endings, (Counts{{"draw by score", 2}}));
  // Moves 4 and 5 of both.
  EXPECT_EQ(level.average_plies(), 10.0);
}

TEST(UciPlayer, SeveralThreadsHaveAProcessEach) {
  MatchSettings settings = Settings(4);
  settings.threads = 3;
  EXPECT_EQ(Play(Fake("crash 4"), Fake("good"), settings).total.games(), 8);
}

TEST(UciPlayer, AStopDoesNotWaitForTheEngine) {
  MatchSettings settings = Settings(3);
  std::stop_source stop;
  settings.stop = stop.get_token();
  Contestant fake = Fake("hang 2");
  fake.settings.engine.answer_timeout_ms = 1'000'000;
  fake.settings.engine.log = [&](const std::string& line) {
    if (line.starts_with("< bestmove")) stop.request_stop();
  };
  EXPECT_EQ(Play(fake, kRandom, settings).total.games(), 0);
}

}  // namespace
}  // namespace khanzero
