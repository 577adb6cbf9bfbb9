// SPDX-License-Identifier: GPL-3.0-or-later
//
// The referee of matches: pairs, openings, sides, ends and counts, with players of known results.
#include "play/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "env/games.h"
#include "play/match_report.h"

namespace khanzero {
namespace {

Contestant Named(const std::string& spec) { return {.spec = spec}; }

// White, whoever it is, wins at once.
constexpr const char* kWhiteWins = "7k/3K4/8/8/8/8/8/8 w - - 0 1";

MatchSettings Settings(int pairs) {
  MatchSettings settings;
  settings.pairs = pairs;
  settings.seed = 3;
  return settings;
}

int64_t EndingSum(const MatchResult& result) {
  int64_t sum = 0;
  for (const auto& [reason, count] : result.endings) sum += count;
  return sum;
}

TEST(Match, SwapsSidesInEachPair) {
  MatchSettings settings = Settings(6);
  settings.openings.plies = 0;
  settings.start_fen = kWhiteWins;
  const MatchResult result = PlayMatch("khans", Named("greedy"), Named("greedy"), settings);
  EXPECT_EQ(result.total, (Tally{6, 0, 6}));
  EXPECT_EQ(result.as_white, (Tally{6, 0, 0}));
  EXPECT_EQ(result.as_black, (Tally{0, 0, 6}));
  EXPECT_EQ(result.pairs, (std::array<int64_t, 5>{0, 0, 6, 0, 0}));
  EXPECT_EQ(result.pairs_win_loss, 6);
  EXPECT_EQ(result.white_score(), 1.0);
  EXPECT_EQ(result.endings, (std::map<std::string, int64_t>{{"campmate", 12}}));
  EXPECT_EQ(result.average_plies(), 1.0);
}

TEST(Match, ResultsDoNotTurnAroundWhenBlackBegins) {
  MatchSettings settings = Settings(4);
  settings.openings.plies = 0;
  settings.start_fen = "8/8/8/8/8/8/3k4/7K b - - 0 1";
  const MatchResult result = PlayMatch("khans", Named("greedy"), Named("greedy"), settings);
  EXPECT_EQ(result.as_white, (Tally{0, 0, 4}));
  EXPECT_EQ(result.as_black, (Tally{4, 0, 0}));
  EXPECT_EQ(result.white_score(), 0.0);
}

TEST(Match, TheStrongerPlayerWinsAfterOddAndEvenOpenings) {
  for (const char* const game : {"khans", "serbest"}) {
    for (const int plies : {0, 1, 2, 3}) {
      MatchSettings settings = Settings(8);
      settings.openings.plies = plies;
      const MatchResult ahead = PlayMatch(game, Named("greedy"), Named("random"), settings);
      EXPECT_GT(ahead.as_white.score(), 0.6) << game << plies;
      EXPECT_GT(ahead.as_black.score(), 0.6) << game << plies;
      const MatchResult behind = PlayMatch(game, Named("random"), Named("greedy"), settings);
      EXPECT_LT(behind.total.score(), 0.4) << game << plies;
    }
  }
}

TEST(Match, AlphaBetaBeatsRandom) {
  for (const char* const game : {"khans", "serbest"}) {
    const MatchResult result = PlayMatch(game, Named("alphabeta:2"), Named("random"), Settings(4));
    EXPECT_GE(result.total.score(), 0.9) << game;
  }
}

TEST(Match, CountsAgree) {
  for (const char* const game : {"khans", "serbest"}) {
    const MatchResult result = PlayMatch(game, Named("random"), Named("random"), Settings(25));
    EXPECT_EQ(result.total.games(), 50);
    EXPECT_EQ(result.pair_count(), 25);
    EXPECT_EQ(result.as_white.games(), 25);
    EXPECT_EQ(result.as_black.games(), 25);
    EXPECT_EQ(result.as_white.wins + result.as_black.wins, result.total.wins);
    EXPECT_EQ(EndingSum(result), 50);
    int64_t half_points = 0;
    for (size_t i = 0; i < 5; ++i) half_points += static_cast<int64_t>(i) * result.pairs[i];
    EXPECT_EQ(half_points, 2 * result.total.wins + result.total.draws);
    EXPECT_NEAR(result.Statistics()->score, result.total.score(), 1e-12);
  }
}

std::vector<std::string> GamesOf(const std::string& game, const MatchSettings& base,
                                 MatchResult* result = nullptr) {
  MatchSettings settings = base;
  std::vector<std::string> games;
  settings.on_pgn = [&](const FinishedGame&, const std::string& pgn) { games.push_back(pgn); };
  const MatchResult played = PlayMatch(game, Named("random"), Named("greedy"), settings);
  if (result != nullptr) *result = played;
  std::sort(games.begin(), games.end());
  return games;
}

TEST(Match, NeitherConcurrencyNorThreadsChangeTheGames) {
  for (const char* const game : {"khans", "serbest"}) {
    MatchSettings settings = Settings(7);
    MatchResult first;
    const auto games = GamesOf(game, settings, &first);
    EXPECT_EQ(games.size(), 14U);
    for (const auto& [concurrency, threads] : {std::pair{1, 1}, {2, 1}, {3, 2}, {64, 3}}) {
      settings.concurrency = concurrency;
      settings.threads = threads;
      MatchResult again;
      EXPECT_EQ(GamesOf(game, settings, &again), games);
      EXPECT_EQ(again.total, first.total);
      EXPECT_EQ(again.pairs, first.pairs);
      EXPECT_EQ(again.endings, first.endings);
    }
    settings.seed = 4;
    EXPECT_NE(GamesOf(game, settings), games);
  }
}

// The opening's moves, from "[OpeningPlies" on.
std::string FirstMove(const std::string& pgn) {
  const size_t at = pgn.find("\n1. ") + 4;
  return pgn.substr(at, pgn.find(' ', at) - at);
}

TEST(Match, AnOpeningThatEndsTheGameIsDrawnAgain) {
  MatchSettings settings = Settings(40);
  settings.openings.plies = 1;
  settings.start_fen = kWhiteWins;
  settings.max_plies = 60;
  for (const std::string& pgn : GamesOf("khans", settings)) {
    EXPECT_NE(FirstMove(pgn).back(), '8') << pgn;  // rank 8 would have been campmate
  }
}

TEST(Match, AStartThatHasNoOpenOpeningIsRefused) {
  MatchSettings settings = Settings(1);
  settings.openings.plies = 1;
  settings.start_fen = "7k/8/8/8/8/8/8/K5R1 w - - 99 1";  // the next ply ends the game
  EXPECT_THROW(PlayMatch("khans", Named("random"), Named("random"), settings), InputError);
}

TEST(Match, BothGamesOfAPairHaveTheSameOpening) {
  MatchSettings settings = Settings(10);
  std::map<std::string, std::string> first_moves;
  for (const std::string& pgn : GamesOf("serbest", settings)) {
    const size_t at = pgn.find("[Round \"") + 8;
    const std::string pair = pgn.substr(at, pgn.find('.', at) - at);
    const auto [known, is_new] = first_moves.emplace(pair, FirstMove(pgn));
    if (!is_new) {
      EXPECT_EQ(known->second, FirstMove(pgn));
    }
  }
  EXPECT_EQ(first_moves.size(), 10U);
}

TEST(Match, AGameCutOffIsADrawByTheCap) {
  MatchSettings settings = Settings(5);
  settings.max_plies = 10;
  const MatchResult result = PlayMatch("serbest", Named("random"), Named("random"), settings);
  EXPECT_EQ(result.total, (Tally{0, 10, 0}));
  EXPECT_EQ(result.endings, (std::map<std::string, int64_t>{{"cap", 10}}));
  EXPECT_EQ(result.average_plies(), 10.0);
  EXPECT_EQ(result.pairs[2], 5);
  EXPECT_EQ(result.pairs_win_loss, 0);
}

TEST(Match, TakesALoadedEvaluator) {
  UniformEvaluator evaluator(InfoOf<Khans>().shape);
  Contestant network;
  network.name = "uniform";
  network.evaluator = &evaluator;
  network.settings.search.simulations = 30;
  const MatchResult result = PlayMatch("khans", network, Named("random"), Settings(5));
  EXPECT_EQ(result.name_a, "uniform");
  EXPECT_EQ(result.total.games(), 10);
}

TEST(Match, StopsWhenAsked) {
  MatchSettings settings = Settings(1000);
  std::stop_source stop;
  settings.stop = stop.get_token();
  settings.concurrency = 4;
  settings.on_game = [&](const MatchResult& result) {
    if (result.total.games() >= 5) stop.request_stop();
  };
  const MatchResult result = PlayMatch("khans", Named("random"), Named("random"), settings);
  EXPECT_GE(result.total.games(), 5);
  EXPECT_LT(result.total.games(), 20);
}

TEST(Match, SprtEndsTheMatchEarly) {
  MatchSettings settings = Settings(1000);
  settings.sprt = SprtSettings{.elo0 = 0.0, .elo1 = 100.0};
  settings.concurrency = 8;
  const MatchResult result = PlayMatch("khans", Named("greedy"), Named("random"), settings);
  EXPECT_LT(result.total.games(), 400);
  EXPECT_NE(ResultText(result, settings, "").find("LLR: "), std::string::npos);
}

TEST(Match, ErrorsInAPlayersThreadReachTheCaller) {
  MatchSettings settings = Settings(4);
  settings.threads = 2;
  settings.on_pgn = [](const FinishedGame&, const std::string&) {
    throw RuntimeFailure("disk full");
  };
  EXPECT_THROW(PlayMatch("khans", Named("random"), Named("random"), settings), RuntimeFailure);
}

TEST(Match, RefusesBadSettings) {
  const auto play = [](auto change) {
    MatchSettings settings = Settings(1);
    change(settings);
    PlayMatch("khans", Named("random"), Named("random"), settings);
  };
  EXPECT_THROW(play([](MatchSettings& s) { s.pairs = 0; }), InputError);
  EXPECT_THROW(play([](MatchSettings& s) { s.openings.plies = -1; }), InputError);
  EXPECT_THROW(play([](MatchSettings& s) { s.max_plies = 4; }), InputError);
  EXPECT_THROW(play([](MatchSettings& s) { s.start_fen = "nonsense"; }), InputError);
  EXPECT_THROW(PlayMatch("chess", Named("random"), Named("random"), Settings(1)), InputError);
  EXPECT_THROW(PlayMatch("khans", Named("strong"), Named("random"), Settings(1)), InputError);
}

TEST(MatchReport, ReadsAsUsersKnowIt) {
  MatchResult result{.game = "khans", .name_a = "A", .name_b = "B"};
  result.total = {310, 208, 282};
  result.as_white = {200, 80, 120};
  result.as_black = {110, 128, 162};
  result.pairs = {20, 81, 172, 96, 31};
  result.pairs_win_loss = 87;
  result.endings = {{"checkmate", 500}, {"repetition", 300}};
  result.plies = 80000;
  const std::string text = ResultText(result, Settings(400), "800 nodes");
  EXPECT_EQ(text.find("Results of A vs B (khans, 800 nodes):\nElo: "), 0U) << text;
  for (const char* const part :
       {"DrawRatio: 43.0 %", "PairsRatio: 1.26",
        "Games: 800, Wins: 310, Losses: 282, Draws: 208, Points: 414.0 (51.8 %)",
        "Ptnml(0-2): [20, 81, 172, 96, 31], WL/DD Ratio: 1.02",
        "As White: 60.0 %, as Black: 43.5 %",
        "Endings: checkmate 500 repetition 300; average length 100.0 plies"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  const auto json = nlohmann::json::parse(ResultJson(result, Settings(400), "800 nodes"));
  EXPECT_EQ(json["total"]["wins"], 310);
  EXPECT_EQ(json["pairs"], (std::vector<int>{20, 81, 172, 96, 31}));
  EXPECT_TRUE(json["elo"].is_number());
}

TEST(MatchReport, AMatchWonByAllHasNoNumberForElo) {
  MatchResult result{.game = "khans", .name_a = "A", .name_b = "B"};
  result.total = {4, 0, 0};
  result.as_white = result.as_black = {2, 0, 0};
  result.pairs = {0, 0, 0, 0, 2};
  EXPECT_NE(ResultText(result, Settings(2), "").find("Elo: +inf +/- n/a"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(ResultJson(result, Settings(2), ""))["elo"].is_null());
}

}  // namespace
}  // namespace khanzero
