// SPDX-License-Identifier: GPL-3.0-or-later
//
// Moves in standard algebraic notation, as the reference engine writes it for both games: "Nf3",
// "exd5", "Rad1", "e8=Q", "O-O", "N@j10", with + for check and # for mate. A chess pawn has no
// letter; every other piece has its own, pawns of The Serbest too ("Pe4").
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/game.h"

namespace khanzero {

namespace san_internal {

template <Game G>
bool HasNoLetter(PieceType type) {
  return (G::Spec::kPieces[type].moves & kPawnPush) != 0;
}

template <Game G>
std::string PieceLetter(PieceType type) {
  return std::string(1, G::Spec::kPieces[type].LetterFor(Color::kWhite));
}

// What tells `move` from the moves of other pieces of its type onto its square.
template <Game G>
std::string Origin(const typename G::Position& position, const typename G::Moves& legal,
                   Move move) {
  using Geo = typename G::Position::Geo;
  bool others = false;
  bool same_file = false;
  bool same_rank = false;
  for (const Move& other : legal) {
    if (other.kind == MoveKind::kPlacement || other.kind == MoveKind::kCastle ||
        other.to != move.to || other.from == move.from ||
        position.type_on(other.from) != position.type_on(move.from)) {
      continue;
    }
    others = true;
    same_file = same_file || Geo::FileOf(other.from) == Geo::FileOf(move.from);
    same_rank = same_rank || Geo::RankOf(other.from) == Geo::RankOf(move.from);
  }
  const std::string square = SquareName<Geo>(move.from);
  if (!others) return "";
  if (!same_file) return square.substr(0, 1);
  return same_rank ? square : square.substr(1);
}

}  // namespace san_internal

// REQUIRES: `move` is legal.
template <Game G>
std::string SanText(const typename G::Position& position, Move move) {
  using Geo = typename G::Position::Geo;
  using san_internal::PieceLetter;
  typename G::Moves legal;
  position.LegalMoves(legal);
  std::string text;
  if (move.kind == MoveKind::kPlacement) {
    text = PieceLetter<G>(move.piece) + "@" + SquareName<Geo>(move.to);
  } else if (move.kind == MoveKind::kCastle) {
    text = move.to > move.from ? "O-O" : "O-O-O";
  } else {
    const PieceType type = position.type_on(move.from);
    const bool captures = position.type_on(move.to) != kNoPiece;
    if (!san_internal::HasNoLetter<G>(type)) {
      text = PieceLetter<G>(type) + san_internal::Origin<G>(position, legal, move);
    } else if (captures) {
      text = SquareName<Geo>(move.from).substr(0, 1);
    }
    text += (captures ? "x" : "") + SquareName<Geo>(move.to);
    if (move.kind == MoveKind::kPromotion) text += "=" + PieceLetter<G>(move.piece);
  }
  typename G::Position next = position;
  next.Play(move);
  if (next.InCheck()) text += next.WonByGoal() || next.CountLegalMoves() > 0 ? "+" : "#";
  return text;
}

// A line of moves in this notation. REQUIRES: each is legal in its turn.
template <Game G>
std::vector<std::string> SanLine(typename G::Position position, const std::vector<Move>& moves) {
  std::vector<std::string> texts;
  for (const Move& move : moves) {
    texts.push_back(SanText<G>(position, move));
    position.Play(move);
  }
  return texts;
}

// The parts of a move as a person may write it: more than is needed to tell it from others, or
// less than SanText() gives.
struct SanParts {
  bool castles = false;
  bool king_side = false;
  bool placement = false;
  std::optional<char> letter{};  // capital; nothing: a pawn
  std::optional<char> from_file{};
  std::string from_rank{};
  std::string to{};
  std::optional<char> promotion{};  // capital
};

// Nothing when `text` has not the form of a move. Signs at its end (+ # ! ?) and the x of captures
// are passed over.
inline std::optional<SanParts> ParseSan(std::string_view text) {
  while (!text.empty() && std::string_view("+#!?").find(text.back()) != text.npos) {
    text.remove_suffix(1);
  }
  SanParts parts;
  if (text == "O-O" || text == "0-0" || text == "O-O-O" || text == "0-0-0") {
    parts.castles = true;
    parts.king_side = text.size() == 3;
    return parts;
  }
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_file = [](char c) { return c >= 'a' && c <= 'z' && c != 'x'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!text.empty() && is_capital(text[0])) {
    parts.letter = text[0];
    text.remove_prefix(1);
  }
  if (!text.empty() && text[0] == '@') {
    parts.placement = true;
    text.remove_prefix(1);
  }
  if (!text.empty() && is_capital(text.back())) {
    parts.promotion = text.back();
    text.remove_suffix(1);
    if (text.ends_with('=')) text.remove_suffix(1);
  }
  // What is left is [file][rank][x]square: the square is the last letter and its digits.
  size_t rank_at = text.size();
  while (rank_at > 0 && is_digit(text[rank_at - 1])) --rank_at;
  if (rank_at == text.size() || rank_at == 0 || !is_file(text[rank_at - 1])) return std::nullopt;
  parts.to = text.substr(rank_at - 1);
  text.remove_suffix(parts.to.size());
  if (text.ends_with('x')) text.remove_suffix(1);
  if (!text.empty() && is_file(text[0])) {
    parts.from_file = text[0];
    text.remove_prefix(1);
  }
  if (!std::ranges::all_of(text, is_digit) || text.size() > 2) return std::nullopt;
  parts.from_rank = text;
  if (parts.placement && (parts.from_file || !text.empty())) return std::nullopt;
  return parts;
}

// The legal moves that `parts` may mean.
template <Game G>
std::vector<Move> MovesOf(const typename G::Position& position, const SanParts& parts) {
  using Geo = typename G::Position::Geo;
  typename G::Moves legal;
  position.LegalMoves(legal);
  std::vector<Move> found;
  for (const Move& move : legal) {
    if (parts.castles != (move.kind == MoveKind::kCastle) ||
        parts.placement != (move.kind == MoveKind::kPlacement)) {
      continue;
    }
    if (parts.castles) {
      if (parts.king_side == (move.to > move.from)) found.push_back(move);
      continue;
    }
    const PieceType type = parts.placement ? move.piece : position.type_on(move.from);
    const std::string from = SquareName<Geo>(move.from);
    const bool promotes = move.kind == MoveKind::kPromotion;
    if (SquareName<Geo>(move.to) == parts.to &&
        G::Spec::kPieces[type].LetterFor(Color::kWhite) == parts.letter.value_or('P') &&
        (!parts.from_file || from[0] == *parts.from_file) &&
        (parts.from_rank.empty() || from.substr(1) == parts.from_rank) &&
        promotes == parts.promotion.has_value() &&
        (!promotes || G::Spec::kPieces[move.piece].LetterFor(Color::kWhite) == *parts.promotion)) {
      found.push_back(move);
    }
  }
  return found;
}

}  // namespace khanzero
