// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/pgn_reader.h"

#include <algorithm>

#include "env/error.h"

namespace khanzero {

namespace {

// Whoever writes PGN has a few dozen; each is compared with those before it.
constexpr size_t kMostTags = 200;
constexpr size_t kLongestTagName = 255;

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsResult(std::string_view word) {
  return word == "1-0" || word == "0-1" || word == "1/2-1/2" || word == "*";
}

// Each run of white space as one blank, none at the ends.
std::string InOneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!IsSpace(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

void AddComment(std::string& comments, const std::string& comment) {
  if (comment.empty()) return;
  if (!comments.empty()) comments += ' ';
  comments += comment;
}

std::string Quoted(std::string_view text) { return "'" + Printable(text.substr(0, 60)) + "'"; }

// A word of the move text without the move number before it and the marks behind; nothing when it
// can be neither.
std::optional<std::string_view> MoveIn(std::string_view word) {
  const size_t number = std::min(
      static_cast<size_t>(std::ranges::find_if_not(word, IsDigit) - word.begin()), word.size());
  if (number == word.size()) return "";
  std::string_view move = word;
  if (number > 0 && word[number] != '.') return std::nullopt;
  move.remove_prefix(std::min(word.find_first_not_of('.', number), word.size()));
  move = move.substr(0, move.find_last_not_of("!?+#") + 1);
  if (move.empty()) return move;
  const auto may_be_in_move = [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '@' || c == '=' || c == '-';
  };
  if (!IsLetter(move[0]) || !std::ranges::all_of(move, may_be_in_move)) return std::nullopt;
  return move;
}

}  // namespace

// A game as far as it has been read.
class PgnReader::Builder {
 public:
  Builder(size_t at, int line) {
    game_.begin = at;
    game_.line = line;
  }

  bool has_moves() const { return !game_.moves.empty(); }
  size_t tag_count() const { return game_.tags.size(); }
  bool HasTag(std::string_view name) const { return game_.Tag(name).has_value(); }

  void AddTag(std::string name, std::string value) {
    game_.tags.emplace_back(std::move(name), std::move(value));
  }
  void AddMove(std::string_view text, int line) {
    FinishComments(comments_.size());
    game_.moves.push_back({.text = std::string(text), .line = line});
  }
  void AddComment(std::string comment) { comments_.push_back(std::move(comment)); }

  // `result` is empty when the game is cut off.
  PgnRecord Finish(std::string_view result, size_t end) {
    if (!result.empty() && !comments_.empty()) {
      game_.ending = comments_.back();
      comments_.pop_back();
    }
    FinishComments(comments_.size());
    game_.result = result;
    game_.end = end;
    return std::move(game_);
  }

 private:
  void FinishComments(size_t count) {
    for (size_t i = 0; i < count && has_moves(); ++i) {
      khanzero::AddComment(game_.moves.back().comment, comments_[i]);
    }
    comments_.clear();
  }

  PgnRecord game_;
  std::vector<std::string> comments_;  // since the last move
};

std::optional<std::string> PgnRecord::Tag(std::string_view name) const {
  for (const auto& [tag, value] : tags) {
    if (tag == name) return value;
  }
  return std::nullopt;
}

PgnReader::PgnReader(std::string_view text, std::string source)
    : text_(text), source_(std::move(source)) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) at_ = begin_ = kByteOrderMark.size();
}

void PgnReader::Fail(int line, const std::string& what) const {
  throw InputError(source_ + ":" + std::to_string(line) + ": " + what);
}

void PgnReader::Advance(size_t bytes) {
  const std::string_view passed = text_.substr(at_, bytes);
  line_ += static_cast<int>(std::ranges::count(passed, '\n'));
  at_ += passed.size();
}

void PgnReader::SkipLine() { Advance(std::min(text_.find('\n', at_), text_.size()) - at_); }

// Space, and lines that begin with '%'.
void PgnReader::SkipSpace() {
  while (!AtEnd()) {
    const bool at_line_start = at_ == begin_ || text_[at_ - 1] == '\n';
    if (text_[at_] == '%' && at_line_start) {
      SkipLine();
    } else if (IsSpace(text_[at_])) {
      Advance(1);
    } else {
      return;
    }
  }
}

// [Name "value"]; false when the text ends within.
bool PgnReader::ReadTag(std::string& name, std::string& value) {
  const int line = line_;
  const auto expect = [&](char c, const char* where) {
    SkipSpace();
    if (AtEnd()) return false;
    if (text_[at_] != c) Fail(line, std::string("'") + c + "' is missing " + where);
    Advance(1);
    return true;
  };
  Advance(1);
  SkipSpace();
  const size_t start = at_;
  while (!AtEnd() && (IsLetter(text_[at_]) || IsDigit(text_[at_]) || text_[at_] == '_')) ++at_;
  name = text_.substr(start, at_ - start);
  if (AtEnd()) return false;
  if (name.empty()) Fail(line, "a tag has no name after '['");
  if (name.size() > kLongestTagName) {
    Fail(line, "the tag " + name.substr(0, 60) + "... is too long");
  }
  if (!expect('"', ("before the value of the tag " + name).c_str())) return false;
  for (value.clear(); !AtEnd() && text_[at_] != '"'; Advance(1)) {
    if (text_[at_] == '\n') Fail(line, "the value of the tag " + name + " has no '\"' at its end");
    if (text_[at_] == '\\' && at_ + 1 < text_.size() &&
        (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\')) {
      ++at_;
    }
    value += text_[at_];
  }
  return expect('"', "after the value of a tag") &&
         expect(']', ("at the end of the tag " + name).c_str());
}

// {...} or ; to the end of the line; false when the text ends within.
bool PgnReader::ReadComment(std::string& comment) {
  const bool to_line_end = text_[at_] == ';';
  const size_t end = text_.find(to_line_end ? '\n' : '}', at_);
  comment = InOneLine(text_.substr(at_ + 1, std::min(end, text_.size()) - at_ - 1));
  Advance(std::min(end, text_.size()) - at_);
  if (!to_line_end) Advance(1);
  return end != std::string_view::npos || to_line_end;
}

std::string_view PgnReader::ReadWord() {
  constexpr std::string_view kEnds = "{}()[];$\"";
  const size_t start = at_;
  while (!AtEnd() && !IsSpace(text_[at_]) && kEnds.find(text_[at_]) == kEnds.npos) ++at_;
  return text_.substr(start, at_ - start);
}

std::optional<PgnRecord> PgnReader::Next() {
  std::optional<Builder> game;
  std::string name;
  std::string value;
  int depth = 0;  // of variations
  int variation_line = 0;
  for (SkipSpace(); !AtEnd(); SkipSpace()) {
    const size_t begin = at_;
    const int line = line_;
    const auto finish = [&](std::string_view result) { return game->Finish(result, at_); };
    const auto cut_off = [&] {
      if (!game) game.emplace(begin, line);
      return finish("");
    };
    const char c = text_[at_];
    if (c == '{' || c == ';') {
      if (!ReadComment(value)) return cut_off();
      if (game && depth == 0) game->AddComment(value);
    } else if (c == '[') {
      if (depth > 0) Fail(variation_line, "the variation that begins here has no ')'");
      if (game && game->has_moves()) return finish("");
      if (!ReadTag(name, value)) return cut_off();
      if (game && name == "Event" && game->HasTag(name)) {
        at_ = begin;
        line_ = line;
        return finish("");
      }
      if (game && game->HasTag(name)) Fail(line, "the tag " + name + " is there twice");
      if (game && game->tag_count() == kMostTags) {
        Fail(line, "the game has more than " + std::to_string(kMostTags) + " tags");
      }
      if (!game) game.emplace(begin, line);
      game->AddTag(name, value);
    } else if (!game) {
      Fail(line, "the tags of a game are expected, such as [Event \"?\"], not " +
                     Quoted(text_.substr(at_, std::min(text_.find('\n', at_), at_ + 20) - at_)));
    } else if (c == '(') {
      if (depth++ == 0) variation_line = line;
      Advance(1);
    } else if (c == ')') {
      if (depth-- == 0) Fail(line, "')' without a variation");
      Advance(1);
    } else if (c == '$') {
      Advance(1);
      ReadWord();
    } else if (c == '}' || c == ']' || c == '"') {
      Fail(line, std::string("'") + c + "' is out of place");
    } else if (const std::string_view word = ReadWord(); depth > 0) {
      // Variations are skipped.
    } else if (IsResult(word)) {
      return finish(word);
    } else if (const auto move = MoveIn(word); move && !move->empty()) {
      game->AddMove(*move, line);
    } else if (!move && !AtEnd()) {
      Fail(line, Quoted(word) + " is neither a move, a move's number nor a result");
    }
  }
  if (!game) return std::nullopt;
  return game->Finish("", at_);
}

}  // namespace khanzero
