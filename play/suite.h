// SPDX-License-Identifier: GPL-3.0-or-later
//
// Suites of positions: how many a player solves. A position asks for one of its best moves (bm),
// for none of its bad ones (am), for a result that the player reaches when it plays both sides to
// the end (result win, draw or loss, of the side to move), or for several of these.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "env/position.h"
#include "play/player.h"

namespace khanzero {

enum class SuiteResult { kWin, kDraw, kLoss };

struct SuitePosition {
  int line = 0;
  std::string id{};                  // what reports call it besides the line; may be empty
  std::string group{};               // positions of one group are counted together: "plies 3"
  std::string fen{};                 // empty: the game's own start
  std::vector<std::string> moves{};  // played from there
  GameSettings settings{};
  std::vector<std::string> best{};
  std::vector<std::string> avoid{};
  std::optional<SuiteResult> result{};
};

// Positions, one a line, as FEN or EPD with the operations bm, am, result, id, tag (its group) and
// kl (King's Landing), or in the form of the tactical suites: FEN;plies;best moves;King's Landing.
// `settings` are those of positions that do not say. Throws InputError: "SOURCE:LINE: ...".
std::vector<SuitePosition> ReadSuite(std::string_view text, const std::string& source,
                                     const GameSettings& settings);

struct SuiteSettings {
  std::string game;
  std::string player;  // see kPlayerForms
  PlayerSettings player_settings{};
  std::string source{};  // the file, for errors and reports
  uint64_t seed = 1;
  int concurrency = 64;  // positions at once
  int max_plies = 400;   // of a game that is played out; then it is a draw
  std::function<void(size_t done)> progress{};
  std::stop_token stop{};  // ends the run; positions that were not reached do not count
};

struct SuiteAnswer {
  SuitePosition position{};
  std::string move{};    // that was played first
  std::string ending{};  // of the game that was played out: "1-0 checkmate"; else empty
  bool solved = false;
};

struct SuiteReport {
  struct Share {
    int64_t solved = 0;
    int64_t total = 0;
    double value() const;  // 0..1; 0 when there is nothing
  };

  std::string game{};
  std::string player{};
  std::string source{};
  std::vector<SuiteAnswer> answers{};

  Share Total() const;
  std::map<std::string, Share> Groups() const;  // empty when no position has a group
};

// Throws InputError for a bad player, and for a position or a move that is not legal, with its
// line.
SuiteReport RunSuite(const std::vector<SuitePosition>& positions, const SuiteSettings& settings);

enum class SuiteDetail { kTotals, kUnsolved };
// Several lines; with kUnsolved also each position that was not solved.
std::string ToText(const SuiteReport& report, SuiteDetail detail);
// One JSON object, with every unsolved position.
std::string ToJson(const SuiteReport& report);

}  // namespace khanzero
