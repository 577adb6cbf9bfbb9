// SPDX-License-Identifier: GPL-3.0-or-later
//
// The words every part of KhanZero shares: colours, results, why a game ended, and the value of a
// result for a side.
#pragma once

#include <cstdint>
#include <string_view>

namespace khanzero {

enum class Color : uint8_t { kWhite = 0, kBlack = 1 };

constexpr Color operator~(Color c) { return c == Color::kWhite ? Color::kBlack : Color::kWhite; }
constexpr int Index(Color c) { return static_cast<int>(c); }
constexpr std::string_view Name(Color c) { return c == Color::kWhite ? "white" : "black"; }

// A result is absolute: it names the winner, never "the side to move".
enum class Result : uint8_t { kOngoing = 0, kWhiteWins = 1, kBlackWins = 2, kDraw = 3 };

// Why a game ended. The rules give all but the last; the numbers are stored in game records.
enum class EndReason : uint8_t {
  kNone = 0,
  kCheckmate = 1,
  kStalemate = 2,
  kCampmate = 3,    // khans: king on its last rank
  kKhan = 4,        // serbest: king on its last rank
  kRepetition = 5,  // third occurrence
  kFiftyMoves = 6,
  kPlyCap = 7,  // cut off by the self-play length cap; not a result of the rules
};

struct Outcome {
  Result result = Result::kOngoing;
  EndReason reason = EndReason::kNone;

  constexpr bool over() const { return result != Result::kOngoing; }
  friend constexpr bool operator==(const Outcome&, const Outcome&) = default;
};

constexpr Result WinFor(Color side) {
  return side == Color::kWhite ? Result::kWhiteWins : Result::kBlackWins;
}

// "1-0", "0-1", "1/2-1/2" or "*".
constexpr std::string_view Text(Result result) {
  switch (result) {
    case Result::kWhiteWins:
      return "1-0";
    case Result::kBlackWins:
      return "0-1";
    case Result::kDraw:
      return "1/2-1/2";
    case Result::kOngoing:
      break;
  }
  return "*";
}

// "checkmate", ..., "fifty", "cap"; empty while the game goes on.
constexpr std::string_view Text(EndReason reason) {
  switch (reason) {
    case EndReason::kCheckmate:
      return "checkmate";
    case EndReason::kStalemate:
      return "stalemate";
    case EndReason::kCampmate:
      return "campmate";
    case EndReason::kKhan:
      return "khan";
    case EndReason::kRepetition:
      return "repetition";
    case EndReason::kFiftyMoves:
      return "fifty";
    case EndReason::kPlyCap:
      return "cap";
    case EndReason::kNone:
      break;
  }
  return "";
}

// Probabilities of win, draw and loss for one side; they sum to 1.
struct Wdl {
  float win = 0.0F;
  float draw = 0.0F;
  float loss = 0.0F;

  constexpr float value() const { return win - loss; }  // -1..1
  constexpr Wdl flipped() const { return {loss, draw, win}; }
};

// The one place where an absolute result becomes a value for a side. An unfinished game counts as a
// draw: callers that do not want that must look at the result first.
constexpr Wdl WdlFor(Result result, Color side) {
  if (result == Result::kDraw || result == Result::kOngoing) return {0.0F, 1.0F, 0.0F};
  return result == WinFor(side) ? Wdl{1.0F, 0.0F, 0.0F} : Wdl{0.0F, 0.0F, 1.0F};
}

}  // namespace khanzero
