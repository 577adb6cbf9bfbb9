// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/web_pgn.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "play/pgn_reader.h"

namespace khanzero {

namespace {

using Json = nlohmann::ordered_json;

Json Entry(const PgnRecord& game) {
  const auto tag = [&](const char* name) { return game.Tag(name).value_or(""); };
  Json moves = Json::array();
  Json comments = Json::array();
  for (const PgnMove& move : game.moves) {
    moves.push_back(move.text);
    comments.push_back(move.comment);
  }
  return {{"white", tag("White")},
          {"black", tag("Black")},
          {"event", tag("Event")},
          {"round", tag("Round")},
          {"date", tag("Date")},
          {"result", game.cut_off() ? "*" : game.result},
          {"variant", tag("Variant")},
          {"fen", tag("FEN")},
          {"kings_landing", tag("KingsLanding")},
          {"termination", tag("Termination")},
          {"ending", game.ending},
          {"moves", std::move(moves)},
          {"comments", std::move(comments)}};
}

}  // namespace

Json ListPgnGames(const std::vector<WebPgn>& pgns, size_t most_games) {
  Json games = Json::array();
  size_t left_out = 0;
  for (const WebPgn& pgn : pgns) {
    PgnReader reader(pgn.text, pgn.source);
    while (const auto game = reader.Next()) {
      if (games.size() < most_games) {
        games.push_back(Entry(*game));
      } else {
        ++left_out;
      }
    }
  }
  return {{"games", std::move(games)}, {"left_out", left_out}};
}

}  // namespace khanzero
