// SPDX-License-Identifier: GPL-3.0-or-later
//
// Going on with a match that was stopped: what identifies it is written in each of its games, and
// the games that its PGN file holds are counted and not played again.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "play/match.h"

namespace khanzero {

// What must stay the same for games to belong to one match, by name.
class MatchIdentity {
 public:
  // Everything that decides the games: the players with their searches and limits, the game, the
  // openings, the seed, the rules of the end. A checkpoint counts by its content. Throws InputError
  // for a bad spec and for an openings file or a checkpoint that cannot be read.
  MatchIdentity(const std::string& game, const std::array<Contestant, 2>& players,
                const MatchSettings& settings);

  // "game=khans; a=greedy; ...", the value of the PGN tag Match.
  std::string Text() const;
  // What differs from the match of which `tag` is the Text(): "seed is 1 there and 2 here"; empty
  // when nothing does.
  std::string Difference(const std::string& tag) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

struct PlayedMatch {
  std::vector<FinishedGame> games{};
  size_t kept_bytes = 0;  // of the file; behind them stands a game that is cut off, or nothing
  int cut_line = 0;       // where that game begins; 0: there is none
};

// Reads the games of a match from its PGN; every one is checked by the rules. `names` are those of
// A and B. Throws InputError with the line for a game of another match, one that is wrong, and one
// that is there twice.
PlayedMatch ReadPlayedMatch(std::string_view pgn, const std::string& source,
                            const std::array<std::string, 2>& names, const MatchSettings& settings,
                            const MatchIdentity& identity);

}  // namespace khanzero
