// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads PGN with moves in UCI notation: whatever pgn.h writes, and what other programs add to it
// (comments, NAGs, variations, which are skipped, escaped lines, CRLF). It knows the syntax alone;
// pgn_replay.h puts a game on the board.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace khanzero {

struct PgnMove {
  std::string text{};     // "e2e4", "N@e4"; marks such as "!?" and "+" are taken off
  std::string comment{};  // what is said of it, in one line
  int line = 0;
};

// A game as its text has it.
struct PgnRecord {
  int line = 0;                                             // of its first tag
  size_t begin = 0;                                         // its first byte
  size_t end = 0;                                           // behind its result
  std::vector<std::pair<std::string, std::string>> tags{};  // name, value
  std::vector<PgnMove> moves{};
  std::string ending{};  // the last comment between the last move and the result
  std::string result{};  // "1-0", "0-1", "1/2-1/2", "*"; empty when the game is cut off

  // A game that ends without a result: its writer was stopped while it wrote.
  bool cut_off() const { return result.empty(); }
  // The value of a tag, or nothing.
  std::optional<std::string> Tag(std::string_view name) const;
};

class PgnReader {
 public:
  // `text` must outlive the reader; `source` is what errors call it.
  PgnReader(std::string_view text, std::string source);

  // The next game, or nothing at the end. A game that is cut off by the text's end or by the tags
  // of another has no result; any other fault throws InputError: "SOURCE:LINE: what is wrong".
  std::optional<PgnRecord> Next();

 private:
  class Builder;

  bool AtEnd() const { return at_ == text_.size(); }
  [[noreturn]] void Fail(int line, const std::string& what) const;
  void Advance(size_t bytes);
  void SkipSpace();
  void SkipLine();
  bool ReadTag(std::string& name, std::string& value);
  bool ReadComment(std::string& comment);
  std::string_view ReadWord();

  std::string_view text_;
  std::string source_;
  size_t begin_ = 0;  // behind a byte order mark
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace khanzero
