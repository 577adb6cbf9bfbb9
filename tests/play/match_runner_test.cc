// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the referee asks of players and what it makes of their answers, with players that say what a
// test wants.
#include "play/match_runner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "env/games.h"

namespace khanzero {
namespace {

// Wins at once where it can; else plays its first move. `answer` may change what it says.
class ScriptedPlayer : public Player<Khans> {
 public:
  using Answer = std::function<void(const Turn<Khans>&, Choice&)>;

  explicit ScriptedPlayer(Answer answer) : answer_(std::move(answer)) {}
  const std::string& name() const override { return name_; }
  void ChooseMoves(std::span<const Turn<Khans>> turns, std::span<Move> moves) override {
    for (size_t i = 0; i < turns.size(); ++i) moves[i] = MoveIn(turns[i].game->position());
  }
  void Choose(std::span<const Turn<Khans>> turns, std::span<Choice> choices) override {
    for (size_t i = 0; i < turns.size(); ++i) {
      choices[i] = {.move = MoveIn(turns[i].game->position())};
      if (answer_) answer_(turns[i], choices[i]);
    }
  }

 private:
  static Move MoveIn(const Khans::Position& position) {
    Khans::Moves legal;
    position.LegalMoves(legal);
    for (const Move& move : legal) {
      if (position.IsGoalMove(move)) return move;
    }
    return legal[0];
  }

  std::string name_ = "scripted";
  Answer answer_;
};

struct Match {
  std::array<PlayerSettings, 2> players{};
  MatchSettings settings{};
  bool one_player = false;

  MatchResult Play(const ScriptedPlayer::Answer& a, const ScriptedPlayer::Answer& b = {}) {
    MatchResult result;
    if (settings.concurrency == 0) settings.concurrency = 1;
    const PairFactory<Khans> factory = [&] {
      return PlayerPair<Khans>{std::make_unique<ScriptedPlayer>(a),
                               one_player ? nullptr : std::make_unique<ScriptedPlayer>(b)};
    };
    MatchRunner<Khans>(factory, players, settings, result).Run();
    return result;
  }
};

Match ShortMatch() {
  Match match;
  match.settings.pairs = 2;
  match.settings.max_plies = 20;
  return match;
}

constexpr const char* kWhiteWins = "7k/3K4/8/8/8/8/8/8 w - - 0 1";

TEST(MatchRunner, AResultOnTheBoardComesBeforeEveryScore) {
  Match match = ShortMatch();
  match.settings.openings.plies = 0;
  match.settings.start_fen = kWhiteWins;
  match.settings.adjudication = {.resign = ResignRule{.centipawns = 1, .moves = 1},
                                 .draw = DrawRule{.centipawns = 30'000, .moves = 1}};
  const auto despair = [](const Turn<Khans>&, Choice& choice) {
    choice.report.centipawns = -20'000;
  };
  const MatchResult result = match.Play(despair, despair);
  EXPECT_EQ(result.endings, (std::map<std::string, int64_t>{{"campmate", 4}}));
  EXPECT_EQ(result.white_score(), 1.0);
}

TEST(MatchRunner, GivesTheMovesFromTheStart) {
  Match match = ShortMatch();
  const auto check = [](const Turn<Khans>& turn, Choice&) {
    GameState<Khans> game(*turn.start);
    for (const Move& move : turn.moves) game.Play(move);
    EXPECT_EQ(game.position().key(), turn.game->position().key());
    EXPECT_GE(turn.moves.size(), 4U);
  };
  EXPECT_EQ(match.Play(check, check).total.games(), 4);
}

// With one game at once a game is over before the next begins, and each has a number of its own.
TEST(MatchRunner, OneGameAtOnceMeansOne) {
  Match match = ShortMatch();
  std::vector<uint64_t> numbers;
  const auto note = [&](const Turn<Khans>& turn, Choice&) {
    if (numbers.empty() || numbers.back() != turn.game_number) numbers.push_back(turn.game_number);
  };
  EXPECT_EQ(match.Play(note, note).total.games(), 4);
  EXPECT_EQ(numbers.size(), 4U);
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

TEST(MatchRunner, OnePlayerMayPlayBothSides) {
  Match match = ShortMatch();
  match.one_player = true;
  match.settings.concurrency = 4;
  std::array<int, 2> turns{};
  const auto note = [&](const Turn<Khans>& turn, Choice&) {
    ++turns[static_cast<size_t>(turn.side)];
  };
  EXPECT_EQ(match.Play(note).total.games(), 4);
  EXPECT_GT(turns[0], 10);
  EXPECT_GT(turns[1], 10);
}

TEST(MatchRunner, TakesTimeOffTheClockAndAddsTheIncrement) {
  Match match = ShortMatch();
  match.settings.pairs = 1;
  match.settings.openings.plies = 0;
  match.players[0].limits.clock = TimeControl{.base_ms = 1000, .increment_ms = 100};
  std::vector<int64_t> left;
  const auto think = [&](const Turn<Khans>& turn, Choice& choice) {
    const UciLimits& limits = turn.limits;
    const bool white = turn.game->position().side_to_move() == Color::kWhite;
    left.push_back((white ? limits.white_time_ms : limits.black_time_ms).value_or(-1));
    EXPECT_EQ(white ? limits.white_increment_ms : limits.black_increment_ms, 100);
    // The other has no clock, and where time is given there is no limit of nodes.
    EXPECT_FALSE(white ? limits.black_time_ms : limits.white_time_ms);
    EXPECT_FALSE(limits.nodes);
    choice.elapsed = std::chrono::milliseconds(150);
  };
  const auto other = [](const Turn<Khans>& turn, Choice&) { EXPECT_EQ(turn.limits.nodes, 100); };
  match.Play(think, other);
  ASSERT_GE(left.size(), 20U);
  for (size_t move = 0; move < 10; ++move) {
    EXPECT_EQ(left[move], 1000 - 50 * static_cast<int64_t>(move));
  }
  EXPECT_EQ(left[10], 1000) << "the second game begins with a full clock";
}

TEST(MatchRunner, WhoeverOverstepsItsTimeLoses) {
  for (const bool by_clock : {false, true}) {
    Match match = ShortMatch();
    MoveLimits& limits = match.players[1].limits;
    limits.margin_ms = 10;
    if (by_clock) {
      limits.clock = TimeControl{.base_ms = 100};
    } else {
      limits.movetime_ms = 100;
    }
    const auto just_in_time = [](const Turn<Khans>&, Choice& choice) {
      choice.elapsed = std::chrono::milliseconds(110);
    };
    const auto late = [](const Turn<Khans>&, Choice& choice) {
      choice.elapsed = std::chrono::milliseconds(111);
    };
    EXPECT_EQ(match.Play({}, late).faults_of_b, (std::map<std::string, int64_t>{{"time", 4}}));
    if (!by_clock) {
      EXPECT_TRUE(match.Play({}, just_in_time).faults_of_b.empty());
    }
  }
}

TEST(MatchRunner, CountsGamesOfOneOpeningEachWhereAsked) {
  Match match = ShortMatch();
  match.settings.pairs = 5;
  match.settings.games_of_pair = 1;
  const MatchResult result = match.Play({});
  EXPECT_EQ(result.total.games(), 5);
  EXPECT_EQ(result.as_white.games(), 5);
  EXPECT_EQ(result.pair_count(), 0);
  EXPECT_EQ(result.unique_games.size(), 5U);
}

FinishedGame Finished(int64_t pair, Color side_of_a, Result result, const char* reason, int plies,
                      uint64_t key) {
  return {.round = {pair, side_of_a},
          .result = result,
          .reason = reason,
          .plies = plies,
          .moves_key = key};
}

TEST(MatchResult, CountsPairsInAnyOrder) {
  constexpr Color kWhite = Color::kWhite;
  constexpr Color kBlack = Color::kBlack;
  std::vector<FinishedGame> games = {
      Finished(0, kWhite, Result::kWhiteWins, "checkmate", 10, 1),
      Finished(0, kBlack, Result::kBlackWins, "campmate", 20, 2),
      Finished(1, kWhite, Result::kWhiteWins, "checkmate", 30, 3),
      Finished(1, kBlack, Result::kWhiteWins, "time", 40, 4),
      Finished(2, kWhite, Result::kDraw, "cap", 50, 5),
      Finished(2, kBlack, Result::kDraw, "cap", 50, 5),
      Finished(3, kWhite, Result::kBlackWins, "crash", 60, 6),
      Finished(3, kBlack, Result::kDraw, "fifty", 70, 7),
      Finished(9, kBlack, Result::kBlackWins, "checkmate", 80, 8),
  };
  for (int order = 0; order < 20; ++order) {
    MatchResult result;
    for (const FinishedGame& game : games) result.Add(game);
    EXPECT_EQ(result.pairs, (std::array<int64_t, 5>{0, 1, 2, 0, 1}));
    EXPECT_EQ(result.pairs_win_loss, 1);
    EXPECT_EQ(result.total, (Tally{4, 3, 2}));
    EXPECT_EQ(result.white(), (Tally{3, 3, 3}));
    EXPECT_EQ(result.faults_of_a, (std::map<std::string, int64_t>{{"crash", 1}, {"time", 1}}));
    EXPECT_EQ(result.unique_games.size(), 8U);
    EXPECT_EQ(result.half_pairs.size(), 1U);
    EXPECT_EQ(result.endings_by_side["checkmate"].white_wins, 2);
    EXPECT_EQ(result.LengthQuantile(0.0), 10);
    EXPECT_EQ(result.LengthQuantile(0.5), 50);
    EXPECT_EQ(result.LengthQuantile(1.0), 80);
    std::next_permutation(games.begin(), games.end(), [](const auto& a, const auto& b) {
      return std::pair(a.moves_key, a.round.side_of_a) < std::pair(b.moves_key, b.round.side_of_a);
    });
  }
}

TEST(MatchResult, RoundsAndResultsReadBack) {
  for (const Color side : {Color::kWhite, Color::kBlack}) {
    for (const int64_t pair : {int64_t{0}, int64_t{1}, int64_t{9'999'999}}) {
      const std::optional<Round> read = ParseRound(Text(Round{pair, side}));
      ASSERT_TRUE(read.has_value());
      EXPECT_EQ(read->pair, pair);
      EXPECT_EQ(read->side_of_a, side);
    }
  }
  EXPECT_EQ(Text(Round{11, Color::kBlack}), "12.2");
  for (const char* const text : {"", "1", "1.", ".1", "0.1", "-1.1", "1.0", "1.3", "1.11", "x.1",
                                 "1 .1", "1.1 ", "99999999999999999999.1"}) {
    EXPECT_FALSE(ParseRound(text).has_value()) << text;
  }
  for (const Result result : {Result::kWhiteWins, Result::kBlackWins, Result::kDraw}) {
    EXPECT_EQ(ParseResult(Text(result)), result);
  }
  for (const char* const text : {"", "*", "1-1", "1/2", "1-0 "}) {
    EXPECT_FALSE(ParseResult(text).has_value()) << text;
  }
}

TEST(MatchResult, EqualGamesHaveEqualKeysOnly) {
  const std::vector<Move> moves = {{.from = 1, .to = 2}, {.from = 3, .to = 4}};
  std::vector<Move> other = moves;
  EXPECT_EQ(MovesKey(7, moves), MovesKey(7, other));
  EXPECT_NE(MovesKey(8, moves), MovesKey(7, moves));
  other[1].kind = MoveKind::kPromotion;
  EXPECT_NE(MovesKey(7, moves), MovesKey(7, other));
  std::swap(other[0], other[1]);
  EXPECT_NE(MovesKey(7, std::vector{moves[1], moves[0]}), MovesKey(7, moves));
  EXPECT_NE(MovesKey(7, {}), MovesKey(7, moves));
}

}  // namespace
}  // namespace khanzero
