// SPDX-License-Identifier: GPL-3.0-or-later
//
// Algebraic notation, against the reference engine's own (tests/oracle/san_vectors.mjs).
#include "play/san.h"

#include <gtest/gtest.h>

#include <fstream>

#include "env/khans.h"
#include "env/random.h"
#include "env/serbest.h"

namespace khanzero {
namespace {

template <class G>
class San : public testing::Test {};
using BothGames = testing::Types<Khans, Serbest>;
TYPED_TEST_SUITE(San, BothGames);

TYPED_TEST(San, IsThatOfTheReference) {
  using G = TypeParam;
  const std::string path =
      std::string(KHANZERO_TEST_DATA) + "/san/" + std::string(G::kName) + ".txt";
  std::ifstream file(path);
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const size_t first = line.find(';');
    const size_t second = line.find(';', first + 1);
    ASSERT_NE(second, std::string::npos) << line;
    const auto position = G::Position::FromFen(line.substr(0, first));
    const Move move = G::TextToMove(position, line.substr(first + 1, second - first - 1));
    EXPECT_EQ(SanText<G>(position, move), line.substr(second + 1)) << line;
  }
  EXPECT_GT(count, 200) << path;
}

// Every legal move's text means that move and no other.
TYPED_TEST(San, ReadsBack) {
  using G = TypeParam;
  Random random(5);
  for (int game = 0; game < 12; ++game) {
    auto position = G::Position::Start();
    typename G::Moves legal;
    for (int ply = 0; ply < 60; ++ply) {
      position.LegalMoves(legal);
      if (legal.empty()) break;
      for (int tries = 0; tries < 6; ++tries) {
        const Move move =
            legal[static_cast<int>(random.Below(static_cast<uint64_t>(legal.size())))];
        const std::string text = SanText<G>(position, move);
        const auto parts = ParseSan(text);
        ASSERT_TRUE(parts) << text;
        const std::vector<Move> found = MovesOf<G>(position, *parts);
        ASSERT_EQ(found.size(), 1U) << text << " in " << position.Fen();
        EXPECT_EQ(found[0], move) << text;
      }
      position.Play(legal[static_cast<int>(random.Below(static_cast<uint64_t>(legal.size())))]);
    }
  }
}

TEST(SanText, TakesWhatPeopleWrite) {
  const auto start = Khans::Position::Start();
  const auto one = [&](const char* text) {
    const auto parts = ParseSan(text);
    const auto found = parts ? MovesOf<Khans>(start, *parts) : std::vector<Move>{};
    return found.size() == 1 ? Khans::MoveToText(found[0]) : "no one move: " + std::string(text);
  };
  EXPECT_EQ(one("Nf3"), "g1f3");
  EXPECT_EQ(one("Ngf3!?"), "g1f3");
  EXPECT_EQ(one("N1f3"), "g1f3");
  EXPECT_EQ(one("Ng1f3"), "g1f3");
  EXPECT_EQ(one("e4"), "e2e4");
  EXPECT_EQ(one("Pe4"), "e2e4");
  const auto castling = Khans::Position::FromFen("1k6/8/8/8/8/8/8/R3K2R w KQ - 0 1");
  for (const char* const text : {"O-O", "0-0", "O-O+"}) {
    const auto found = MovesOf<Khans>(castling, *ParseSan(text));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(Khans::MoveToText(found[0]), "e1g1");
  }
}

TEST(SanText, OtherTextsAreNoMoves) {
  for (const char* const text : {"", "N", "+", "xe", "e", "4", "N@", "Ng1f3f4", "N@g1f3", "hello",
                                 "e2e4e5", "\xff\xfe", "N123e4", "=Q", "O-O-O-O"}) {
    EXPECT_FALSE(ParseSan(text)) << text;
  }
}

}  // namespace
}  // namespace khanzero
