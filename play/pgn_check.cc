// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/pgn_check.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "env/games.h"
#include "play/pgn.h"
#include "play/pgn_replay.h"

namespace khanzero {

namespace {

std::string Quoted(const std::string& text) { return "'" + Printable(text.substr(0, 100)) + "'"; }

std::string VariantOf(const PgnRecord& game, const std::string& wanted) {
  const auto tag = game.Tag("Variant");
  const std::string variant = tag.value_or(wanted);
  if (variant.empty()) {
    throw PgnFault(game.line, "it has no Variant tag, and the game was not named");
  }
  const std::vector<std::string> known = GameNames();
  if (std::ranges::find(known, variant) == known.end()) {
    throw PgnFault(game.line,
                   "its Variant is " + Quoted(variant) + "; the games are " + GameNamesText());
  }
  if (!wanted.empty() && variant != wanted) {
    throw PgnFault(game.line, "its Variant is '" + variant + "', not '" + wanted + "'");
  }
  return variant;
}

// A tag that counts plies of the game.
void CheckCount(const PgnRecord& game, const std::string& name, size_t least, size_t most) {
  const auto text = game.Tag(name);
  if (!text) return;
  size_t count = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, count);
  if (error == std::errc{} && stop == end && count >= least && count <= most) return;
  throw PgnFault(game.line, name + " is " + Quoted(*text) + ", but the game has " +
                                std::to_string(game.moves.size()) + " moves");
}

// The result against what the board says of it.
void CheckResult(const PgnRecord& game, const Outcome& board) {
  const std::string tag = game.Tag("Result").value_or(game.result);
  const auto fail = [&](const std::string& what) {
    throw PgnFault(game.moves.empty() ? game.line : game.moves.back().line, what);
  };
  if (tag != game.result)
    fail("its tag Result is " + Quoted(tag) + ", but its moves end with '" + game.result + "'");
  const auto termination = game.Tag("Termination");
  if (termination &&
      std::ranges::find(kPgnTerminations, *termination) == std::end(kPgnTerminations)) {
    fail("its Termination is " + Quoted(*termination) + ", which is none of ours");
  }
  const std::string reason(Text(board.reason));
  if (board.over()) {
    if (game.result != Text(board.result)) {
      fail("its result is '" + game.result + "', but the board says '" +
           std::string(Text(board.result)) + "' (" + reason + ")");
    }
    if (termination && termination != "normal") {
      fail("its Termination is " + Quoted(*termination) + ", but the board ended it (" + reason +
           ")");
    }
    return;
  }
  const bool open = game.result == Text(Result::kOngoing);
  if (termination == "normal") {
    fail("its Termination is 'normal', but the board leaves the game open after the last move");
  }
  if (termination && open != (termination == "unterminated")) {
    fail("its result is '" + game.result + "', which does not go with Termination " +
         Quoted(*termination));
  }
}

// Where the comment before the result is a reason of ours, it is the board's.
void CheckEnding(const PgnRecord& game, const Outcome& board) {
  for (const EndReason reason :
       {EndReason::kCheckmate, EndReason::kStalemate, EndReason::kCampmate, EndReason::kKhan,
        EndReason::kRepetition, EndReason::kFiftyMoves}) {
    if (game.ending != Text(reason) || board.reason == reason) continue;
    throw PgnFault(game.moves.empty() ? game.line : game.moves.back().line,
                   "it is said to end by '" + game.ending + "', but the board says " +
                       (board.over() ? "'" + std::string(Text(board.reason)) + "'"
                                     : std::string("that it is open")));
  }
}

std::string AboutOf(const PgnRecord& game) {
  const auto tag = [&](const char* name) {
    return Printable(game.Tag(name).value_or("?").substr(0, 100));
  };
  return "round " + tag("Round") + ", " + tag("White") + " - " + tag("Black");
}

std::string CountsText(const std::map<std::string, int64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + Printable(name) + " " + std::to_string(count);
  }
  return text.empty() ? "-" : text;
}

}  // namespace

EndReason CheckPgnGame(const PgnRecord& game, const std::string& variant) {
  const std::string name = VariantOf(game, variant);
  const Outcome board =
      WithGame(name, [&]<class G>() -> Outcome { return ReplayPgn<G>(game).outcome; });
  if (game.cut_off()) {
    throw PgnFault(game.line, "it is cut off: there is no result after its moves");
  }
  CheckCount(game, "PlyCount", game.moves.size(), game.moves.size());
  CheckCount(game, "OpeningPlies", 0, game.moves.size());
  CheckResult(game, board);
  CheckEnding(game, board);
  return board.reason;
}

void CheckPgn(std::string_view text, const std::string& source, const std::string& variant,
              PgnCheckReport& report) {
  PgnReader reader(text, source);
  int64_t number = 0;
  while (const auto game = reader.Next()) {
    ++number;
    ++report.games;
    report.plies += static_cast<int64_t>(game->moves.size());
    ++report.variants[game->Tag("Variant").value_or("none")];
    ++report.results[game->cut_off() ? "none" : game->result];
    ++report.terminations[game->Tag("Termination").value_or("none")];
    try {
      const EndReason reason = CheckPgnGame(*game, variant);
      ++report.endings[reason == EndReason::kNone ? "off the board" : std::string(Text(reason))];
    } catch (const PgnFault& fault) {
      report.wrong.push_back({.source = source,
                              .game = number,
                              .line = fault.line(),
                              .about = AboutOf(*game),
                              .what = fault.what()});
    }
  }
}

std::string ToText(const PgnCheckReport& report) {
  std::string text;
  for (const WrongPgnGame& wrong : report.wrong) {
    text += wrong.source + ":" + std::to_string(wrong.line) + ": game " +
            std::to_string(wrong.game) + " (" + wrong.about + "): " + wrong.what + "\n";
  }
  text += "Games:        " + std::to_string(report.games) + " with " +
          std::to_string(report.plies) + " plies (" + CountsText(report.variants) + ")\n";
  text += "Results:      " + CountsText(report.results) + "\n";
  text += "Terminations: " + CountsText(report.terminations) + "\n";
  text += "Ended by:     " + CountsText(report.endings) + "\n";
  text += "Wrong:        " + std::to_string(report.wrong.size()) + "\n";
  return text;
}

std::string ToJson(const PgnCheckReport& report) {
  nlohmann::ordered_json json = {
      {"games", report.games},         {"plies", report.plies},
      {"sound", report.wrong.empty()}, {"variants", report.variants},
      {"results", report.results},     {"terminations", report.terminations},
      {"endings", report.endings},     {"wrong", nlohmann::ordered_json::array()}};
  for (const WrongPgnGame& wrong : report.wrong) {
    json["wrong"].push_back({{"file", wrong.source},
                             {"line", wrong.line},
                             {"game", wrong.game},
                             {"about", wrong.about},
                             {"what", wrong.what}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace khanzero
