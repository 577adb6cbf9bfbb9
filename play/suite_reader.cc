// SPDX-License-Identifier: GPL-3.0-or-later
//
// The text of suites.
#include <algorithm>
#include <array>

#include "env/error.h"
#include "play/position_line.h"
#include "play/suite.h"

namespace khanzero {

namespace {

std::vector<std::string> SplitAt(char separator, std::string_view text) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.size() < 9 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

int LandingIn(const std::string& text) {
  if (text != "7" && text != "8") {
    throw InputError("King's Landing is '" + Printable(text.substr(0, 60)) +
                     "'; it must be 7 or 8");
  }
  return text[0] - '0';
}

// FEN;plies;best moves[;King's Landing], which no EPD looks like: its six fields are followed by a
// number alone.
std::optional<SuitePosition> AsTactic(std::string_view line, const GameSettings& settings) {
  const std::vector<std::string> parts = SplitAt(';', line);
  if (parts.size() < 3 || parts.size() > 4 || !IsNumber(parts[1])) return std::nullopt;
  SuitePosition position{.group = "plies " + parts[1], .fen = parts[0], .settings = settings};
  for (std::string& move : SplitAt(' ', parts[2])) {
    if (!move.empty()) position.best.push_back(std::move(move));
  }
  if (parts.size() == 4) position.settings.kings_landing = LandingIn(parts[3]);
  return position;
}

SuitePosition AsEpd(const PositionLine& line, const GameSettings& settings) {
  SuitePosition position{.fen = line.fen, .moves = line.moves, .settings = settings};
  for (const EpdOperation& operation : line.operations) {
    const auto one = [&]() -> const std::string& {
      if (operation.operands.size() == 1) return operation.operands.front();
      throw InputError("the operation " + Printable(operation.name) + " has " +
                       std::to_string(operation.operands.size()) + " operands; one is expected");
    };
    if (operation.name == "bm") position.best = operation.operands;
    if (operation.name == "am") position.avoid = operation.operands;
    if (operation.name == "id") position.id = one();
    if (operation.name == "tag") position.group = one();
    if (operation.name == "kl") position.settings.kings_landing = LandingIn(one());
    if (operation.name != "result") continue;
    constexpr std::array<std::string_view, 3> kNames = {"win", "draw", "loss"};
    const auto name = std::ranges::find(kNames, one());
    if (name == kNames.end()) {
      throw InputError("the result is '" + Printable(one().substr(0, 60)) +
                       "'; it must be win, draw or loss of the side to move");
    }
    position.result = static_cast<SuiteResult>(name - kNames.begin());
  }
  return position;
}

}  // namespace

std::vector<SuitePosition> ReadSuite(std::string_view text, const std::string& source,
                                     const GameSettings& settings) {
  std::vector<SuitePosition> suite;
  ReadLines(text, source, [&](std::string_view line, int number) {
    std::optional<SuitePosition> position = AsTactic(line, settings);
    if (!position) {
      const std::optional<PositionLine> parsed = ParsePositionLine(line);
      if (!parsed) return;
      position = AsEpd(*parsed, settings);
    }
    if (position->best.empty() && position->avoid.empty() && !position->result) {
      throw InputError(
          "the position asks for nothing: it has neither bm (best moves) nor am (bad moves) nor "
          "result");
    }
    position->line = number;
    suite.push_back(std::move(*position));
  });
  if (suite.empty()) throw InputError(source + " has no positions");
  return suite;
}

}  // namespace khanzero
