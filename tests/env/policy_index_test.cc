// SPDX-License-Identifier: GPL-3.0-or-later
//
// Policy indices and input planes computed by hand for a few moves and positions: networks and game
// records depend on these numbers, so a change of them must be meant (and a new encoding version).
// That indices are unique and in range is tested on every game in game_suite_test.cc.
#include <gtest/gtest.h>

#include "env/games.h"
#include "tests/env/position_text.h"

namespace khanzero {
namespace {

template <class G>
int IndexOf(std::string_view fen, std::string_view move) {
  const auto position = At<G>(fen);
  return G::PolicyIndex(position, G::TextToMove(position, move));
}

TEST(PolicyIndex, KhansMovesAreDirectionAndDistance) {
  const std::string start(Khans::Spec::kStartFen);
  EXPECT_EQ(IndexOf<Khans>(start, "e2e3"), 0 * 64 + 12);        // north, 1
  EXPECT_EQ(IndexOf<Khans>(start, "e2e4"), 1 * 64 + 12);        // north, 2
  EXPECT_EQ(IndexOf<Khans>(start, "b1c3"), 56 * 64 + 1);        // the first knight jump
  EXPECT_EQ(IndexOf<Khans>(start, "b1a3"), (56 + 7) * 64 + 1);  // the last
  const std::string castling = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
  EXPECT_EQ(IndexOf<Khans>(castling, "e1g1"), (2 * 7 + 1) * 64 + 4);  // east, 2
  EXPECT_EQ(IndexOf<Khans>(castling, "e1c1"), (6 * 7 + 1) * 64 + 4);  // west, 2
  EXPECT_EQ(IndexOf<Khans>(castling, "a1a8"), (0 * 7 + 6) * 64 + 0);  // north, 7
}

TEST(PolicyIndex, BlackIsSeenFromItsOwnSide) {
  const std::string fen = "lhatkahl/ssssssss/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1";
  EXPECT_EQ(IndexOf<Khans>(fen, "d8e6"), 56 * 64 + 3);
  EXPECT_EQ(IndexOf<Khans>(fen, "d8c6"), (56 + 7) * 64 + 3);
  EXPECT_EQ(IndexOf<Khans>(fen, "a7b5"), 56 * 64 + 8);
}

TEST(PolicyIndex, KhansPromotions) {
  const std::string fen = "1l5k/P7/8/8/8/8/8/K7 w - - 0 1";
  EXPECT_EQ(IndexOf<Khans>(fen, "a7a8q"), 0 * 64 + 48);
  EXPECT_EQ(IndexOf<Khans>(fen, "a7b8q"), (1 * 7 + 0) * 64 + 48);
  EXPECT_EQ(IndexOf<Khans>(fen, "a7a8r"), (64 + 0 * 3 + 1) * 64 + 48);
  EXPECT_EQ(IndexOf<Khans>(fen, "a7b8b"), (64 + 1 * 3 + 2) * 64 + 48);
  EXPECT_EQ(IndexOf<Khans>(fen, "a7b8n"), (64 + 2 * 3 + 2) * 64 + 48);
  EXPECT_EQ(IndexOf<Khans>("7k/1P6/8/8/8/8/8/K7 w - - 0 1", "b7b8n"), (64 + 7) * 64 + 49);
  EXPECT_EQ(IndexOf<Khans>("l6k/1P6/8/8/8/8/8/1K6 w - - 0 1", "b7a8n"), (64 + 6) * 64 + 49);
  // A scout has one choice: it is the move itself.
  EXPECT_EQ(IndexOf<Khans>("4k3/8/8/8/8/1s6/8/4K3 b - - 0 1", "b3c1t"), 56 * 64 + 41);
}

TEST(PolicyIndex, SerbestPlacementsAreThePlaneOfTheKind) {
  const std::string start(Serbest::Spec::kStartFen);
  EXPECT_EQ(IndexOf<Serbest>(start, "K@a1"), 8000);
  EXPECT_EQ(IndexOf<Serbest>(start, "Q@a1"), 8100);
  EXPECT_EQ(IndexOf<Serbest>(start, "P@j10"), 8599);
  EXPECT_EQ(IndexOf<Serbest>(start, "S@j10"), 8699);
  const std::string black = "10/10/10/10/10/10/10/10/10/10[Kp] b - - 0 1";
  EXPECT_EQ(IndexOf<Serbest>(black, "P@j10"), 8509);
  EXPECT_EQ(IndexOf<Serbest>(black, "P@j1"), 8599);
}

TEST(PolicyIndex, SerbestMovesAreDirectionAndDistance) {
  const std::string fen = "10/10/10/10/10/10/10/10/10/Q9[Kk] w - - 0 1";
  EXPECT_EQ(IndexOf<Serbest>(fen, "a1a2"), 0);
  EXPECT_EQ(IndexOf<Serbest>(fen, "a1a10"), 800);
  EXPECT_EQ(IndexOf<Serbest>(fen, "a1j10"), (1 * 9 + 8) * 100);
  EXPECT_EQ(IndexOf<Serbest>(fen, "a1j1"), (2 * 9 + 8) * 100);
  const std::string knight = "10/10/10/10/10/4n5/10/10/10/10[Kk] b - - 0 1";
  EXPECT_EQ(IndexOf<Serbest>(knight, "e5f3"), 72 * 100 + 54);
}

// --- Planes ----------------------------------------------------------------------------------

// The value of the plane called `name` on a square of the mover's view.
template <class G>
float Plane(const typename G::Position& position, const std::string& name, int square) {
  std::vector<float> planes(static_cast<size_t>(G::kInputPlanes * G::kSquares));
  G::Encode(position, planes);
  const auto names = Encoder<typename G::Spec>::PlaneNames();
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  return planes[static_cast<size_t>(square * G::kInputPlanes + (found - names.begin()))];
}

TEST(Planes, PiecesAreTheMoversAndTheOpponents) {
  const auto white = At<Khans>("4k3/8/8/8/8/8/P7/4K3 w - - 25 1");
  EXPECT_EQ(Plane<Khans>(white, "mover piece p", 8), 1.0F);
  EXPECT_EQ(Plane<Khans>(white, "opponent piece p", 8), 0.0F);
  EXPECT_EQ(Plane<Khans>(white, "opponent piece k", 60), 1.0F);
  EXPECT_EQ(Plane<Khans>(white, "mover is white", 33), 1.0F);
  EXPECT_EQ(Plane<Khans>(white, "half-move count / 100", 0), 0.25F);
  const auto black = At<Khans>("4k3/8/8/8/8/8/P7/4K3 b - - 250 1");
  EXPECT_EQ(Plane<Khans>(black, "opponent piece p", 48), 1.0F);
  EXPECT_EQ(Plane<Khans>(black, "mover piece k", 4), 1.0F);
  EXPECT_EQ(Plane<Khans>(black, "mover is white", 33), 0.0F);
  EXPECT_EQ(Plane<Khans>(black, "half-move count / 100", 0), 1.0F);
}

TEST(Planes, CastlingRightsHaveAPlaneEachForBothMovers) {
  for (const char* const side : {"w", "b"}) {
    const auto position = At<Khans>("4k3/8/8/8/8/8/8/R3K2R " + std::string(side) + " Q - 0 1");
    EXPECT_EQ(Plane<Khans>(position, "castling king side", 0), 0.0F);
    EXPECT_EQ(Plane<Khans>(position, "castling queen side", 63), 1.0F);
  }
}

TEST(Planes, AttackedSquaresAreThoseOfCapturePatterns) {
  const auto position = At<Khans>("4k3/8/8/3s4/8/8/8/4K3 b - - 0 1");
  EXPECT_EQ(Plane<Khans>(position, "attacked by mover", 35), 1.0F);     // d4, turned d5
  EXPECT_EQ(Plane<Khans>(position, "attacked by mover", 42), 0.0F);     // c3, a jump
  EXPECT_EQ(Plane<Khans>(position, "attacked by opponent", 59), 1.0F);  // d1
}

TEST(Planes, HandsAreSharesOfTheMost) {
  const auto position = At<Serbest>("10/10/10/10/10/10/10/10/10/10[KRPPPpp] b - - 0 1", 8);
  EXPECT_EQ(Plane<Serbest>(position, "opponent hand k", 0), 1.0F);
  EXPECT_EQ(Plane<Serbest>(position, "opponent hand r", 50), 0.5F);
  EXPECT_EQ(Plane<Serbest>(position, "opponent hand p", 99), 0.5F);
  EXPECT_FLOAT_EQ(Plane<Serbest>(position, "mover hand p", 99), 2.0F / 6.0F);
  EXPECT_EQ(Plane<Serbest>(position, "mover hand k", 99), 0.0F);
  EXPECT_EQ(Plane<Serbest>(position, "kings landing 8", 5), 1.0F);
}

}  // namespace
}  // namespace khanzero
