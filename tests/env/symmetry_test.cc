// SPDX-License-Identifier: GPL-3.0-or-later
//
// Symmetries of the games. The Serbest is the same with colours exchanged and with left and right
// exchanged; Khan's Chess, whose armies differ, only with left and right, and only without castling
// rights.
#include <gtest/gtest.h>

#include "env/games.h"
#include "tests/env/position_text.h"
#include "tests/env/random_positions.h"

namespace khanzero {
namespace {

// A move's text seen in a mirror or from the other side. Squares are a letter and a number.
std::string Turned(const std::string& text, int files, int ranks, bool mirror, bool exchange) {
  std::string turned;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end == i + 1) {  // a promotion's letter, or "N@"
      turned += text[i];
    } else {
      const int rank = std::stoi(text.substr(i + 1, end - i - 1));
      turned += mirror ? static_cast<char>('a' + files - 1 - (text[i] - 'a')) : text[i];
      turned += std::to_string(exchange ? ranks + 1 - rank : rank);
    }
    i = end;
  }
  return turned;
}

std::vector<std::string> Turned(const std::vector<std::string>& moves, int files, int ranks,
                                bool mirror, bool exchange) {
  std::vector<std::string> turned;
  for (const std::string& move : moves) {
    turned.push_back(Turned(move, files, ranks, mirror, exchange));
  }
  std::sort(turned.begin(), turned.end());
  return turned;
}

template <class G>
void ExpectMirrored(const typename G::Position& position) {
  const auto image =
      At<G>(FenBoard::Of(position).Mirrored().Fen(), position.settings().kings_landing);
  ASSERT_EQ(SortedMoves<G>(image),
            Turned(SortedMoves<G>(position), G::kFiles, G::kRanks, true, false))
      << position.Fen();
  EXPECT_EQ(image.InCheck(), position.InCheck());
  EXPECT_EQ(StateOf(image), StateOf(position));
}

// Mirroring the planes and the policy index is the same as mirroring the position and the move.
template <class G>
void ExpectMirroredForTheNetwork(const typename G::Position& position) {
  const auto mirrored = [](Square s) {
    return static_cast<Square>(s / G::kFiles * G::kFiles + G::kFiles - 1 - s % G::kFiles);
  };
  const auto image =
      At<G>(FenBoard::Of(position).Mirrored().Fen(), position.settings().kings_landing);
  typename G::Moves moves;
  position.LegalMoves(moves);
  for (const Move& move : moves) {
    const Move moved = {.from = mirrored(move.from),
                        .to = mirrored(move.to),
                        .piece = move.piece,
                        .kind = move.kind};
    ASSERT_EQ(G::PolicyIndex(image, moved), G::MirroredPolicyIndex(G::PolicyIndex(position, move)))
        << G::MoveToText(move) << " in " << position.Fen();
  }
  std::vector<float> here(static_cast<size_t>(G::kInputPlanes * G::kSquares));
  std::vector<float> there(here.size());
  G::Encode(position, here);
  G::Encode(image, there);
  for (int s = 0; s < G::kSquares; ++s) {
    const int t = mirrored(static_cast<Square>(s));
    for (int plane = 0; plane < G::kInputPlanes; ++plane) {
      ASSERT_EQ(here[static_cast<size_t>(s * G::kInputPlanes + plane)],
                there[static_cast<size_t>(t * G::kInputPlanes + plane)])
          << position.Fen();
    }
  }
}

void ExpectColorsExchanged(const Serbest::Position& position) {
  const auto image = At<Serbest>(FenBoard::Of(position).ColorsExchanged().Fen(),
                                 position.settings().kings_landing);
  ASSERT_EQ(SortedMoves<Serbest>(image),
            Turned(SortedMoves<Serbest>(position), 10, 10, false, true))
      << position.Fen();
  EXPECT_EQ(image.InCheck(), position.InCheck());
  const Outcome here = position.ComputeOutcome();
  const Outcome there = image.ComputeOutcome();
  EXPECT_EQ(here.reason, there.reason);
  const Color us = position.side_to_move();
  EXPECT_EQ(WdlFor(here.result, us).value(), WdlFor(there.result, ~us).value());
}

// Network input and policy see the mover's side of the board, so only the plane that names the
// colour may differ.
void ExpectSameForTheNetwork(const Serbest::Position& position) {
  const auto image = At<Serbest>(FenBoard::Of(position).ColorsExchanged().Fen(),
                                 position.settings().kings_landing);
  std::vector<float> here(static_cast<size_t>(Serbest::kInputPlanes * Serbest::kSquares));
  std::vector<float> there(here.size());
  Serbest::Encode(position, here);
  Serbest::Encode(image, there);
  for (size_t i = 0; i < here.size(); ++i) {
    if (i % Serbest::kInputPlanes == static_cast<size_t>(Encoder<SerbestSpec>::kColorPlane)) {
      ASSERT_NE(here[i], there[i]);
    } else {
      ASSERT_EQ(here[i], there[i]) << position.Fen();
    }
  }
  for (const std::string& text : SortedMoves<Serbest>(position)) {
    const Move move = Serbest::TextToMove(position, text);
    const Move moved = {.from = Serbest::Position::Geo::Relative(Color::kBlack, move.from),
                        .to = Serbest::Position::Geo::Relative(Color::kBlack, move.to),
                        .piece = move.piece,
                        .kind = move.kind};
    ASSERT_EQ(Serbest::PolicyIndex(position, move), Serbest::PolicyIndex(image, moved)) << text;
  }
}

// Positions of random games (repetition left aside, a FEN does not hold it) and scattered ones.
template <class G, class See>
void ForManyPositions(uint64_t seed, int count, See&& see) {
  Random random(seed);
  for (int i = 0; i < count && !testing::Test::HasFailure();) {
    RandomGame<G>(random, SettingsOfGame(i), 200, [&](const GameState<G>& state) {
      auto position = state.position();
      position.set_repetitions(0);
      see(position);
      ++i;
    });
    for (int k = 0; k < 100; ++k, ++i) {
      try {
        see(At<G>(Scattered<G>(random).Fen(), SettingsOfGame(k).kings_landing));
      } catch (const InputError&) {
        continue;  // not every scattered position is one
      }
    }
  }
}

TEST(Symmetry, SerbestIsTheSameLeftAndRightExchanged) {
  ForManyPositions<Serbest>(21, 4000, [](const Serbest::Position& position) {
    EXPECT_TRUE(Serbest::CanMirror(position));
    ExpectMirrored<Serbest>(position);
    ExpectMirroredForTheNetwork<Serbest>(position);
  });
}

TEST(Symmetry, SerbestIsTheSameWithColorsExchanged) {
  ForManyPositions<Serbest>(22, 4000, ExpectColorsExchanged);
}

TEST(Symmetry, SerbestLooksTheSameToTheNetworkWithColorsExchanged) {
  ForManyPositions<Serbest>(23, 300, ExpectSameForTheNetwork);
}

TEST(Symmetry, KhansWithoutCastlingRightsIsTheSameLeftAndRightExchanged) {
  int seen = 0;
  ForManyPositions<Khans>(24, 20000, [&](const Khans::Position& position) {
    EXPECT_EQ(Khans::CanMirror(position), position.castling() == 0);
    if (position.castling() != 0) return;
    ++seen;
    ExpectMirrored<Khans>(position);
    ExpectMirroredForTheNetwork<Khans>(position);
  });
  EXPECT_GT(seen, 5000);
}

}  // namespace
}  // namespace khanzero
