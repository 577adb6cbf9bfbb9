// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matches of two players in pairs of games: the same opening twice, sides swapped. The referee is
// our own rules core: it judges every move and every end, and a player that fails loses the game it
// is playing. Many games run at once, so that players evaluate them in batches; how many changes
// nothing about the games, unless time is limited.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "env/position.h"
#include "mcts/evaluator.h"
#include "play/match_result.h"
#include "play/openings.h"
#include "play/player.h"
#include "play/referee.h"

namespace khanzero {

// One side of a match: a spec (see kPlayerForms), or a network that is loaded already.
struct Contestant {
  std::string spec{};
  std::string name{};              // for reports; the player's own when empty
  Evaluator* evaluator = nullptr;  // instead of `spec`; must outlive the match, and needs threads 1
  PlayerSettings settings{};
};

// What reports and PGN call it. Throws InputError for a bad spec.
std::string NameOf(const Contestant& contestant);

struct SprtSettings {
  double elo0 = 0.0;
  double elo1 = 10.0;
  double alpha = 0.05;
  double beta = 0.05;
  SprtModel model = SprtModel::kNormalized;
};

enum class SprtVerdict { kOpen, kElo0, kElo1 };

// Where the test stands: the log-likelihood ratio of `result` against its bounds.
struct SprtState {
  double ratio = 0.0;
  SprtBounds bounds;
  SprtVerdict verdict = SprtVerdict::kOpen;
};
// REQUIRES: a pair is finished.
SprtState StateOfSprt(const SprtSettings& settings, const MatchResult& result);

struct MatchSettings {
  int pairs = 50;
  int games_of_pair = 2;  // 1: each opening once, A as White; then there are no pair statistics
  uint64_t seed = 1;
  GameSettings game;
  std::string start_fen;     // empty: the game's own start
  OpeningSettings openings;  // the same in both games of a pair
  int max_plies = 600;       // of a game, opening included; then it is a draw by "cap"
  // Games at once in each thread; 0: kBatchedGames, or one after the other where a player is an
  // engine or has its time limited.
  int concurrency = 0;
  int threads = 1;
  std::optional<SprtSettings> sprt;  // ends the match when decided
  AdjudicationSettings adjudication;
  // Called after each game, by one thread at a time.
  std::function<void(const MatchResult&)> on_game;
  std::function<void(const FinishedGame&, const std::string& pgn)> on_pgn;  // before on_game
  std::function<void(const std::string&)> on_note;  // what a user may not expect, before it begins
  std::string date;                                 // of the games, for PGN: "2024.05.01"
  std::string identity;  // PGN's tag Match (see match_resume.h); none when empty
  // Is given the opening of each pair, as a line of an openings file, once and in any order.
  std::function<void(int64_t pair, const std::string& line)> on_opening;
  // Games of this match that were played before: they count and are not played again.
  std::vector<FinishedGame> played;
  std::stop_token stop;  // ends the match early; games in play do not count
};

inline constexpr int kBatchedGames = 64;

// Plays a match. Throws InputError for a bad spec, an engine that does not start, a bad start, bad
// openings or settings out of range, and when no opening is found that leaves the game open;
// RuntimeFailure when a device fails or an engine cannot be started again.
// No two of settings.played may be the same game of a pair.
MatchResult PlayMatch(const std::string& game, const Contestant& a, const Contestant& b,
                      const MatchSettings& settings);

}  // namespace khanzero
