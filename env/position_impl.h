// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules core: definitions of Position's members, included only by the source file of a game,
// which instantiates them.
//
// Move generation is direct: the checkers and the pinned pieces are found once, and every move that
// is then generated is legal. A generator reports sets of squares to a sink; one sink counts them
// (perft's last ply, mate detection), one writes them into a list.
#pragma once

#include "env/position.h"
#include "env/rules_detail.h"

namespace khanzero {

template <class Spec>
Position<Spec>::Position() {
  static_assert(std::is_trivially_copyable_v<Position>);
  board_.fill(kNoPiece);
}

template <class Spec>
Position<Spec> Position<Spec>::Start(const GameSettings& settings) {
  return FromFen(Spec::kStartFen, settings);
}

template <class Spec>
void Position<Spec>::Put(Square s, Color c, PieceType type) {
  const auto code = static_cast<uint8_t>(type * 2 + Index(c));
  by_color_[Index(c)] |= Geo::Bit(s);
  by_type_[type] |= Geo::Bit(s);
  board_[s] = code;
  key_ ^= rules_detail::Zobrist<Spec>::kPieceKeys[code][s];
  if (type == Spec::kKing) king_[Index(c)] = s;
}

template <class Spec>
void Position<Spec>::Remove(Square s) {
  const uint8_t code = board_[s];
  by_color_[code & 1] ^= Geo::Bit(s);
  by_type_[code >> 1] ^= Geo::Bit(s);
  board_[s] = kNoPiece;
  key_ ^= rules_detail::Zobrist<Spec>::kPieceKeys[code][s];
}

template <class Spec>
void Position<Spec>::SetHand(Color c, PieceType type, int count) {
  uint8_t& held = hand_[static_cast<size_t>(Index(c))][type];
  const auto& keys =
      rules_detail::Zobrist<Spec>::kHandKeys[static_cast<size_t>(type * 2 + Index(c))];
  key_ ^= keys[held] ^ keys[static_cast<size_t>(count)];
  held = static_cast<uint8_t>(count);
}

template <class Spec>
uint64_t Position<Spec>::ComputeKey() const {
  using Keys = rules_detail::Zobrist<Spec>;
  uint64_t key = Keys::kCastlingKeys[castling_] ^ Keys::LandingKey(kings_landing_);
  if (side_ == Color::kBlack) key ^= Keys::kBlackToMove;
  for (size_t s = 0; s < board_.size(); ++s) {
    if (board_[s] != kNoPiece) key ^= Keys::kPieceKeys[board_[s]][s];
  }
  for (size_t c = 0; c < 2; ++c) {
    for (size_t t = 0; t < Spec::kPieces.size(); ++t)
      key ^= Keys::kHandKeys[t * 2 + c][hand_[c][t]];
  }
  return key;
}

template <class Spec>
template <uint16_t kPattern>
typename Position<Spec>::Bits Position<Spec>::CapturingWith() const {
  Bits set = 0;
  rules_detail::ForEachIndex<Spec::kPieces.size()>([&]<size_t kType>() {
    if constexpr ((Piece(kType).captures & kPattern) != 0) set |= by_type_[kType];
  });
  return set;
}

// Pieces of kThem whose capture patterns reach `s`. A pattern is followed backwards from `s`, so a
// forward pattern is that of the other colour.
template <class Spec>
template <Color kThem>
typename Position<Spec>::Bits Position<Spec>::Attackers(Square s, Bits occupied) const {
  Bits found = (Tables::KingSteps(s) & CapturingWith<kKingStep>()) |
               (Tables::KnightJumps(s) & CapturingWith<kKnightJump>()) |
               (Tables::DiagonalSteps(s) & CapturingWith<kDiagonalStep>()) |
               (Tables::ForwardKnight(~kThem, s) & CapturingWith<kForwardKnight>()) |
               (Tables::ForwardStep(~kThem, s) & CapturingWith<kForwardStep>()) |
               (Tables::ForwardDiagonals(~kThem, s) & CapturingWith<kForwardDiagonal>());
  const Bits rooks = CapturingWith<kRookSlide>() & by_color_[Index(kThem)];
  const Bits bishops = CapturingWith<kBishopSlide>() & by_color_[Index(kThem)];
  if (rooks & Tables::RookRays(s)) found |= Tables::Rook(s, occupied) & rooks;
  if (bishops & Tables::BishopRays(s)) found |= Tables::Bishop(s, occupied) & bishops;
  return found & by_color_[Index(kThem)];
}

template <class Spec>
template <Color kThem>
typename Position<Spec>::Bits Position<Spec>::Attacked(Bits occupied) const {
  using rules_detail::Shift;
  constexpr int kAhead = kThem == Color::kWhite ? 1 : -1;
  const Bits them = by_color_[Index(kThem)];
  Bits attacked = 0;
  const Bits straight = CapturingWith<kForwardStep>() & them;
  attacked |= Shift<Geo, 0, kAhead>(straight);
  const Bits both_ways = CapturingWith<kDiagonalStep>() & them;
  const Bits diagonal = (CapturingWith<kForwardDiagonal>() & them) | both_ways;
  attacked |= Shift<Geo, 1, kAhead>(diagonal) | Shift<Geo, -1, kAhead>(diagonal);
  attacked |= Shift<Geo, 1, -kAhead>(both_ways) | Shift<Geo, -1, -kAhead>(both_ways);
  const Bits jumpers = CapturingWith<kForwardKnight>() & them;
  attacked |= Shift<Geo, 1, 2 * kAhead>(jumpers) | Shift<Geo, -1, 2 * kAhead>(jumpers);
  attacked |= Shift<Geo, 2, kAhead>(jumpers) | Shift<Geo, -2, kAhead>(jumpers);
  for (Bits b = CapturingWith<kKingStep>() & them; b;) attacked |= Tables::KingSteps(PopLowest(b));
  for (Bits b = CapturingWith<kKnightJump>() & them; b;) {
    attacked |= Tables::KnightJumps(PopLowest(b));
  }
  for (Bits b = CapturingWith<kRookSlide>() & them; b;) {
    attacked |= Tables::Rook(PopLowest(b), occupied);
  }
  for (Bits b = CapturingWith<kBishopSlide>() & them; b;) {
    attacked |= Tables::Bishop(PopLowest(b), occupied);
  }
  return attacked;
}

template <class Spec>
bool Position<Spec>::InCheck() const {
  const Square king = king_[Index(side_)];
  if (king == kNoSquare) return false;
  return side_ == Color::kWhite ? Attackers<Color::kBlack>(king, occupied()) != 0
                                : Attackers<Color::kWhite>(king, occupied()) != 0;
}

template <class Spec>
bool Position<Spec>::WonByGoal() const {
  const Square king = king_[Index(~side_)];
  return king != kNoSquare && Geo::RankOf(king) == Geo::LastRank(~side_);
}

template <class Spec>
Outcome Position<Spec>::OutcomeGiven(bool has_legal_move) const {
  if (WonByGoal()) return {WinFor(~side_), Spec::kGoalReason};
  if (!has_legal_move) {
    return {WinFor(~side_), InCheck() ? EndReason::kCheckmate : EndReason::kStalemate};
  }
  if (halfmove_clock_ >= 100) return {Result::kDraw, EndReason::kFiftyMoves};
  if (repetitions_ >= 2) return {Result::kDraw, EndReason::kRepetition};
  return {};
}

template <class Spec>
void Position<Spec>::LegalMoves(Moves& moves) const {
  moves.clear();
  rules_detail::ListSink<Bits, Moves> sink{moves};
  side_ == Color::kWhite ? Generate<Color::kWhite>(sink) : Generate<Color::kBlack>(sink);
}

template <class Spec>
int Position<Spec>::CountLegalMoves() const {
  rules_detail::CountSink<Bits> sink;
  side_ == Color::kWhite ? Generate<Color::kWhite>(sink) : Generate<Color::kBlack>(sink);
  return sink.count;
}

template <class Spec>
template <Color kUs, class Sink>
void Position<Spec>::Generate(Sink& sink) const {
  if (WonByGoal()) return;
  constexpr Color kThem = ~kUs;
  const Bits own = by_color_[Index(kUs)];
  const Bits all = occupied();
  const Square king = king_[Index(kUs)];
  Bits check_mask = Geo::kAll;  // where a piece other than the king may go
  Bits block_mask = Geo::kAll;  // where a placement may go
  Bits pinned = 0;
  // Each pinned piece and the squares it may still go to; at most one a direction.
  std::array<std::pair<Square, Bits>, 8> pins;
  size_t pin_count = 0;

  if (king != kNoSquare) {
    const Bits checkers = Attackers<kThem>(king, all);
    const Bits steps = Tables::KingSteps(king) & ~own;
    if (steps || (Spec::kHasCastling && castling_ != 0 && kUs == Color::kWhite)) {
      const Bits attacked = Attacked<kThem>(all ^ Geo::Bit(king));
      sink.From(king, steps & ~attacked);
      if constexpr (Spec::kHasCastling) GenerateCastling<kUs>(attacked, sink);
    }
    if (checkers) {
      if (MoreThanOne(checkers)) return;
      block_mask = Tables::Between(king, static_cast<Square>(LowestBit(checkers)));
      check_mask = block_mask | checkers;
    }
    Bits snipers = ((Tables::RookRays(king) & CapturingWith<kRookSlide>()) |
                    (Tables::BishopRays(king) & CapturingWith<kBishopSlide>())) &
                   by_color_[Index(kThem)];
    while (snipers) {
      const Square sniper = PopLowest(snipers);
      const Bits between = Tables::Between(king, sniper);
      const Bits blockers = between & all;
      if (blockers && !MoreThanOne(blockers) && (blockers & own)) {
        pinned |= blockers;
        pins[pin_count++] = {static_cast<Square>(LowestBit(blockers)), between | Geo::Bit(sniper)};
      }
    }
  }

  const Bits free = own & ~pinned;
  rules_detail::ForEachIndex<Spec::kPieces.size()>([&]<size_t kType>() {
    if constexpr (kType != Spec::kKing) {
      const Bits movers = by_type_[kType] & free;
      if constexpr (rules_detail::IsSetWise(Piece(kType))) {
        if (movers) GenerateSetWise<kUs, kType>(movers, check_mask, sink);
      } else {
        GenerateType<kUs, kType>(movers, check_mask, sink);
      }
    }
  });
  for (size_t i = 0; i < pin_count; ++i) {
    const auto [square, line] = pins[i];
    rules_detail::ForEachIndex<Spec::kPieces.size()>([&]<size_t kType>() {
      if constexpr (kType != Spec::kKing) {
        if (type_on(square) == kType) {
          GenerateType<kUs, kType>(Geo::Bit(square), check_mask & line, sink);
        }
      }
    });
  }
  if constexpr (Spec::kHasHands) GeneratePlacements<kUs>(~all & Geo::kAll & block_mask, sink);
}

// White castles as in chess: nothing between, the king neither in check nor crossing an attacked
// square. `attacked` is computed without the king on the board.
template <class Spec>
template <Color kUs, class Sink>
void Position<Spec>::GenerateCastling(Bits attacked, Sink& sink) const {
  if constexpr (kUs == Color::kWhite) {
    if (castling_ == 0) return;
    const Bits all = occupied();
    const auto free = [&](Bits must_be_empty, Bits must_be_safe) {
      return (must_be_empty & all) == 0 && (must_be_safe & attacked) == 0;
    };
    constexpr Bits kB = Geo::Bit(1), kC = Geo::Bit(2), kD = Geo::Bit(3), kE = Geo::Bit(4),
                   kF = Geo::Bit(5), kG = Geo::Bit(6);
    if ((castling_ & kKingSide) != 0 && free(kF | kG, kE | kF | kG)) sink.Castle(4, 6);
    if ((castling_ & kQueenSide) != 0 && free(kB | kC | kD, kC | kD | kE)) sink.Castle(4, 2);
  }
}

// Moves of some pieces of one type onto `mask` (check evasion and pin lines).
template <class Spec>
template <Color kUs, size_t kType, class Sink>
void Position<Spec>::GenerateType(Bits pieces, Bits mask, Sink& sink) const {
  using rules_detail::Targets;
  constexpr PieceSpec kPiece = Piece(kType);
  const Bits all = occupied();
  const Bits enemy = by_color_[Index(~kUs)];
  while (pieces) {
    const Square from = PopLowest(pieces);
    Bits to;
    if constexpr (kPiece.moves == kPiece.captures) {
      to = Targets<Geo, kUs, kPiece.moves>(from, all) & ~by_color_[Index(kUs)] & mask;
    } else {
      to = ((Targets<Geo, kUs, kPiece.moves>(from, all) & ~all) |
            (Targets<Geo, kUs, kPiece.captures>(from, all) & enemy)) &
           mask;
    }
    if constexpr (!kPiece.promotes_to.empty()) {
      constexpr Bits kLast = Geo::RankBits(Geo::LastRank(kUs));
      sink.PromoteFrom(from, to & kLast, rules_detail::PromotionTypes<Spec, kType>());
      to &= ~kLast;
    }
    sink.From(from, to);
  }
}

// The same for pieces whose patterns are all fixed offsets: one shift moves every one of them.
template <class Spec>
template <Color kUs, size_t kType, class Sink>
void Position<Spec>::GenerateSetWise(Bits pieces, Bits mask, Sink& sink) const {
  using rules_detail::Shift;
  constexpr uint16_t kMoves = Piece(kType).moves;
  constexpr uint16_t kCaptures = Piece(kType).captures;
  constexpr bool kPromotes = !Piece(kType).promotes_to.empty();
  constexpr int kAhead = kUs == Color::kWhite ? 1 : -1;
  const Bits empty = ~occupied() & Geo::kAll;
  const Bits enemy = by_color_[Index(~kUs)];
  const auto emit = [&](Bits to, int delta) {
    to &= mask;
    if constexpr (kPromotes) {
      constexpr Bits kLast = Geo::RankBits(Geo::LastRank(kUs));
      if (to & kLast) {
        sink.PromoteShifted(to & kLast, delta, rules_detail::PromotionTypes<Spec, kType>());
      }
      to &= ~kLast;
    }
    sink.Shifted(to, delta);
  };
  // Steps of one offset for every pattern that contains it.
  const auto step = [&]<int kFile, int kRank>(uint16_t pattern) {
    constexpr int kDelta = kRank * Geo::kFiles + kFile;
    Bits onto = 0;
    if (kMoves & pattern) onto |= empty;
    if (kCaptures & pattern) onto |= enemy;
    if (onto) emit(Shift<Geo, kFile, kRank>(pieces) & onto, kDelta);
  };
  if constexpr (((kMoves | kCaptures) & kForwardStep) != 0) {
    step.template operator()<0, kAhead>(kForwardStep);
  }
  if constexpr (((kMoves | kCaptures) & (kForwardDiagonal | kDiagonalStep)) != 0) {
    step.template operator()<1, kAhead>(kForwardDiagonal | kDiagonalStep);
    step.template operator()<-1, kAhead>(kForwardDiagonal | kDiagonalStep);
  }
  if constexpr (((kMoves | kCaptures) & kDiagonalStep) != 0) {
    step.template operator()<1, -kAhead>(kDiagonalStep);
    step.template operator()<-1, -kAhead>(kDiagonalStep);
  }
  if constexpr (((kMoves | kCaptures) & kForwardKnight) != 0) {
    step.template operator()<1, 2 * kAhead>(kForwardKnight);
    step.template operator()<-1, 2 * kAhead>(kForwardKnight);
    step.template operator()<2, kAhead>(kForwardKnight);
    step.template operator()<-2, kAhead>(kForwardKnight);
  }
  if constexpr ((kMoves & kPawnPush) != 0) {
    constexpr Bits kThird = Geo::RankBits(Geo::OwnRank(kUs, 2));
    const Bits once = Shift<Geo, 0, kAhead>(pieces) & empty;
    emit(once, kAhead * Geo::kFiles);
    emit(Shift<Geo, 0, kAhead>(once & kThird) & empty, 2 * kAhead * Geo::kFiles);
  }
  if constexpr ((kMoves & kRookTwo) != 0) {
    const auto twice = [&]<int kFile, int kRank>() {
      constexpr int kDelta = kRank * Geo::kFiles + kFile;
      const Bits once = Shift<Geo, kFile, kRank>(pieces) & empty;
      emit(once, kDelta);
      emit(Shift<Geo, kFile, kRank>(once) & empty, 2 * kDelta);
    };
    twice.template operator()<0, 1>();
    twice.template operator()<0, -1>();
    twice.template operator()<1, 0>();
    twice.template operator()<-1, 0>();
  }
}

// Placements onto `allowed`, the empty squares that answer a check if there is one.
template <class Spec>
template <Color kUs, class Sink>
void Position<Spec>::GeneratePlacements(Bits allowed, Sink& sink) const {
  if (!allowed) return;
  const Square enemy_king = king_[Index(~kUs)];
  rules_detail::ForEachIndex<Spec::kPieces.size()>([&]<size_t kType>() {
    if (hand_[Index(kUs)][kType] == 0) return;
    Bits to = allowed;
    if constexpr (kType == Spec::kKing) {
      // Own ranks 1 to the King's Landing, and not into an attack.
      const Bits lowest_ranks = (Bits{1} << (Geo::kFiles * kings_landing_)) - 1;
      to &= kUs == Color::kWhite ? lowest_ranks
                                 : lowest_ranks << (Geo::kFiles * (Geo::kRanks - kings_landing_));
      to &= ~Attacked<~kUs>(occupied());
    } else if (enemy_king != kNoSquare) {
      // No check from an adjacent square: follow the piece's captures back from the king.
      constexpr uint16_t kCaptures = Piece(kType).captures;
      constexpr bool kStraight = (kCaptures & (kRookSlide | kKingStep)) != 0;
      constexpr bool kDiagonal = (kCaptures & (kBishopSlide | kKingStep | kDiagonalStep)) != 0;
      const Bits diagonal = Tables::DiagonalSteps(enemy_king);
      if constexpr (kStraight) to &= ~(Tables::KingSteps(enemy_king) & ~diagonal);
      if constexpr (kDiagonal) to &= ~diagonal;
      if constexpr (!kDiagonal && (kCaptures & kForwardDiagonal) != 0) {
        to &= ~Tables::ForwardDiagonals(~kUs, enemy_king);
      }
      if constexpr (!kStraight && (kCaptures & kForwardStep) != 0) {
        to &= ~Tables::ForwardStep(~kUs, enemy_king);
      }
    }
    sink.Place(static_cast<PieceType>(kType), to);
  });
}

template <class Spec>
void Position<Spec>::Play(Move move) {
  using Keys = rules_detail::Zobrist<Spec>;
  const Color us = side_;
  bool resets_clock = false;
  if (Spec::kHasHands && move.kind == MoveKind::kPlacement) {
    SetHand(us, move.piece, hand_[static_cast<size_t>(Index(us))][move.piece] - 1);
    Put(move.to, us, move.piece);
    resets_clock = true;
  } else {
    const PieceType type = type_on(move.from);
    resets_clock = Spec::kPieces[type].resets_clock;
    if (board_[move.to] != kNoPiece) {
      Remove(move.to);
      resets_clock = true;
    }
    Remove(move.from);
    Put(move.to, us, move.kind == MoveKind::kPromotion ? move.piece : type);
    if constexpr (Spec::kHasCastling) {
      if (move.kind == MoveKind::kCastle) {
        const Square corner = move.to > move.from ? 7 : 0;
        const PieceType rook = type_on(corner);
        Remove(corner);
        Put(move.to > move.from ? 5 : 3, us, rook);
      }
      if (castling_ != 0) {
        uint8_t kept = kKingSide | kQueenSide;
        if (move.from == 4) kept = 0;
        if (move.from == 7 || move.to == 7) kept &= kQueenSide;
        if (move.from == 0 || move.to == 0) kept &= kKingSide;
        key_ ^= Keys::kCastlingKeys[castling_];
        castling_ &= kept;
        key_ ^= Keys::kCastlingKeys[castling_];
      }
    }
  }
  halfmove_clock_ = resets_clock ? 0 : halfmove_clock_ + 1;
  if (us == Color::kBlack) ++fullmove_number_;
  side_ = ~us;
  key_ ^= Keys::kBlackToMove;
  repetitions_ = 0;
}

}  // namespace khanzero
