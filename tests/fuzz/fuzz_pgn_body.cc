// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/error.h"
#include "play/pgn.h"
#include "play/pgn_check.h"
#include "play/pgn_reader.h"
#include "play/pgn_replay.h"
#include "tests/fuzz/fuzz_bodies.h"

namespace khanzero {

namespace {

// The games up to the text's end, or to the fault that ends the reading.
std::vector<PgnRecord> Read(std::string_view text) {
  std::vector<PgnRecord> games;
  PgnReader reader(text, "input");
  try {
    while (auto game = reader.Next()) games.push_back(std::move(*game));
  } catch (const InputError& error) {
    DemandReadable(error.what(), "input:");
  }
  return games;
}

std::vector<std::string> MovesOf(const PgnRecord& game) {
  std::vector<std::string> moves;
  for (const PgnMove& move : game.moves) moves.push_back(move.text);
  return moves;
}

void DemandSameMoves(const PgnRecord& a, const PgnRecord& b, const std::string& what) {
  DemandThat(MovesOf(a) == MovesOf(b) && a.result == b.result && a.ending == b.ending, what);
}

// A game's own bytes are that game, and a part of them is a game that is cut off.
void DemandOwnBytes(std::string_view text, const PgnRecord& game) {
  const std::string_view own = text.substr(game.begin, game.end - game.begin);
  const std::vector<PgnRecord> again = Read(own);
  DemandThat(again.size() == 1, "a game's bytes hold another number of games");
  DemandThat(again[0].tags == game.tags, "a game's tags differ when read again");
  DemandSameMoves(again[0], game, "a game's moves differ when read again");
  const std::vector<PgnRecord> part = Read(own.substr(0, own.size() - 1));
  DemandThat(part.size() <= 1 && (part.empty() || part[0].cut_off()),
             "a game without its last byte is not cut off");
}

Result ResultOf(const std::string& text) {
  for (const Result result : {Result::kWhiteWins, Result::kBlackWins, Result::kDraw}) {
    if (Text(result) == text) return result;
  }
  return Result::kOngoing;
}

// What is read and written and read is what was read. The comment before the result is only kept
// where the last move has one as well, or none.
void DemandWritten(const PgnRecord& game) {
  PgnGame written{.event = "fuzz", .outcome = {ResultOf(game.result), EndReason::kNone}};
  for (const PgnMove& move : game.moves) {
    written.moves.push_back(move.text);
    written.comments.push_back(move.comment);
  }
  written.ending = game.ending.empty() ? "none" : game.ending;
  const std::vector<PgnRecord> again = Read(ToPgn(written));
  DemandThat(again.size() == 1, "what was written has another number of games");
  DemandThat(MovesOf(again[0]) == MovesOf(game), "the moves differ when written");
  DemandThat(again[0].result == game.result, "the result differs when written");
  for (size_t i = 0; i < game.moves.size(); ++i) {
    DemandThat(again[0].moves[i].comment.size() == game.moves[i].comment.size(),
               "a comment differs when written: " + game.moves[i].comment);
  }
}

}  // namespace

InputWorth FuzzPgn(std::span<const uint8_t> input) {
  const std::string text(input.begin(), input.end());
  const std::vector<PgnRecord> games = Read(text);
  size_t end = 0;
  for (const PgnRecord& game : games) {
    DemandThat(game.begin >= end && game.end >= game.begin && game.end <= text.size(),
               "the games overlap");
    end = game.end;
    try {
      CheckPgnGame(game);
    } catch (const PgnFault& fault) {
      DemandReadable(fault.what(), "");
    }
    if (game.cut_off()) continue;
    DemandOwnBytes(text, game);
    DemandWritten(game);
  }
  return games.empty() ? InputWorth::kForget : InputWorth::kKeep;
}

}  // namespace khanzero
