// SPDX-License-Identifier: GPL-3.0-or-later
//
// FEN of both games for the naive rules engine: first each field is read by itself, then the
// position as a whole is held against the list of reasons to reject it.

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <system_error>

#include "naive_position.h"

namespace khanzero::naive {

namespace {

[[noreturn]] void Reject(const std::string& what) {
  throw std::invalid_argument("bad FEN: " + what);
}

void Require(bool condition, const std::string& what) {
  if (!condition) Reject(what);
}

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

std::string Quoted(const std::string& text) { return "'" + text + "'"; }

// Splits at every single separator, so that two in a row make an empty part.
std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == separator) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

bool IsKnownLetter(Variant variant, char letter) {
  const std::string kinds = variant == Variant::kKhans ? "pnbrqkstalh" : "kqrbnps";
  return kinds.find(Kind(letter)) != std::string::npos;
}

// A run of empty squares: a number from 1 to the board's width, without a leading zero. A longer
// run of digits can only be two numbers side by side or a number too large.
int ParseEmptyRun(const std::string& digits, int size, const std::string& where) {
  for (int number = 1; number <= size; ++number) {
    if (digits == std::to_string(number)) return number;
  }
  Reject(where + " has " + Quoted(digits) + " where one number from 1 to " + std::to_string(size) +
         " should be");
}

void ParseRank(const std::string& text, int rank, Position& position) {
  const std::string where = "rank " + std::to_string(rank + 1) + " of the placement";
  int file = 0;
  size_t i = 0;
  while (i < text.size()) {
    if (IsDigit(text[i])) {
      std::string digits;
      while (i < text.size() && IsDigit(text[i])) digits += text[i++];
      file += ParseEmptyRun(digits, position.size, where);
    } else {
      const char letter = text[i++];
      Require(IsKnownLetter(position.variant, letter),
              where + " has the unknown letter " + Quoted({letter}));
      Require(file < position.size, where + " is too long");
      position.Set({file, rank}, letter);
      ++file;
    }
  }
  Require(file <= position.size, where + " is too long");
  Require(file >= position.size, where + " is too short");
}

void ParsePlacement(const std::string& text, Position& position) {
  for (auto& rank : position.board) rank.fill(kEmpty);
  const std::vector<std::string> ranks = Split(text, '/');
  Require(static_cast<int>(ranks.size()) == position.size,
          "the placement has " + std::to_string(ranks.size()) + " ranks, not " +
              std::to_string(position.size));
  for (int i = 0; i < position.size; ++i) ParseRank(ranks[i], position.size - 1 - i, position);
}

// The letters between the brackets, brought into the hand's order.
std::string ParseHand(const std::string& letters) {
  if (letters == "-") return "";
  for (const char letter : letters) {
    Require(IsKnownLetter(Variant::kSerbest, letter),
            "the hand has the unknown letter " + Quoted({letter}));
  }
  std::string hand;
  for (const char piece : std::string(kHandOrder)) {
    hand.append(std::count(letters.begin(), letters.end(), piece), piece);
  }
  return hand;
}

void ParsePlacementAndHand(const std::string& text, Position& position) {
  if (position.variant == Variant::kKhans) {
    ParsePlacement(text, position);
    return;
  }
  const size_t opening = text.find('[');
  Require(opening != std::string::npos, "the hand in brackets is missing after the placement");
  Require(text.find(']') == text.size() - 1, "the hand does not end with its one ']'");
  ParsePlacement(text.substr(0, opening), position);
  position.hand = ParseHand(text.substr(opening + 1, text.size() - opening - 2));
}

void ParseCastling(const std::string& text, Position& position) {
  const bool khans = position.variant == Variant::kKhans;
  const bool known = text == "-" || (khans && (text == "KQ" || text == "K" || text == "Q"));
  Require(known, "the castling field is " + Quoted(text));
  position.castle_king_side = text.find('K') != std::string::npos;
  position.castle_queen_side = text.find('Q') != std::string::npos;
}

// The rules set no limit to the counts; ours is this, so that the longest game cannot overflow
// them.
constexpr int kLargestCount = 1'000'000'000;

int ParseCount(const std::string& text, const std::string& name) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
  Require(digits, "the " + name + " is " + Quoted(text) + ", not a number");
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  Require(error == std::errc() && count <= kLargestCount,
          "the " + name + " is " + Quoted(text) + ", too large");
  return count;
}

int CountOnBoard(const Position& position, char piece) {
  int count = 0;
  for (const Square square : AllSquares(position)) count += position.At(square) == piece ? 1 : 0;
  return count;
}

void CheckKhansPieces(const Position& position) {
  Require(CountOnBoard(position, 'K') == 1, "White does not have exactly one king");
  Require(CountOnBoard(position, 'k') == 1, "Black does not have exactly one king");
  for (const Square square : AllSquares(position)) {
    const char piece = position.At(square);
    const std::string where = " on " + SquareName(square);
    Require(piece != 'p', "a black pawn" + where);
    Require(piece != 'S', "a white scout" + where);
    Require(piece != 'P' || (square.rank != 0 && square.rank != 7), "a pawn" + where);
    Require(piece != 's' || square.rank != 0, "a scout" + where);
  }
  const bool king_at_home = position.At({4, 0}) == 'K';
  Require(!position.castle_king_side || (king_at_home && position.At({7, 0}) == 'R'),
          "the castling right K without the king on e1 and a rook on h1");
  Require(!position.castle_queen_side || (king_at_home && position.At({0, 0}) == 'R'),
          "the castling right Q without the king on e1 and a rook on a1");
}

void CheckSerbestPieces(const Position& position) {
  for (const char piece : std::string(kHandOrder)) {
    const std::string full_hand = "kqrrbbnnppppppss";
    const auto most = std::count(full_hand.begin(), full_hand.end(), Kind(piece));
    const auto in_hand = std::count(position.hand.begin(), position.hand.end(), piece);
    Require(CountOnBoard(position, piece) + in_hand <= most, "more than " + std::to_string(most) +
                                                                 " of " + Quoted({piece}) +
                                                                 ", board and hand together");
  }
}

}  // namespace

Position ParseFen(Variant variant, const std::string& fen, int kings_landing) {
  const std::vector<std::string> fields = Split(fen, ' ');
  Require(fields.size() == 6, "it has " + std::to_string(fields.size()) + " fields, not 6");
  Position position;
  position.variant = variant;
  position.size = variant == Variant::kKhans ? 8 : 10;
  position.kings_landing = kings_landing;
  ParsePlacementAndHand(fields[0], position);
  Require(fields[1] == "w" || fields[1] == "b",
          "the side to move is " + Quoted(fields[1]) + ", not w or b");
  position.white_to_move = fields[1] == "w";
  ParseCastling(fields[2], position);
  Require(fields[3] == "-", "the en passant field is " + Quoted(fields[3]) + ", not -");
  position.halfmove_count = ParseCount(fields[4], "half-move count");
  position.fullmove_number = ParseCount(fields[5], "full-move number");
  Require(position.fullmove_number >= 1, "the full-move number is below 1");
  if (variant == Variant::kKhans) {
    CheckKhansPieces(position);
  } else {
    CheckSerbestPieces(position);
  }
  Require(!IsKingAttacked(position, !position.white_to_move), "the side not to move is in check");
  Require(!IsKingOnLastRank(position, position.white_to_move),
          "the side to move already has its king on its last rank");
  return position;
}

std::string RepetitionKey(const Position& position) {
  std::string text;
  for (int rank = position.size - 1; rank >= 0; --rank) {
    int empty_run = 0;
    for (int file = 0; file < position.size; ++file) {
      const char piece = position.At({file, rank});
      if (piece == kEmpty) {
        ++empty_run;
        continue;
      }
      if (empty_run > 0) text += std::to_string(empty_run);
      empty_run = 0;
      text += piece;
    }
    if (empty_run > 0) text += std::to_string(empty_run);
    if (rank > 0) text += '/';
  }
  if (position.variant == Variant::kSerbest) text += "[" + position.hand + "]";
  text += position.white_to_move ? " w " : " b ";
  if (position.castle_king_side) text += 'K';
  if (position.castle_queen_side) text += 'Q';
  if (!position.castle_king_side && !position.castle_queen_side) text += '-';
  return text;
}

std::string FormatFen(const Position& position) {
  return RepetitionKey(position) + " - " + std::to_string(position.halfmove_count) + " " +
         std::to_string(position.fullmove_number);
}

std::string SquareName(Square square) {
  return std::string(1, static_cast<char>('a' + square.file)) + std::to_string(square.rank + 1);
}

}  // namespace khanzero::naive
