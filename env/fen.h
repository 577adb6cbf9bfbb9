// SPDX-License-Identifier: GPL-3.0-or-later
//
// FEN in and out for every game: placement, the hand in brackets where the game has one, side to
// move, castling rights, en passant (always -), half-move count, full-move number. Every fault is
// refused with its place. Included by the source file of a game only.
#pragma once

#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "env/notation.h"
#include "env/position.h"
#include "env/rules_detail.h"

namespace khanzero {

template <class Spec>
class FenReader {
 public:
  using Pos = Position<Spec>;
  using Geo = typename Pos::Geo;

  FenReader(std::string_view fen, const GameSettings& settings) : fen_(fen) {
    if (settings.kings_landing != 7 && settings.kings_landing != 8) {
      throw InputError("kings_landing is " + std::to_string(settings.kings_landing) +
                       "; it must be 7 or 8");
    }
    position_.kings_landing_ = static_cast<uint8_t>(Spec::kHasHands ? settings.kings_landing : 7);
  }

  Pos Read() {
    SplitFields();
    ReadPlacement();
    if (Spec::kHasHands) ReadHand();
    CheckPieceLimits();
    ReadSide();
    ReadCastling();
    if (fields_[3] != "-") {
      Fail("the en passant field is '" + fields_[3] + "'; in this game it is always '-'");
    }
    position_.halfmove_clock_ = ReadNumber(fields_[4], "half-move count", 0);
    position_.fullmove_number_ = ReadNumber(fields_[5], "full-move number", 1);
    CheckKings();
    position_.key_ = position_.ComputeKey();
    return position_;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw InputError(Printable("bad " + std::string(Spec::kName) + " FEN: " + what +
                               "; the FEN is '" + std::string(fen_.substr(0, 300)) + "'"));
  }

  void SplitFields() {
    // Exactly one space between fields; two in a row leave an empty field, which is refused below.
    std::string field;
    for (const char c : fen_) {
      if (c != ' ') {
        field += c;
      } else {
        fields_.push_back(std::move(field));
        field.clear();
      }
    }
    fields_.push_back(std::move(field));
    static constexpr std::array<std::string_view, 6> kNames = {
        "placement",  "side to move",    "castling",
        "en passant", "half-move count", "full-move number"};
    if (fields_.size() < kNames.size()) {
      Fail("the " + std::string(kNames[fields_.size()]) + " field is missing (" +
           std::to_string(fields_.size()) + " of 6 fields found)");
    }
    if (fields_.size() > kNames.size()) {
      Fail("there are " + std::to_string(fields_.size()) + " fields, 6 are expected; '" +
           fields_[6] + "' is one too many");
    }
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].empty()) {
        Fail("the " + std::string(kNames[i]) +
             " field is empty (fields are separated by one space)");
      }
    }
    placement_ = fields_[0];
    const size_t bracket = placement_.find('[');
    if (Spec::kHasHands) {
      if (bracket == std::string::npos) Fail("the hand in brackets is missing after the placement");
      if (placement_.back() != ']') Fail("the hand is not closed with ']'");
      hand_ = placement_.substr(bracket + 1, placement_.size() - bracket - 2);
      placement_.resize(bracket);
    }
  }

  // The type and colour of a piece letter, or a failure that names its place.
  std::pair<PieceType, Color> ReadLetter(char c, const std::string& where) const {
    for (size_t t = 0; t < Spec::kPieces.size(); ++t) {
      const PieceSpec& piece = Spec::kPieces[t];
      for (const Color color : {Color::kWhite, Color::kBlack}) {
        if (c != piece.LetterFor(color)) continue;
        if (!(color == Color::kWhite ? piece.white_may_have : piece.black_may_have)) {
          Fail(std::string(Name(color)) + " cannot have the piece '" + c + "' (" + where + ")");
        }
        return {static_cast<PieceType>(t), color};
      }
    }
    Fail(std::string("unknown piece letter '") + c + "' (" + where + ")");
  }

  void ReadPlacement() {
    int rank = Geo::kRanks - 1;
    size_t start = 0;
    for (;; --rank) {
      size_t end = placement_.find('/', start);
      if (end == std::string::npos) end = placement_.size();
      if (rank < 0) {
        Fail("there are more than " + std::to_string(Geo::kRanks) + " ranks in the placement");
      }
      ReadRank(std::string_view(placement_).substr(start, end - start), rank);
      if (end == placement_.size()) break;
      start = end + 1;
    }
    if (rank != 0) {
      Fail("there are only " + std::to_string(Geo::kRanks - rank) + " ranks in the placement, " +
           std::to_string(Geo::kRanks) + " are expected");
    }
  }

  void ReadRank(std::string_view text, int rank) {
    const std::string where = "rank " + std::to_string(rank + 1);
    int file = 0;
    for (size_t i = 0; i < text.size();) {
      if (text[i] >= '0' && text[i] <= '9') {
        size_t end = i;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
        const std::string digits(text.substr(i, end - i));
        const int empty = digits.size() <= 2 && digits[0] != '0' ? std::stoi(digits) : 0;
        if (empty < 1 || empty > Geo::kFiles) {
          Fail("'" + digits + "' in " + where + " is not a number of empty squares from 1 to " +
               std::to_string(Geo::kFiles));
        }
        file += empty;
        i = end;
      } else {
        const auto [type, color] = ReadLetter(text[i], where);
        if (file < Geo::kFiles) PutPiece(Geo::SquareAt(file, rank), color, type);
        ++file;
        ++i;
      }
      if (file > Geo::kFiles) {
        Fail(where + " has more than " + std::to_string(Geo::kFiles) + " squares");
      }
    }
    if (file != Geo::kFiles) {
      Fail(where + " has " + std::to_string(file) + " squares instead of " +
           std::to_string(Geo::kFiles));
    }
  }

  void PutPiece(Square s, Color color, PieceType type) {
    const PieceSpec& piece = Spec::kPieces[type];
    const int rank = Geo::RankOf(s);
    if ((!piece.promotes_to.empty() && rank == Geo::LastRank(color)) ||
        (piece.never_on_first_rank && rank == Geo::OwnRank(color, 0))) {
      Fail(std::string("a '") + piece.LetterFor(color) + "' cannot stand on " + SquareName<Geo>(s));
    }
    position_.Put(s, color, type);
  }

  void ReadHand() {
    if (hand_ == "-") return;
    for (const char c : hand_) {
      const auto [type, color] = ReadLetter(c, "in the hand");
      const int held = position_.in_hand(color, type);
      if (held == kMostInHand) {
        Fail(std::string(Name(color)) + " has more than " + std::to_string(kMostInHand) + " '" + c +
             "' in hand");
      }
      position_.SetHand(color, type, held + 1);
    }
  }

  void CheckPieceLimits() const {
    for (const Color color : {Color::kWhite, Color::kBlack}) {
      for (size_t t = 0; t < Spec::kPieces.size(); ++t) {
        const PieceSpec& piece = Spec::kPieces[t];
        const int type = static_cast<int>(t);
        const int count = PopCount(position_.pieces(color, type)) + position_.in_hand(color, type);
        if (piece.hand_limit > 0 && count > piece.hand_limit) {
          Fail(std::string(Name(color)) + " has " + std::to_string(count) + " '" +
               piece.LetterFor(color) + "' on the board and in hand together, at most " +
               std::to_string(piece.hand_limit) + " are allowed");
        }
      }
      const int kings = PopCount(position_.pieces(color, Spec::kKing));
      if (!Spec::kHasHands && kings != 1) {
        Fail(std::string(Name(color)) + " has " + std::to_string(kings) +
             " kings, exactly one is needed");
      }
    }
  }

  void ReadSide() {
    if (fields_[1] != "w" && fields_[1] != "b") {
      Fail("the side to move is '" + fields_[1] + "'; it must be w or b");
    }
    position_.side_ = fields_[1] == "w" ? Color::kWhite : Color::kBlack;
  }

  void ReadCastling() {
    const std::string& field = fields_[2];
    if (field == "-") return;
    if (!Spec::kHasCastling) {
      Fail("the castling field is '" + field + "'; in this game it is always '-'");
    }
    if (field != "KQ" && field != "K" && field != "Q") {
      Fail("the castling field is '" + field + "'; it must be KQ, K, Q or -");
    }
    if constexpr (Spec::kHasCastling) {
      const auto holds = [&](Square s, int type) {
        return (position_.pieces(Color::kWhite, type) & Geo::Bit(s)) != 0;
      };
      for (const char c : field) {
        const Square corner = c == 'K' ? 7 : 0;
        if (!holds(4, Spec::kKing) || !holds(corner, Spec::kRook)) {
          Fail(std::string("the castling right '") + c + "' needs a white king on e1 and a white " +
               "rook on " + SquareName<Geo>(corner));
        }
        position_.castling_ |= c == 'K' ? Pos::kKingSide : Pos::kQueenSide;
      }
    }
  }

  uint32_t ReadNumber(const std::string& text, const std::string& name, uint32_t least) const {
    uint32_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range || (stop == end && value > kLargestNumber)) {
      Fail("the " + name + " '" + text + "' is too large, at most " +
           std::to_string(kLargestNumber) + " is allowed");
    }
    if (error != std::errc{} || stop != end) {
      Fail("the " + name + " '" + text + "' is not a number");
    }
    if (value < least) Fail("the " + name + " is " + text + ", at least 1 is needed");
    return value;
  }

  void CheckKings() const {
    const Color mover = position_.side_;
    const Square king = position_.king(mover);
    if (king != kNoSquare && Geo::RankOf(king) == Geo::LastRank(mover)) {
      Fail("the side to move already has its king on its last rank (" + SquareName<Geo>(king) +
           "), so the game was over a move ago");
    }
    Pos waiting = position_;
    waiting.side_ = ~mover;
    if (waiting.InCheck()) {
      Fail("the side not to move is in check (its king on " +
           SquareName<Geo>(position_.king(~mover)) + " can be captured)");
    }
  }

  // What the keys of a hand can tell apart.
  static constexpr int kMostInHand = static_cast<int>(rules_detail::Zobrist<Spec>::kHandCounts) - 1;
  // Leaves room for the longest game without overflow.
  static constexpr uint32_t kLargestNumber = 1'000'000'000;

  std::string_view fen_;
  std::vector<std::string> fields_;
  std::string placement_;
  std::string hand_;
  Pos position_;
};

template <class Spec>
Position<Spec> Position<Spec>::FromFen(std::string_view fen, const GameSettings& settings) {
  return FenReader<Spec>(fen, settings).Read();
}

template <class Spec>
std::string Position<Spec>::Fen() const {
  std::string text;
  for (int rank = Geo::kRanks - 1; rank >= 0; --rank) {
    int empty = 0;
    const auto flush = [&] {
      if (empty > 0) text += std::to_string(empty);
      empty = 0;
    };
    for (int file = 0; file < Geo::kFiles; ++file) {
      const Square s = Geo::SquareAt(file, rank);
      if (board_[s] == kNoPiece) {
        ++empty;
        continue;
      }
      flush();
      text += Spec::kPieces[type_on(s)].LetterFor(color_on(s));
    }
    flush();
    if (rank > 0) text += '/';
  }
  if constexpr (Spec::kHasHands) {
    text += '[';
    for (const Color color : {Color::kWhite, Color::kBlack}) {
      for (int t = 0; t < kTypes; ++t) {
        text.append(static_cast<size_t>(in_hand(color, t)),
                    Spec::kPieces[static_cast<size_t>(t)].LetterFor(color));
      }
    }
    text += ']';
  }
  text += side_ == Color::kWhite ? " w " : " b ";
  if (castling_ == 0) text += '-';
  if ((castling_ & kKingSide) != 0) text += 'K';
  if ((castling_ & kQueenSide) != 0) text += 'Q';
  text += " - " + std::to_string(halfmove_clock_) + " " + std::to_string(fullmove_number_);
  return text;
}

}  // namespace khanzero
