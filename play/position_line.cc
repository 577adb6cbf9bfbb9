// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/position_line.h"

#include <algorithm>
#include <array>

#include "env/error.h"

namespace khanzero {

namespace {

struct Word {
  std::string text{};
  bool quoted = false;

  bool Is(std::string_view word) const { return !quoted && text == word; }
  bool is_number() const {
    return !quoted && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  }
};

// Words, texts in quotes, and ';' as a word of its own, up to a '#' at a word's start.
std::vector<Word> WordsOf(std::string_view line) {
  std::vector<Word> words;
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  for (size_t at = 0; at < line.size();) {
    const size_t start = at;
    if (is_space(line[at])) {
      ++at;
    } else if (line[at] == '#') {
      break;
    } else if (line[at] == ';') {
      words.push_back({.text = ";"});
      ++at;
    } else if (line[at] == '"') {
      const size_t end = line.find('"', at + 1);
      if (end == line.npos) throw InputError("a text in quotes has no '\"' at its end");
      words.push_back({.text = std::string(line.substr(at + 1, end - at - 1)), .quoted = true});
      at = end + 1;
    } else {
      while (at < line.size() && !is_space(line[at]) && line[at] != ';') ++at;
      words.push_back({.text = std::string(line.substr(start, at - start))});
    }
  }
  return words;
}

class LineParser {
 public:
  explicit LineParser(std::vector<Word> words) : words_(std::move(words)) {}

  PositionLine Parse() {
    if (words_[0].Is("startpos")) {
      ++at_;
    } else if (words_[0].text.find('/') != std::string::npos) {
      TakePosition();
    } else {
      TakeMoves();
      return line_;
    }
    if (at_ < words_.size() && words_[at_].Is("moves")) {
      ++at_;
      TakeMoves();
    }
    while (at_ < words_.size()) TakeOperation();
    ApplyCounts();
    return line_;
  }

 private:
  void TakePosition() {
    constexpr size_t kEpdFields = 4;
    for (; at_ < kEpdFields; ++at_) {
      if (at_ >= words_.size() || words_[at_].Is(";")) {
        throw InputError(
            "a position has at least 4 fields (placement, side to move, castling, en "
            "passant), here are " +
            std::to_string(at_));
      }
      line_.fen += (at_ == 0 ? "" : " ") + words_[at_].text;
    }
    for (size_t i = 0; i < 2; ++i) {
      if (at_ >= words_.size() || !words_[at_].is_number()) break;
      counts_[i] = words_[at_++].text;
    }
  }

  // Up to ';' or the end.
  void TakeMoves() {
    for (; at_ < words_.size() && !words_[at_].Is(";"); ++at_) {
      line_.moves.push_back(words_[at_].text);
    }
  }

  void TakeOperation() {
    if (words_[at_].Is(";")) {
      ++at_;
      return;
    }
    EpdOperation operation{.name = words_[at_++].text};
    for (; at_ < words_.size() && !words_[at_].Is(";"); ++at_) {
      operation.operands.push_back(words_[at_].text);
    }
    line_.operations.push_back(std::move(operation));
  }

  // EPD keeps the two counts in operations.
  void ApplyCounts() {
    if (line_.fen.empty()) return;
    for (size_t i = 0; i < 2; ++i) {
      const auto* const operands = line_.Operands(i == 0 ? "hmvc" : "fmvn");
      if (operands != nullptr && operands->size() == 1) counts_[i] = operands->front();
      line_.fen += " " + counts_[i];
    }
  }

  std::vector<Word> words_;
  size_t at_ = 0;
  PositionLine line_;
  std::array<std::string, 2> counts_ = {"0", "1"};  // half moves, full moves
};

}  // namespace

const std::vector<std::string>* PositionLine::Operands(std::string_view name) const {
  const auto found = std::ranges::find(operations, name, &EpdOperation::name);
  return found == operations.end() ? nullptr : &found->operands;
}

std::optional<PositionLine> ParsePositionLine(std::string_view text) {
  std::vector<Word> words = WordsOf(text);
  if (words.empty()) return std::nullopt;
  return LineParser(std::move(words)).Parse();
}

void ReadLines(std::string_view text, const std::string& source,
               const std::function<void(std::string_view line, int number)>& read) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    try {
      read(line, number);
    } catch (const InputError& error) {
      throw InputError(source + ":" + std::to_string(number) + ": " + error.what());
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace khanzero
