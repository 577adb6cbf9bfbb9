// SPDX-License-Identifier: GPL-3.0-or-later
//
// The game as a whole for the naive rules engine: history, endings, UCI text and perft.

#include "naive_rules.h"

#include <algorithm>
#include <stdexcept>

namespace khanzero::naive {

namespace {

constexpr char kKhansStart[] = "lhatkahl/ssssssss/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1";
constexpr char kSerbestStart[] =
    "10/10/10/10/10/10/10/10/10/10[KQRRBBNNPPPPPPSSkqrrbbnnppppppss] w - - 0 1";

Variant VariantNamed(const std::string& name) {
  if (name == "khans") return Variant::kKhans;
  if (name == "serbest") return Variant::kSerbest;
  throw std::invalid_argument("unknown variant '" + name + "', not khans or serbest");
}

// The side that has just moved has its king on its last rank.
bool IsWon(const Position& position) { return IsKingOnLastRank(position, !position.white_to_move); }

std::vector<Move> LegalMovesOf(const Position& position) {
  if (IsWon(position)) return {};
  return position.variant == Variant::kKhans ? KhansLegalMoves(position)
                                             : SerbestLegalMoves(position);
}

Position After(const Position& position, const Move& move) {
  Position after = position.variant == Variant::kKhans ? KhansAfter(position, move)
                                                       : SerbestAfter(position, move);
  after.white_to_move = !position.white_to_move;
  if (!position.white_to_move) ++after.fullmove_number;
  return after;
}

std::string UciText(const Move& move) {
  if (move.placed != 0) return std::string(1, move.placed) + "@" + SquareName(move.to);
  std::string text = SquareName(move.from) + SquareName(move.to);
  if (move.promotion != 0) text += move.promotion;
  return text;
}

uint64_t CountLeaves(const Position& position, int depth) {
  if (depth == 0) return 1;
  const std::vector<Move> moves = LegalMovesOf(position);
  if (depth == 1) return moves.size();
  uint64_t leaves = 0;
  for (const Move& move : moves) leaves += CountLeaves(After(position, move), depth - 1);
  return leaves;
}

}  // namespace

NaiveGame::NaiveGame(const Position& start) : position_(start) {}

NaiveGame NaiveGame::FromFen(const std::string& variant, const std::string& fen,
                             int kings_landing) {
  const Variant parsed = VariantNamed(variant);
  if (parsed == Variant::kSerbest && kings_landing != 7 && kings_landing != 8) {
    throw std::invalid_argument("the King's Landing is " + std::to_string(kings_landing) +
                                ", not 7 or 8");
  }
  return NaiveGame(ParseFen(parsed, fen, kings_landing));
}

NaiveGame NaiveGame::Start(const std::string& variant, int kings_landing) {
  const bool khans = VariantNamed(variant) == Variant::kKhans;
  return FromFen(variant, khans ? kKhansStart : kSerbestStart, kings_landing);
}

std::vector<std::string> NaiveGame::LegalMoves() const {
  std::vector<std::string> texts;
  for (const Move& move : LegalMovesOf(position_)) texts.push_back(UciText(move));
  std::sort(texts.begin(), texts.end());
  return texts;
}

bool NaiveGame::InCheck() const { return IsKingAttacked(position_, position_.white_to_move); }

bool NaiveGame::IsAttacked(int file, int rank, bool by_white) const {
  return naive::IsAttacked(position_, {file, rank}, by_white);
}

Ending NaiveGame::CurrentEnding() const {
  const std::string last_mover_wins = position_.white_to_move ? "0-1" : "1-0";
  if (IsWon(position_)) {
    return {last_mover_wins, position_.variant == Variant::kKhans ? "campmate" : "khan"};
  }
  if (LegalMovesOf(position_).empty()) {
    return {last_mover_wins, InCheck() ? "checkmate" : "stalemate"};
  }
  if (position_.halfmove_count >= 100) return {"1/2-1/2", "fifty"};
  if (Repetitions() >= 2) return {"1/2-1/2", "repetition"};
  return {"*", ""};
}

void NaiveGame::Play(const std::string& uci) {
  for (const Move& move : LegalMovesOf(position_)) {
    if (UciText(move) != uci) continue;
    earlier_keys_.push_back(RepetitionKey(position_));
    position_ = After(position_, move);
    return;
  }
  throw std::invalid_argument("'" + uci + "' is not a legal move in " + Fen());
}

std::string NaiveGame::Fen() const { return FormatFen(position_); }

int NaiveGame::Repetitions() const {
  return static_cast<int>(
      std::count(earlier_keys_.begin(), earlier_keys_.end(), RepetitionKey(position_)));
}

uint64_t Perft(const NaiveGame& game, int depth) { return CountLeaves(game.position_, depth); }

}  // namespace khanzero::naive
