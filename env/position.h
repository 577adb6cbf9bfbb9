// SPDX-License-Identifier: GPL-3.0-or-later
//
// A position of a board game described by `Spec`: placement, hands, side to move, castling rights,
// counts, and a hash key kept as moves are played. It is a trivially copyable value; search and
// self-play copy it freely. Squares are absolute; the view is turned to the mover only in the
// encoder and in the policy index.
//
// A Spec (see khans.h, serbest.h and docs/add-a-game.md) gives: kName, kFiles, kRanks, kPieces (a
// std::array of PieceSpec), kKing (index of the royal piece), kStartFen, kMaxMoves, kHasHands,
// kHasCastling, kGoalReason, kRulesVersion, kEncodingVersion. spec_check.h holds it to what the
// rules core can do.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "env/bitboard.h"
#include "env/error.h"
#include "env/move.h"
#include "env/piece.h"
#include "env/random.h"
#include "env/spec_check.h"
#include "env/types.h"

namespace khanzero {

// What both players agree on before a game. It is saved with the game.
struct GameSettings {
  int kings_landing = 7;  // serbest: the king is placed on own ranks 1 to this; 7 or 8

  friend constexpr bool operator==(const GameSettings&, const GameSettings&) = default;
};

template <class Spec>
class FenReader;

template <class GameSpec>
class Position {
 public:
  using Spec = GameSpec;
  using Geo = Geometry<Spec::kFiles, Spec::kRanks>;
  using Bits = typename Geo::Bits;
  using Tables = AttackTables<Geo>;
  using Moves = MoveList<Spec::kMaxMoves>;
  static constexpr int kTypes = static_cast<int>(Spec::kPieces.size());
  static constexpr int kSquares = Geo::kSquares;
  static_assert(CheckSpec<Spec>());

  // Castling rights, White's only (no other side castles in these games).
  static constexpr uint8_t kKingSide = 1;
  static constexpr uint8_t kQueenSide = 2;

  static Position Start(const GameSettings& settings = {});
  // Throws InputError that says what is wrong with the FEN and where.
  static Position FromFen(std::string_view fen, const GameSettings& settings = {});
  std::string Fen() const;

  // All legal moves, in a fixed but unspecified order. None when the game is already won by a king
  // on its last rank. The 50-move rule and repetition do not matter here.
  void LegalMoves(Moves& moves) const;
  int CountLegalMoves() const;

  // Plays a move. REQUIRES: it is legal. Leaves repetitions() at 0: the caller that keeps the
  // game's history sets it (see GameHistory).
  void Play(Move move);

  bool InCheck() const;
  // The side that just moved has brought its king to its last rank.
  bool WonByGoal() const;
  // The mover's king steps onto its last rank: such a legal move wins at once.
  bool IsGoalMove(Move move) const {
    return move.kind == MoveKind::kNormal && move.from == king_[Index(side_)] &&
           Geo::RankOf(move.to) == Geo::LastRank(side_);
  }
  // The outcome, given whether there is a legal move. Mate, stalemate and the goal come before the
  // 50-move rule, and that before repetition.
  Outcome OutcomeGiven(bool has_legal_move) const;
  Outcome ComputeOutcome() const { return OutcomeGiven(CountLegalMoves() > 0); }

  Color side_to_move() const { return side_; }
  uint64_t key() const { return key_; }
  // The key computed anew; equal to key() always (tests hold us to it).
  uint64_t ComputeKey() const;
  // The rules' full state without the move number, hashed: what an evaluation may depend on.
  uint64_t EvaluationKey() const {
    return Mix64(key_ ^ (static_cast<uint64_t>(halfmove_clock_) << 8) ^ repetitions_);
  }
  uint32_t halfmove_clock() const { return halfmove_clock_; }
  uint32_t fullmove_number() const { return fullmove_number_; }
  uint8_t castling() const { return castling_; }
  GameSettings settings() const { return {.kings_landing = kings_landing_}; }
  // How often this position stood before in its game.
  int repetitions() const { return repetitions_; }
  void set_repetitions(int n) { repetitions_ = static_cast<uint8_t>(n < 255 ? n : 255); }

  Bits occupied() const { return by_color_[0] | by_color_[1]; }
  Bits pieces(Color c) const { return by_color_[Index(c)]; }
  Bits pieces(Color c, int type) const {
    return by_color_[Index(c)] & by_type_[static_cast<size_t>(type)];
  }
  int in_hand(Color c, int type) const {
    return hand_[static_cast<size_t>(Index(c))][static_cast<size_t>(type)];
  }
  // kNoSquare while the king is in hand (or was never there).
  Square king(Color c) const { return king_[Index(c)]; }
  // The type of the piece on a square, kNoPiece when empty.
  PieceType type_on(Square s) const {
    const uint8_t code = board_[s];
    return code == kNoPiece ? kNoPiece : static_cast<PieceType>(code >> 1);
  }
  Color color_on(Square s) const { return static_cast<Color>(board_[s] & 1); }
  // Every square that side's capture patterns reach, own pieces included.
  Bits AttackedBy(Color c) const {
    return c == Color::kWhite ? Attacked<Color::kWhite>(occupied())
                              : Attacked<Color::kBlack>(occupied());
  }

  friend bool operator==(const Position&, const Position&) = default;

 private:
  friend class FenReader<Spec>;

  static constexpr const PieceSpec& Piece(size_t type) { return Spec::kPieces[type]; }

  Position();

  void Put(Square s, Color c, PieceType type);
  void Remove(Square s);
  void SetHand(Color c, PieceType type, int count);

  template <Color kThem>
  Bits Attackers(Square s, Bits occupied) const;
  template <Color kThem>
  Bits Attacked(Bits occupied) const;
  template <uint16_t kPattern>
  Bits CapturingWith() const;

  // Reports every legal move to `sink`; see position_impl.h.
  template <Color kUs, class Sink>
  void Generate(Sink& sink) const;
  template <Color kUs, class Sink>
  void GenerateCastling(Bits attacked, Sink& sink) const;
  template <Color kUs, class Sink>
  void GeneratePlacements(Bits allowed, Sink& sink) const;
  template <Color kUs, size_t kType, class Sink>
  void GenerateType(Bits pieces, Bits mask, Sink& sink) const;
  template <Color kUs, size_t kType, class Sink>
  void GenerateSetWise(Bits pieces, Bits mask, Sink& sink) const;

  std::array<Bits, 2> by_color_{};
  std::array<Bits, Spec::kPieces.size()> by_type_{};
  uint64_t key_ = 0;
  uint32_t halfmove_clock_ = 0;
  uint32_t fullmove_number_ = 1;
  std::array<uint8_t, Geo::kSquares> board_;  // type * 2 + colour, kNoPiece when empty
  std::array<std::array<uint8_t, Spec::kPieces.size()>, 2> hand_{};
  std::array<Square, 2> king_ = {kNoSquare, kNoSquare};
  Color side_ = Color::kWhite;
  uint8_t castling_ = 0;
  uint8_t kings_landing_ = 7;
  uint8_t repetitions_ = 0;
};

}  // namespace khanzero
