// SPDX-License-Identifier: GPL-3.0-or-later
//
// The games of a PGN text as the page lists them.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace khanzero {

// {games: [{white, black, event, round, date, result, variant, fen, kings_landing, termination,
// ending, moves, comments}], left_out: N}. Moves are not held against the rules here. A missing tag
// is an empty text. Throws InputError, naming `source` and the line, when the text is no PGN.
nlohmann::ordered_json ListPgnGames(std::string_view text, const std::string& source,
                                    size_t most_games);

}  // namespace khanzero
