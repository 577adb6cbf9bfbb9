// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a match has given so far. Games are added one by one, in any order, so that a match that is
// resumed counts as if it had never stopped.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "env/move.h"
#include "env/types.h"
#include "play/match_statistics.h"

namespace khanzero {

// Results of the first player, A.
struct Tally {
  int64_t wins = 0;
  int64_t draws = 0;
  int64_t losses = 0;

  int64_t games() const { return wins + draws + losses; }
  // Points a game, 0..1; 0 when there is no game.
  double score() const;
  friend bool operator==(const Tally&, const Tally&) = default;
};

// Half the width of the 95 % interval of the points a game; 0 without games.
double ScoreError(const Tally& tally);

// Which game of a match: as PGN's tag Round has it, "12.1", the pair counted from 1 and the game of
// the pair, in the first of which A is White.
struct Round {
  int64_t pair = 0;  // from 0
  Color side_of_a = Color::kWhite;
};
std::string Text(const Round& round);
std::optional<Round> ParseRound(const std::string& text);

// Of "1-0", "0-1" and "1/2-1/2"; nothing for anything else.
std::optional<Result> ParseResult(std::string_view text);

// A game as it counts.
struct FinishedGame {
  Round round{};
  Result result = Result::kOngoing;
  std::string reason{};    // "checkmate", ..., "cap", "time", ...
  int plies = 0;           // opening included
  uint64_t moves_key = 0;  // equal for equal games: start and moves
};

// Of a game from the position with the key `start_key`.
uint64_t MovesKey(uint64_t start_key, std::span<const Move> moves);

// Endings of one reason.
struct EndingCount {
  int64_t white_wins = 0;
  int64_t draws = 0;
  int64_t black_wins = 0;

  int64_t games() const { return white_wins + draws + black_wins; }
};

struct MatchResult {
  std::string game;
  std::string name_a;
  std::string name_b;
  Tally total{};
  Tally as_white{};
  Tally as_black{};
  std::array<int64_t, 5> pairs{};            // LL, LD, DD + WL, WD, WW, of finished pairs
  int64_t pairs_win_loss = 0;                // the part of pairs[2] that is one win each
  std::map<std::string, int64_t> endings{};  // games by reason: "checkmate", ..., "cap"
  std::map<std::string, EndingCount> endings_by_side{};
  // Games that a player lost by a fault of its own, by reason.
  std::map<std::string, int64_t> faults_of_a{};
  std::map<std::string, int64_t> faults_of_b{};
  int64_t plies = 0;
  std::map<int, int64_t> lengths{};              // games by plies
  std::set<uint64_t> unique_games{};             // moves_key of each
  std::map<int64_t, FinishedGame> half_pairs{};  // by pair: its first finished game

  // Counts a game. REQUIRES: it is over.
  void Add(const FinishedGame& finished);

  int64_t pair_count() const;
  double average_plies() const;
  // The plies that a share (0..1) of the games do not exceed; 0 without games.
  int LengthQuantile(double share) const;
  // Points of White a game, whoever played it.
  double white_score() const;
  // Results of White, whoever played it.
  Tally white() const;
  // From the pairs; nothing before the first is finished.
  std::optional<MatchStatistics> Statistics() const;
};

}  // namespace khanzero
