// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matches of two players in pairs of games: the same opening twice, sides swapped. The referee is
// our own rules core. Many games run at once, so that players evaluate them in batches; how many
// changes nothing about the games.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "env/position.h"
#include "env/types.h"
#include "mcts/evaluator.h"
#include "play/match_statistics.h"
#include "play/player.h"

namespace khanzero {

// One side of a match: a spec (see kPlayerForms), or a network that is loaded already.
struct Contestant {
  std::string spec{};
  std::string name{};              // for reports; the player's own when empty
  Evaluator* evaluator = nullptr;  // instead of `spec`; must outlive the match, and needs threads 1
  PlayerSettings settings{};
};

struct MatchResult;

struct SprtSettings {
  double elo0 = 0.0;
  double elo1 = 10.0;
  double alpha = 0.05;
  double beta = 0.05;
  SprtModel model = SprtModel::kNormalized;
};

struct MatchSettings {
  int pairs = 50;
  uint64_t seed = 1;
  GameSettings game;
  std::string start_fen;  // empty: the game's own start
  int opening_plies = 4;  // random legal moves, the same in both games of a pair
  int max_plies = 600;    // of a game, opening included; then it is a draw by "cap"
  int concurrency = 64;   // games at once in each thread
  int threads = 1;
  std::optional<SprtSettings> sprt;  // ends the match when decided
  // Called after each game, by one thread at a time.
  std::function<void(const MatchResult&)> on_game;
  std::function<void(const std::string& pgn)> on_pgn;
  std::string date;      // of the games, for PGN: "2024.05.01"
  std::stop_token stop;  // ends the match early; games in play do not count
};

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
  int64_t plies = 0;

  int64_t pair_count() const;
  double average_plies() const;
  // Points of White a game, whoever played it.
  double white_score() const;
  // From the pairs; nothing before the first is finished.
  std::optional<MatchStatistics> Statistics() const;
};

// Plays a match. Throws InputError for a bad spec, a bad start or settings out of range, and when
// no opening is found that leaves the game open.
MatchResult PlayMatch(const std::string& game, const Contestant& a, const Contestant& b,
                      const MatchSettings& settings);

// The result as people read it, several lines; `conditions` is what stands in brackets ("800
// nodes").
std::string ResultText(const MatchResult& result, const MatchSettings& settings,
                       const std::string& conditions);
// One JSON object.
std::string ResultJson(const MatchResult& result, const MatchSettings& settings,
                       const std::string& conditions);

}  // namespace khanzero
