// SPDX-License-Identifier: GPL-3.0-or-later
//
// Moves as people type them: in UCI notation ("e2e4", "N@e4") or SAN ("Nf3", "O-O"), and, for one
// that is not legal, the reason why not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "env/error.h"
#include "env/game.h"
#include "env/rules_detail.h"
#include "play/piece_names.h"
#include "play/san.h"

namespace khanzero {

// Why moves that somebody wanted to make are not legal. Texts are sentences without a full stop.
template <Game G>
class IllegalMove {
 public:
  using Position = typename G::Position;
  using Geo = typename Position::Geo;
  using Bits = typename Position::Bits;

  explicit IllegalMove(const Position& position)
      : position_(position), us_(position.side_to_move()) {}

  // Of a piece on the board; `promotion` is a small letter. REQUIRES: the move is not legal.
  std::string Explain(Square from, Square to, std::optional<char> promotion) const {
    const PieceType type = position_.type_on(from);
    if (type == kNoPiece) {
      return "there is no piece on " + Name(from) +
             (G::Spec::kHasHands ? "; pieces come from the hand as in N@e4" : "");
    }
    if (position_.color_on(from) != us_) {
      return "the " + On(from) + " is " + Side(~us_) + "'s, and it is " + Side(us_) + "'s move";
    }
    if (from == to) return "the " + On(from) + " has to go to another square";
    if (IsCastling(from, to, type)) return ExplainCastling(to);
    if (position_.type_on(to) != kNoPiece && position_.color_on(to) == us_) {
      return Side(us_) + "'s own " + On(to) + " is in the way";
    }
    if (const std::string text = ExplainReach(from, to, type); !text.empty()) return text;
    if (const std::string text = ExplainPromotion(from, to, type, promotion); !text.empty()) {
      return text;
    }
    return ExplainKing({.from = from, .to = to}, from);
  }

  // Of a piece in hand. REQUIRES: the placement is not legal.
  std::string ExplainPlacement(PieceType type, Square to) const {
    const std::string piece = PieceName<G>(type);
    if (!G::Spec::kHasHands) return "no pieces are placed in this game";
    if (position_.in_hand(us_, type) == 0) return Side(us_) + " has no " + piece + " in hand";
    if (position_.type_on(to) != kNoPiece) return Name(to) + " is taken by the " + On(to);
    if (type == G::Spec::kKing) {
      const int landing = position_.settings().kings_landing;
      const int own_rank = Geo::RankOf(Geo::Relative(us_, to)) + 1;
      if (own_rank > landing) {
        return "the king is placed on " + Side(us_) + "'s ranks " +
               std::to_string(Geo::OwnRank(us_, 0) + 1) + " to " +
               std::to_string(Geo::OwnRank(us_, landing - 1) + 1) + " (King's Landing)";
      }
      if (const auto attacker = AttackerOf(position_, to, ~us_)) {
        return "the king may not be placed on " + Name(to) + ", which the " + On(*attacker) +
               " attacks";
      }
    }
    const Square enemy = position_.king(~us_);
    const Bits near = enemy == kNoSquare ? Bits{0} : Position::Tables::KingSteps(enemy);
    Position placed = position_;
    placed.Play({.from = to, .to = to, .piece = type, .kind = MoveKind::kPlacement});
    if (type != G::Spec::kKing && (near & Geo::Bit(to)) != 0 && placed.InCheck()) {
      return "a placed piece may not give check from a square next to the king";
    }
    return ExplainKing({.from = to, .to = to, .piece = type, .kind = MoveKind::kPlacement}, to);
  }

 private:
  static std::string Name(Square square) { return SquareName<Geo>(square); }
  static std::string Side(Color side) { return side == Color::kWhite ? "White" : "Black"; }
  std::string On(Square square) const {
    return PieceName<G>(position_.type_on(square)) + " on " + Name(square);
  }

  // Where a piece of `type` on `from` goes by `patterns`, blockers minded.
  template <bool kCaptures>
  static Bits Reach(PieceType type, Color side, Square from, Bits occupied) {
    using rules_detail::Targets;
    Bits reach = 0;
    rules_detail::ForEachIndex<G::Spec::kPieces.size()>([&]<size_t kType>() {
      constexpr PieceSpec kPiece = G::Spec::kPieces[kType];
      constexpr uint16_t kPatterns = kCaptures ? kPiece.captures : kPiece.moves;
      if (type != kType) return;
      reach = side == Color::kWhite ? Targets<Geo, Color::kWhite, kPatterns>(from, occupied)
                                    : Targets<Geo, Color::kBlack, kPatterns>(from, occupied);
    });
    return reach;
  }

  // A piece of `side` that attacks `square`.
  static std::optional<Square> AttackerOf(const Position& position, Square square, Color side) {
    for (Bits pieces = position.pieces(side); pieces != 0;) {
      const Square from = PopLowest(pieces);
      const Bits reach = Reach<true>(position.type_on(from), side, from, position.occupied());
      if ((reach & Geo::Bit(square)) != 0) return from;
    }
    return std::nullopt;
  }

  std::string ExplainReach(Square from, Square to, PieceType type) const {
    const PieceSpec& piece = G::Spec::kPieces[type];
    const Bits target = Geo::Bit(to);
    const Bits all = position_.occupied();
    const bool captures = (all & target) != 0;
    const bool moves_there = (Reach<false>(type, us_, from, all) & target) != 0;
    const bool captures_there = (Reach<true>(type, us_, from, all) & target) != 0;
    if (captures ? captures_there : moves_there) return "";
    const std::string how = "the " + PieceName<G>(type) + " " + MovementText(piece);
    if (captures && moves_there) return "the " + On(from) + " cannot capture that way: " + how;
    if (!captures && captures_there) {
      return "the " + On(from) + " goes that way only to capture: " + how;
    }
    const bool on_empty_board =
        ((captures ? Reach<true>(type, us_, from, 0) : Reach<false>(type, us_, from, 0)) &
         target) != 0;
    Bits between = Position::Tables::Between(from, to) & all;
    if (on_empty_board && between != 0) {
      return "the way from " + Name(from) + " to " + Name(to) + " is blocked by the " +
             On(PopLowest(between));
    }
    return "the " + On(from) + " does not reach " + Name(to) + ": " + how;
  }

  std::string ExplainPromotion(Square from, Square to, PieceType type,
                               std::optional<char> promotion) const {
    const std::string_view choices = G::Spec::kPieces[type].promotes_to;
    const bool promotes = !choices.empty() && Geo::RankOf(to) == Geo::LastRank(us_);
    if (!promotes) {
      return promotion ? "the " + On(from) + " does not promote on " + Name(to) : "";
    }
    if (promotion && choices.find(*promotion) != choices.npos) return "";
    std::string moves;
    for (const char c : choices) {
      moves += (moves.empty() ? "" : ", ") + Name(from) + Name(to) + std::string(1, c);
    }
    return "the " + On(from) + " promotes on " + Name(to) + "; write " + moves;
  }

  static bool IsCastling(Square from, Square to, PieceType type) {
    return G::Spec::kHasCastling && type == G::Spec::kKing && from == 4 && (to == 6 || to == 2);
  }

  std::string ExplainCastling(Square to) const {
    const bool king_side = to == 6;
    const uint8_t right = king_side ? Position::kKingSide : Position::kQueenSide;
    if ((position_.castling() & right) == 0) {
      return "castling on that side is no longer allowed: the king or the rook has moved, or it "
             "never was";
    }
    for (Square s = king_side ? 5 : 1; s <= (king_side ? 6 : 3); ++s) {
      if (position_.type_on(s) != kNoPiece) {
        return "the " + On(s) + " stands between king and rook";
      }
    }
    for (Square s = king_side ? 4 : 2; s <= (king_side ? 6 : 4); ++s) {
      if (const auto attacker = AttackerOf(position_, s, ~us_)) {
        return s == 4
                   ? "the king does not castle out of check (the " + On(*attacker) + ")"
                   : "the king would pass " + Name(s) + ", which the " + On(*attacker) + " attacks";
      }
    }
    return "castling is not legal here";
  }

  // What `move`, which is right in all else, does to the mover's king.
  std::string ExplainKing(Move move, Square from) const {
    Position next = position_;
    next.Play(move);
    const Square king = next.king(us_);
    const auto attacker = king == kNoSquare ? std::nullopt : AttackerOf(next, king, ~us_);
    if (!attacker) return "the rules do not allow it here";
    const std::string by = PieceName<G>(next.type_on(*attacker)) + " on " + Name(*attacker);
    if (move.kind != MoveKind::kPlacement && position_.type_on(from) == G::Spec::kKing) {
      return "the king would be attacked on " + Name(king) + " by the " + by;
    }
    if (position_.InCheck()) {
      return Side(us_) + " is in check and would still be, by the " + by;
    }
    return "the " + On(from) + " is pinned: the " + by + " would attack the king";
  }

  const Position& position_;
  Color us_;
};

namespace typed_move_internal {

// "e9" and the like: a file and a rank, on this board or not. Removes it from the front of `text`.
inline std::optional<std::string> TakeAnySquare(std::string_view& text) {
  size_t size = 1;
  while (size < text.size() && text[size] >= '0' && text[size] <= '9') ++size;
  if (text.empty() || text[0] < 'a' || text[0] > 'z' || size == 1 || size > 4) return std::nullopt;
  std::string square(text.substr(0, size));
  text.remove_prefix(size);
  return square;
}

template <Game G>
Square SquareNamed(const std::string& name) {
  using Geo = typename G::Position::Geo;
  std::string_view rest = name;
  const std::optional<Square> square = TakeSquare<Geo>(rest);
  if (!square || !rest.empty()) {
    throw InputError("there is no square " + name + ": the board is a1 to " +
                     SquareName<Geo>(static_cast<Square>(Geo::kSquares - 1)));
  }
  return *square;
}

template <Game G>
PieceType PieceLettered(char letter) {
  std::string letters;
  for (size_t t = 0; t < G::Spec::kPieces.size(); ++t) {
    const char capital = G::Spec::kPieces[t].LetterFor(Color::kWhite);
    if (capital == letter) return static_cast<PieceType>(t);
    letters += {' ', capital};
  }
  throw InputError("there is no piece '" + Printable(std::string(1, letter)) +
                   "' in this game; the letters are" + letters);
}

// Nothing in SAN is legal: says why of the one piece that can be meant, or in general.
template <Game G>
std::string ExplainSan(const typename G::Position& position, const SanParts& parts) {
  if (parts.castles) {
    return G::Spec::kHasCastling && position.king(position.side_to_move()) == 4
               ? IllegalMove<G>(position).Explain(4, parts.king_side ? 6 : 2, std::nullopt)
               : "that king cannot castle";
  }
  const PieceType type = PieceLettered<G>(parts.letter.value_or('P'));
  const Square to = SquareNamed<G>(parts.to);
  if (parts.placement) return IllegalMove<G>(position).ExplainPlacement(type, to);
  auto pieces = position.pieces(position.side_to_move(), type);
  const std::string side = position.side_to_move() == Color::kWhite ? "White" : "Black";
  if (pieces == 0) return side + " has no " + PieceName<G>(type) + " on the board";
  if (PopCount(pieces) == 1) {
    const auto promotion = parts.promotion
                               ? std::optional(static_cast<char>(*parts.promotion - 'A' + 'a'))
                               : std::nullopt;
    return IllegalMove<G>(position).Explain(PopLowest(pieces), to, promotion);
  }
  return "no " + PieceName<G>(type) + " of " + side + "'s can go to " + parts.to;
}

}  // namespace typed_move_internal

// The legal move that `text` names. Throws InputError that says why it is none.
template <Game G>
Move ReadTypedMove(const typename G::Position& position, std::string_view text) {
  using namespace typed_move_internal;  // NOLINT(build/namespaces)
  typename G::Moves legal;
  position.LegalMoves(legal);
  std::string upper(text);
  if (upper.size() > 2 && upper[1] == '@' && upper[0] >= 'a' && upper[0] <= 'z') {
    upper[0] = static_cast<char>(upper[0] - 'a' + 'A');
  }
  for (const Move& move : legal) {
    if (G::MoveToText(move) == upper) return move;
  }
  const std::string quoted = "'" + Printable(text.substr(0, 60)) + "'";
  std::string_view rest = text;
  const auto from = TakeAnySquare(rest);
  const auto to = from ? TakeAnySquare(rest) : std::nullopt;
  if (to && (rest.empty() || (rest.size() == 1 && rest[0] >= 'a' && rest[0] <= 'z'))) {
    const auto promotion = rest.empty() ? std::nullopt : std::optional(rest[0]);
    throw InputError(
        quoted + " is not legal: " +
        IllegalMove<G>(position).Explain(SquareNamed<G>(*from), SquareNamed<G>(*to), promotion));
  }
  const std::optional<SanParts> parts = ParseSan(upper);
  if (!parts) {
    throw InputError(quoted + " is no move; write one as e2e4" +
                     (G::Spec::kHasHands ? " or N@e4" : ", e7e8q or Nf3"));
  }
  const std::vector<Move> found = MovesOf<G>(position, *parts);
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    throw InputError(quoted + " is not legal: " + ExplainSan<G>(position, *parts));
  }
  std::string choices;
  for (const Move& move : found) choices += (choices.empty() ? "" : ", ") + G::MoveToText(move);
  throw InputError(quoted + " can mean several moves: " + choices);
}

}  // namespace khanzero
