// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lines of opening books and suites: a position as FEN or EPD, moves played from it, and EPD's
// operations.
//
//   FEN [moves MOVE...] [;] [OPERATION...]     FEN has six fields, or the first four (EPD)
//   startpos [moves MOVE...] [;] [OPERATION...]
//   MOVE...                                    from the start position
//
// An operation is "name operand...;", an operand a word or a text in quotes. '#' begins a comment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace khanzero {

struct EpdOperation {
  std::string name{};
  std::vector<std::string> operands{};
};

struct PositionLine {
  std::string fen{};                 // six fields; empty: the start position
  std::vector<std::string> moves{};  // played from there
  std::vector<EpdOperation> operations{};

  // The operands of the operation `name`, or nothing.
  const std::vector<std::string>* Operands(std::string_view name) const;
};

// Nothing for a line that is empty or a comment. Throws InputError for what is none of the forms;
// whether position and moves are legal is not looked at.
std::optional<PositionLine> ParsePositionLine(std::string_view text);

// Calls `read` with each line of `text`, without its end, and its number. An InputError that it
// throws gets "SOURCE:LINE: " before its text.
void ReadLines(std::string_view text, const std::string& source,
               const std::function<void(std::string_view line, int number)>& read);

}  // namespace khanzero
