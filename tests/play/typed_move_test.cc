// SPDX-License-Identifier: GPL-3.0-or-later
//
// Why a move that somebody typed is not legal.
#include "play/typed_move.h"

#include <gtest/gtest.h>

#include "env/khans.h"
#include "env/serbest.h"

namespace khanzero {
namespace {

template <class G>
std::string Refusal(const typename G::Position& position, const std::string& text) {
  try {
    return "it is legal: " + G::MoveToText(ReadTypedMove<G>(position, text));
  } catch (const InputError& error) {
    return error.what();
  }
}

struct Case {
  std::string fen;
  std::string text;
  std::string reason;  // part of it
};

template <class G>
void ExpectRefusals(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const std::string refusal = Refusal<G>(G::Position::FromFen(c.fen), c.text);
    EXPECT_NE(refusal.find(c.reason), std::string::npos)
        << c.text << " in " << c.fen << "\n  " << refusal << "\n  " << c.reason;
  }
}

const std::string kKhans(KhansSpec::kStartFen);
const std::string kSerbest(SerbestSpec::kStartFen);

TEST(TypedMove, LegalOnesAreTakenInBothNotations) {
  const auto khans = Khans::Position::Start();
  EXPECT_EQ(Khans::MoveToText(ReadTypedMove<Khans>(khans, "g1f3")), "g1f3");
  EXPECT_EQ(Khans::MoveToText(ReadTypedMove<Khans>(khans, "Nf3")), "g1f3");
  const auto serbest = Serbest::Position::Start();
  EXPECT_EQ(Serbest::MoveToText(ReadTypedMove<Serbest>(serbest, "n@j10")), "N@j10");
}

TEST(TypedMove, WhatIsNoMoveIsToldFromWhatIsNotLegal) {
  ExpectRefusals<Khans>({
      {kKhans, "hello", "'hello' is no move"},
      {kKhans, "e2e9", "there is no square e9: the board is a1 to h8"},
      {kKhans, "k2e4", "there is no square k2"},
      {kKhans, "Xe4", "there is no piece 'X' in this game; the letters are P N B R Q K S T A L H"},
      {kKhans, "N@e4", "no pieces are placed in this game"},
      {kKhans, std::string("\xff\x1b[31m"), "'\\xff\\x1b[31m' is no move"},
      {kKhans, std::string(5000, 'e'), "is no move"},
  });
  ExpectRefusals<Serbest>({{kSerbest, "N@k11", "there is no square k11"},
                           {kSerbest, "N@a11", "there is no square a11: the board is a1 to j10"},
                           {kSerbest, "A@a1", "there is no piece 'A'"}});
}

TEST(TypedMove, SaysWhyAPieceCannotGoThere) {
  ExpectRefusals<Khans>({
      {kKhans, "e4e5", "there is no piece on e4"},
      {kKhans, "e7d5", "the scout on e7 is Black's, and it is White's move"},
      {kKhans, "e2e2", "has to go to another square"},
      {kKhans, "a1a2", "White's own pawn on a2 is in the way"},
      {kKhans, "a1a4", "the way from a1 to a4 is blocked by the pawn on a2"},
      {kKhans, "g1g3", "the knight on g1 does not reach g3: the knight moves and captures as a"},
      {kKhans, "e2d3", "the pawn on e2 goes that way only to capture"},
      {kKhans, "e2e5", "the pawn on e2 does not reach e5"},
      {kKhans, "Qd4", "the way from d1 to d4 is blocked by the pawn on d2"},
      {kKhans, "Nd4", "no knight of White's can go to d4"},
      {kKhans, "Ae4", "White has no archer on the board"},
      // An archer moves as a knight and captures as a bishop.
      {"k7/8/8/3a4/5P2/4P3/8/K7 b - - 0 1", "d5f4", "cannot capture that way: the archer moves as"},
      {"k7/8/8/3a4/8/5P2/8/K7 b - - 0 1", "d5e4", "only to capture"},
      {"k7/8/3s4/3P4/8/8/8/K7 b - - 0 1", "d6b5", "it is legal"},
      {"k7/8/3s4/2P5/8/8/8/K7 b - - 0 1", "d6c5", "the scout on d6 does not reach c5"},
  });
}

TEST(TypedMove, SaysWhatIsWrongWithPromotionsAndCastling) {
  ExpectRefusals<Khans>({
      {"8/4P3/8/8/8/k7/8/7K w - - 0 1", "e7e8", "promotes on e8; write e7e8q, e7e8r, e7e8b, e7e8n"},
      {"8/4P3/8/8/8/k7/8/7K w - - 0 1", "e7e8k", "write e7e8q"},
      {"8/4P3/8/8/8/k7/8/7K w - - 0 1", "e7e8=Q", "it is legal: e7e8q"},
      {"8/4P3/8/8/8/k7/8/7K w - - 0 1", "e8=Q", "it is legal: e7e8q"},
      {kKhans, "e2e4q", "does not promote on e4"},
      {kKhans, "e1g1", "the bishop on f1 stands between king and rook"},
      {kKhans, "O-O-O", "the knight on b1 stands between king and rook"},
      {"1k6/8/8/8/8/8/8/R3K2R w - - 0 1", "O-O", "no longer allowed"},
      {"1k3l2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "would pass f1, which the lancer on f8"},
      {"1k2l3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", "out of check (the lancer on e8)"},
  });
}

TEST(TypedMove, SaysWhoWouldTakeTheKing) {
  ExpectRefusals<Khans>({
      {"k3l3/8/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3",
       "the knight on e2 is pinned: the lancer on e8 would attack the king"},
      {"k3l3/8/8/8/8/8/8/3K4 w - - 0 1", "d1e1",
       "the king would be attacked on e1 by the lancer on e8"},
      {"k3l3/8/8/8/8/8/P7/4K3 w - - 0 1", "a2a3",
       "White is in check and would still be, by the lancer on e8"},
  });
}

TEST(TypedMove, SaysWhyAPlacementIsNotLegal) {
  ExpectRefusals<Serbest>({
      {kSerbest, "e2e4", "there is no piece on e2; pieces come from the hand as in N@e4"},
      {kSerbest, "K@e8", "the king is placed on White's ranks 1 to 7 (King's Landing)"},
      {"10/10/10/10/10/10/10/10/10/10[QRRKqrrk] b - - 0 1", "K@e3",
       "the king is placed on Black's ranks 10 to 4 (King's Landing)"},
      {"10/10/10/10/10/10/10/10/10/10[RRqrrk] w - - 0 1", "Q@e3", "White has no queen in hand"},
      {"10/10/10/10/10/10/4n5/10/10/10[QRR] w - - 0 1", "Q@e4", "e4 is taken by the knight on e4"},
      {"10/10/10/10/10/10/4r5/10/10/10[KQ] w - - 0 1", "K@e1",
       "the king may not be placed on e1, which the rook on e4 attacks"},
      {"10/10/10/4k5/10/10/10/10/10/10[Q] w - - 0 1", "Q@e6", "give check from a square next to"},
      {"10/10/10/4r5/10/10/10/10/10/4K5[Q] w - - 0 1", "Q@a1",
       "White is in check and would still be, by the rook on e7"},
      {"10/10/10/4r5/10/10/10/10/10/4K5[Q] w - - 0 1", "Q@e4", "it is legal"},
      {"10/10/10/10/10/10/10/10/2PP6/10[] w - - 0 1", "Pc3", "it is legal: c2c3"},
  });
}

TEST(TypedMove, SeveralPiecesThatCanGoThereAreNamed) {
  const std::string refusal =
      Refusal<Khans>(Khans::Position::FromFen("k7/8/8/8/8/8/8/1N3NK1 w - - 0 1"), "Nd2");
  EXPECT_TRUE(refusal.find("can mean several moves: ") != std::string::npos &&
              refusal.find("b1d2") != std::string::npos &&
              refusal.find("f1d2") != std::string::npos)
      << refusal;
}

// Nothing that can be typed is answered by anything but a move or a reason, also in crowded
// positions; and whatever two squares are named, the reason knows which rule it is.
template <class G>
void TryEveryMove(const typename G::Position& position) {
  typename G::Moves legal;
  position.LegalMoves(legal);
  const int squares = G::kSquares;
  using Geo = typename G::Position::Geo;
  for (int from = 0; from < squares; ++from) {
    for (int to = 0; to < squares; ++to) {
      const std::string text =
          SquareName<Geo>(static_cast<Square>(from)) + SquareName<Geo>(static_cast<Square>(to));
      const std::string refusal = Refusal<G>(position, text);
      EXPECT_EQ(refusal.find("the rules do not allow it here"), std::string::npos)
          << text << " in " << position.Fen();
      EXPECT_EQ(refusal.find("castling is not legal here"), std::string::npos) << text;
    }
    for (const PieceSpec& piece : G::Spec::kPieces) {
      const std::string text = std::string(1, piece.LetterFor(Color::kWhite)) + "@" +
                               SquareName<Geo>(static_cast<Square>(from));
      const std::string refusal = Refusal<G>(position, text);
      EXPECT_EQ(refusal.find("the rules do not allow it here"), std::string::npos)
          << text << " in " << position.Fen();
    }
  }
}

TEST(TypedMove, EveryRefusalNamesARule) {
  const auto play = []<class G>() {
    Random random(3);
    for (int game = 0; game < 4; ++game) {
      auto position = G::Position::Start();
      typename G::Moves legal;
      for (int ply = 0; ply < 60; ++ply) {
        position.LegalMoves(legal);
        if (legal.empty()) break;
        if (ply % 6 == 5) TryEveryMove<G>(position);
        position.Play(legal[static_cast<int>(random.Below(static_cast<uint64_t>(legal.size())))]);
      }
    }
  };
  play.template operator()<Khans>();
  play.template operator()<Serbest>();
}

}  // namespace
}  // namespace khanzero
