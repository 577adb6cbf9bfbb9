// SPDX-License-Identifier: GPL-3.0-or-later
//
// A PGN game on the board, by our rules.
#pragma once

#include <string>
#include <vector>

#include "env/error.h"
#include "env/game.h"
#include "play/pgn_reader.h"

namespace khanzero {

// A game breaks a rule; what() does not name the line.
class PgnFault : public InputError {
 public:
  PgnFault(int line, const std::string& what) : InputError(what), line_(line) {}
  int line() const { return line_; }

 private:
  int line_;
};

template <Game G>
struct ReplayedPgn {
  typename G::Position start;
  std::vector<Move> moves{};
  Outcome outcome{};  // of the position after the last move
};

// What both players agreed on, by the tag KingsLanding. Throws PgnFault.
template <Game G>
GameSettings PgnSettings(const PgnRecord& game) {
  GameSettings settings;
  const auto landing = game.Tag("KingsLanding");
  if (!landing) return settings;
  if (!G::kHasSettings) {
    throw PgnFault(game.line, "KingsLanding is not a setting of " + std::string(G::kName));
  }
  if (landing != "7" && landing != "8") {
    throw PgnFault(game.line, "KingsLanding is '" + Printable(landing->substr(0, 60)) +
                                  "'; it must be 7 or 8");
  }
  settings.kings_landing = (*landing)[0] - '0';
  return settings;
}

// The position of the tag FEN, or the game's own start. Throws PgnFault.
template <Game G>
typename G::Position PgnStart(const PgnRecord& game) {
  const GameSettings settings = PgnSettings<G>(game);
  const auto fen = game.Tag("FEN");
  if (!fen) {
    if (game.Tag("SetUp") == "1") throw PgnFault(game.line, "SetUp is 1, but there is no FEN");
    return G::Position::Start(settings);
  }
  try {
    return G::Position::FromFen(*fen, settings);
  } catch (const InputError& error) {
    throw PgnFault(game.line, error.what());
  }
}

// Plays every move. Throws PgnFault for the first that is not legal or comes after the game's end.
template <Game G>
ReplayedPgn<G> ReplayPgn(const PgnRecord& game) {
  ReplayedPgn<G> replayed{.start = PgnStart<G>(game)};
  GameState<G> state(replayed.start);
  replayed.outcome = state.position().ComputeOutcome();
  for (const PgnMove& move : game.moves) {
    const std::string ply = "ply " + std::to_string(replayed.moves.size() + 1) + ": ";
    if (replayed.outcome.over()) {
      throw PgnFault(move.line, ply + "the move '" + Printable(move.text.substr(0, 60)) +
                                    "' comes after the game's end (" +
                                    std::string(Text(replayed.outcome.reason)) + ")");
    }
    try {
      replayed.moves.push_back(G::TextToMove(state.position(), move.text));
    } catch (const InputError& error) {
      throw PgnFault(move.line, ply + error.what());
    }
    state.Play(replayed.moves.back());
    replayed.outcome = state.position().ComputeOutcome();
  }
  return replayed;
}

}  // namespace khanzero
