// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether PGN games are what they claim to be: every game is replayed by our rules, and its result,
// its end and its tags are held against the board.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "env/types.h"
#include "play/pgn_reader.h"

namespace khanzero {

struct WrongPgnGame {
  std::string source{};  // the file
  int64_t game = 0;      // its place in the file, from 1
  int line = 0;
  std::string about{};  // "round 3.1, A - B"
  std::string what{};
};

struct PgnCheckReport {
  int64_t games = 0;
  int64_t plies = 0;
  std::map<std::string, int64_t> variants{};
  std::map<std::string, int64_t> results{};
  std::map<std::string, int64_t> terminations{};  // "none" where the tag is missing
  std::map<std::string, int64_t> endings{};       // by the board's reason; "off the board"
  std::vector<WrongPgnGame> wrong{};              // one entry a game: the first fault found
};

// Throws PgnFault for the first thing wrong with a game. `variant` is the game it must be; empty:
// its tag says so. Returns what ended the game on the board: kNone when the board left it open.
EndReason CheckPgnGame(const PgnRecord& game, const std::string& variant = "");

// Checks every game of `text` and adds what it finds to `report`. Throws InputError with the line
// when the text is no PGN.
void CheckPgn(std::string_view text, const std::string& source, const std::string& variant,
              PgnCheckReport& report);

// Several lines: totals, then each wrong game.
std::string ToText(const PgnCheckReport& report);
// One JSON object.
std::string ToJson(const PgnCheckReport& report);

}  // namespace khanzero
