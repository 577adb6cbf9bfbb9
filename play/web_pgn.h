// SPDX-License-Identifier: GPL-3.0-or-later
//
// The games of a PGN text as the page lists them.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace khanzero {

// A PGN text, and what errors call it.
struct WebPgn {
  std::string source{};
  std::string text{};
};

// {games: [{white, black, event, round, date, result, variant, fen, kings_landing, termination,
// ending, moves, comments}], left_out: N} of the first `most_games` games of all texts. Moves are
// not held against the rules here. A missing tag is an empty text. Throws InputError, naming the
// source and the line, when a text is no PGN.
nlohmann::ordered_json ListPgnGames(const std::vector<WebPgn>& pgns, size_t most_games);

}  // namespace khanzero
