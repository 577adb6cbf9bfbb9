// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/pgn.h"

#include <string_view>

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
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  size_t width_ = 0;
};

std::string_view TerminationOf(const Outcome& outcome) {
  if (!outcome.over()) return "unterminated";
  return outcome.reason == EndReason::kPlyCap ? "adjudication" : "normal";
}

}  // namespace

std::string ToPgn(const PgnGame& game) {
  std::string text;
  const std::string result(Text(game.outcome.result));
  AddTag(text, "Event", game.event);
  AddTag(text, "Site", "?");
  AddTag(text, "Date", game.date.empty() ? "????.??.??" : game.date);
  AddTag(text, "Round", game.round);
  AddTag(text, "White", game.white);
  AddTag(text, "Black", game.black);
  AddTag(text, "Result", result);
  AddTag(text, "Variant", game.variant);
  if (!game.start_fen.empty()) {
    AddTag(text, "SetUp", "1");
    AddTag(text, "FEN", game.start_fen);
  }
  if (game.kings_landing != 0) AddTag(text, "KingsLanding", std::to_string(game.kings_landing));
  AddTag(text, "Termination", TerminationOf(game.outcome));
  AddTag(text, "PlyCount", std::to_string(game.moves.size()));
  AddTag(text, "OpeningPlies", std::to_string(game.opening_plies));
  text += '\n';

  Words words;
  Color mover = game.first_mover;
  int number = game.first_move_number;
  for (size_t i = 0; i < game.moves.size(); ++i) {
    if (mover == Color::kWhite) {
      words.Add(std::to_string(number) + ".");
    } else if (i == 0) {
      words.Add(std::to_string(number) + "...");
    }
    words.Add(game.moves[i]);
    if (mover == Color::kBlack) ++number;
    mover = ~mover;
  }
  if (game.outcome.over()) words.Add("{" + std::string(Text(game.outcome.reason)) + "}");
  words.Add(result);
  return text + words.text() + "\n\n";
}

}  // namespace khanzero
