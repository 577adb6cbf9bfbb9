// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/pgn.h"

#include <sstream>
#include <string_view>

#include "env/error.h"

namespace khanzero {

namespace {

constexpr size_t kLineWidth = 80;

void AddTag(std::string& text, std::string_view name, std::string_view value) {
  text.append("[").append(name).append(" \"");
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  text += "\"]\n";
}

// Words in lines of at most kLineWidth.
class Words {
 public:
  void Add(const std::string& word) {
    if (width_ > 0 && width_ + 1 + word.size() > kLineWidth) {
      text_ += '\n';
      width_ = 0;
    }
    if (width_ > 0) {
      text_ += ' ';
      ++width_;
    }
    text_ += word;
    width_ += word.size();
  }
  // Breaks the comment at its spaces, which a line's end stands for as well.
  void AddComment(const std::string& comment) {
    std::istringstream parts(comment);
    std::string last = "{";
    bool first = true;
    for (std::string part; parts >> part; first = false) {
      for (char& c : part) {
        if (c == '}') c = ')';
        if (static_cast<unsigned char>(c) < 0x20) c = '?';
      }
      if (first) {
        last += part;
      } else {
        Add(last);
        last = part;
      }
    }
    Add(last + "}");
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  size_t width_ = 0;
};

std::string TerminationOf(const PgnGame& game) {
  if (!game.termination.empty()) return game.termination;
  if (!game.outcome.over()) return "unterminated";
  return game.outcome.reason == EndReason::kPlyCap ? "adjudication" : "normal";
}

std::string MoveText(const PgnGame& game) {
  Words words;
  Color mover = game.first_mover;
  int number = game.first_move_number;
  bool number_needed = true;  // of Black's move: at the start, and after a comment
  for (size_t i = 0; i < game.moves.size(); ++i) {
    if (mover == Color::kWhite) {
      words.Add(std::to_string(number) + ".");
    } else if (number_needed) {
      words.Add(std::to_string(number) + "...");
    }
    words.Add(game.moves[i]);
    number_needed = i < game.comments.size() && !game.comments[i].empty();
    if (number_needed) words.AddComment(game.comments[i]);
    if (mover == Color::kBlack) ++number;
    mover = ~mover;
  }
  const std::string ending =
      game.ending.empty() ? std::string(Text(game.outcome.reason)) : game.ending;
  if (!ending.empty()) words.AddComment(ending);
  words.Add(std::string(Text(game.outcome.result)));
  return words.text();
}

}  // namespace

std::string ToPgn(const PgnGame& game) {
  Check(game.comments.size() <= game.moves.size(), "a game has more comments than moves");
  std::string text;
  AddTag(text, "Event", game.event);
  AddTag(text, "Site", "?");
  AddTag(text, "Date", game.date.empty() ? "????.??.??" : game.date);
  AddTag(text, "Round", game.round);
  AddTag(text, "White", game.white);
  AddTag(text, "Black", game.black);
  AddTag(text, "Result", Text(game.outcome.result));
  AddTag(text, "Variant", game.variant);
  if (!game.start_fen.empty()) {
    AddTag(text, "SetUp", "1");
    AddTag(text, "FEN", game.start_fen);
  }
  if (game.kings_landing != 0) AddTag(text, "KingsLanding", std::to_string(game.kings_landing));
  if (!game.time_control.empty()) AddTag(text, "TimeControl", game.time_control);
  AddTag(text, "Termination", TerminationOf(game));
  AddTag(text, "PlyCount", std::to_string(game.moves.size()));
  AddTag(text, "OpeningPlies", std::to_string(game.opening_plies));
  for (const auto& [name, value] : game.more_tags) AddTag(text, name, value);
  return text + "\n" + MoveText(game) + "\n\n";
}

}  // namespace khanzero
