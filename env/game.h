// SPDX-License-Identifier: GPL-3.0-or-later
//
// The contract of a game: what search, self-play and the network need to know, and nothing else.
// BoardGame<Spec> fulfils it from a Spec (see position.h); each game's header ends with
// static_assert(Game<...>).
#pragma once

#include <concepts>
#include <span>
#include <string_view>
#include <vector>

#include "env/encoder.h"
#include "env/history.h"
#include "env/notation.h"
#include "env/policy_index.h"
#include "env/position.h"

namespace khanzero {

template <class GameSpec>
struct BoardGame {
  using Spec = GameSpec;
  using Position = khanzero::Position<Spec>;
  using Moves = typename Position::Moves;

  static constexpr std::string_view kName = Spec::kName;
  static constexpr int kFiles = Spec::kFiles;
  static constexpr int kRanks = Spec::kRanks;
  static constexpr int kSquares = kFiles * kRanks;
  static constexpr int kInputPlanes = Encoder<Spec>::kPlanes;
  static constexpr int kPolicyPlanes = PolicyMap<Spec>::kPlanes;
  static constexpr int kPolicySize = PolicyMap<Spec>::kSize;
  static constexpr int kMaxMoves = Spec::kMaxMoves;
  static constexpr int kRulesVersion = Spec::kRulesVersion;
  static constexpr int kEncodingVersion = Spec::kEncodingVersion;
  static constexpr bool kHasSettings = Spec::kHasHands;

  static uint16_t PolicyIndex(const Position& position, Move move) {
    return PolicyMap<Spec>::IndexOf(position, move);
  }
  static void Encode(const Position& position, std::span<float> planes) {
    Encoder<Spec>::Encode(position, planes);
  }
  static std::string MoveToText(Move move) { return MoveText<Spec>(move); }
  static Move TextToMove(const Position& position, std::string_view text) {
    return ParseMove<Spec>(position, text);
  }
  // Whether left and right may be exchanged here: castling tells them apart.
  static bool CanMirror(const Position& position) { return position.castling() == 0; }
  static uint16_t MirroredPolicyIndex(uint16_t index) { return PolicyMap<Spec>::Mirrored(index); }
  // Rough material of one side, board and hand, in hundredths of a pawn.
  static int Material(const Position& position, Color side) {
    int sum = 0;
    for (int t = 0; t < Position::kTypes; ++t) {
      sum += Spec::kPieces[static_cast<size_t>(t)].value *
             (PopCount(position.pieces(side, t)) + position.in_hand(side, t));
    }
    return sum;
  }
  // Rough worth of what `move` captures, and of what it promotes to; 0 when it does neither.
  static int Gain(const Position& position, Move move) {
    if (move.kind == MoveKind::kPlacement || move.kind == MoveKind::kCastle) return 0;
    const PieceType victim = position.type_on(move.to);
    int gain = victim == kNoPiece ? 0 : Spec::kPieces[victim].value;
    if (move.kind == MoveKind::kPromotion) {
      gain += Spec::kPieces[move.piece].value - Spec::kPieces[position.type_on(move.from)].value;
    }
    return gain;
  }
  // Ranks between a side's king and its last rank; kRanks while it is in hand.
  static int KingDistanceToGoal(const Position& position, Color side) {
    using Geo = typename Position::Geo;
    const Square king = position.king(side);
    if (king == kNoSquare) return kRanks;
    const int rank = Geo::RankOf(king);
    return side == Color::kWhite ? kRanks - 1 - rank : rank;
  }
};

template <class G>
concept Game = requires(typename G::Position& position, const typename G::Position& fixed,
                        typename G::Moves& moves, Move move, std::span<float> planes,
                        std::string_view text, Color side) {
  requires std::is_trivially_copyable_v<typename G::Position>;
  { G::kName } -> std::convertible_to<std::string_view>;
  { G::kFiles } -> std::convertible_to<int>;
  { G::kRanks } -> std::convertible_to<int>;
  { G::kInputPlanes } -> std::convertible_to<int>;
  { G::kPolicySize } -> std::convertible_to<int>;
  { G::kMaxMoves } -> std::convertible_to<int>;
  { G::kRulesVersion } -> std::convertible_to<int>;
  { G::kEncodingVersion } -> std::convertible_to<int>;
  { G::Position::Start(GameSettings{}) } -> std::same_as<typename G::Position>;
  { G::Position::FromFen(text, GameSettings{}) } -> std::same_as<typename G::Position>;
  { fixed.Fen() } -> std::same_as<std::string>;
  fixed.LegalMoves(moves);
  { fixed.CountLegalMoves() } -> std::same_as<int>;
  position.Play(move);
  { fixed.InCheck() } -> std::same_as<bool>;
  { fixed.IsGoalMove(move) } -> std::same_as<bool>;
  { fixed.ComputeOutcome() } -> std::same_as<Outcome>;
  { fixed.side_to_move() } -> std::same_as<Color>;
  { fixed.key() } -> std::same_as<uint64_t>;
  { G::PolicyIndex(fixed, move) } -> std::same_as<uint16_t>;
  G::Encode(fixed, planes);
  { G::CanMirror(fixed) } -> std::same_as<bool>;
  { G::MirroredPolicyIndex(uint16_t{}) } -> std::same_as<uint16_t>;
  { G::MoveToText(move) } -> std::same_as<std::string>;
  { G::TextToMove(fixed, text) } -> std::same_as<Move>;
  { G::Material(fixed, side) } -> std::same_as<int>;
  { G::Gain(fixed, move) } -> std::same_as<int>;
  { G::KingDistanceToGoal(fixed, side) } -> std::same_as<int>;
};

}  // namespace khanzero
