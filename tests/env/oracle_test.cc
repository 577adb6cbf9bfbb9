// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules against the naive engine of tests/naive, which was written apart from them: legal
// moves, check, ends, FENs taken and refused, over random games, scattered positions and spoiled
// FENs. KHANZERO_ORACLE_POSITIONS sets how many positions each test looks at.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "env/games.h"
#include "tests/env/position_text.h"
#include "tests/env/random_positions.h"
#include "tests/naive/naive_rules.h"

namespace khanzero {
namespace {

using naive::NaiveGame;

int PositionsOr(int usual) {
  const char* const text = std::getenv("KHANZERO_ORACLE_POSITIONS");
  return text == nullptr ? usual : std::atoi(text);
}

template <class G>
std::optional<typename G::Position> Read(const std::string& fen, int kings_landing) {
  try {
    return At<G>(fen, kings_landing);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

template <class G>
std::optional<NaiveGame> ReadNaively(const std::string& fen, int kings_landing) {
  try {
    return NaiveGame::FromFen(std::string(G::kName), fen, kings_landing);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

// What the two engines say of one position.
template <class G>
void ExpectSame(const typename G::Position& position, const NaiveGame& naive) {
  EXPECT_EQ(SortedMoves<G>(position), naive.LegalMoves());
  EXPECT_EQ(position.InCheck(), naive.InCheck());
  const Outcome outcome = position.ComputeOutcome();
  const naive::Ending ending = naive.CurrentEnding();
  EXPECT_EQ(Text(outcome.result), ending.result);
  EXPECT_EQ(Text(outcome.reason), ending.reason);
  EXPECT_EQ(position.Fen(), naive.Fen());
  EXPECT_EQ(position.repetitions(), naive.Repetitions());
}

// Reads `fen` with both engines, which must agree; returns the position if they accept it.
template <class G>
std::optional<typename G::Position> CompareFen(const std::string& fen, int kings_landing) {
  SCOPED_TRACE(fen + ", King's Landing " + std::to_string(kings_landing));
  const auto position = Read<G>(fen, kings_landing);
  const auto naive = ReadNaively<G>(fen, kings_landing);
  EXPECT_EQ(position.has_value(), naive.has_value());
  if (position && naive) ExpectSame<G>(*position, *naive);
  return position;
}

template <class G>
class Oracle : public testing::Test {};

struct NameOfGame {
  template <class G>
  static std::string GetName(int) {
    return std::string(G::kName);
  }
};
using OracleGames = testing::Types<Khans, Serbest>;
TYPED_TEST_SUITE(Oracle, OracleGames, NameOfGame);

TYPED_TEST(Oracle, AgreesOnRandomGames) {
  using G = TypeParam;
  Random random(101);
  int left = PositionsOr(G::kSquares == 64 ? 90000 : 22000);
  for (int game_number = 0; left > 0 && !this->HasFailure(); ++game_number) {
    const GameSettings settings = SettingsOfGame(game_number);
    GameState<G> game(G::Position::Start(settings));
    NaiveGame naive = NaiveGame::Start(std::string(G::kName), settings.kings_landing);
    std::vector<Move> played;
    typename G::Moves moves;
    for (int ply = 0; ply < 250 && left > 0 && !this->HasFailure(); ++ply, --left) {
      SCOPED_TRACE(game.position().Fen());
      ExpectSame<G>(game.position(), naive);
      game.position().LegalMoves(moves);
      if (moves.empty()) break;
      played.push_back(RandomMove<G>(moves, played, random));
      game.Play(played.back());
      naive.Play(G::MoveToText(played.back()));
    }
  }
}

// The planes of attacked squares, in the mover's view, for movers of both colours.
TYPED_TEST(Oracle, AgreesOnWhichSquaresAreAttacked) {
  using G = TypeParam;
  Random random(103);
  std::vector<float> planes(static_cast<size_t>(G::kInputPlanes * G::kSquares));
  int attacked = 0;
  for (int i = 0; i < PositionsOr(500) && !this->HasFailure(); ++i) {
    const std::string fen = Scattered<G>(random).Fen();
    const int kings_landing = SettingsOfGame(i).kings_landing;
    const auto position = Read<G>(fen, kings_landing);
    if (!position) continue;
    SCOPED_TRACE(fen);
    const NaiveGame naive = NaiveGame::FromFen(std::string(G::kName), fen, kings_landing);
    const bool white = position->side_to_move() == Color::kWhite;
    G::Encode(*position, planes);
    for (int square = 0; square < G::kSquares; ++square) {
      const int rank = square / G::kFiles;
      const float* const last = &planes[static_cast<size_t>((square + 1) * G::kInputPlanes - 2)];
      for (const bool mover : {true, false}) {
        const bool expected = naive.IsAttacked(square % G::kFiles,
                                               white ? rank : G::kRanks - 1 - rank, white == mover);
        EXPECT_EQ(last[mover ? 0 : 1], expected ? 1.0F : 0.0F)
            << square << (mover ? " by mover" : "");
        attacked += expected;
      }
    }
  }
  EXPECT_GT(attacked, 5000);
}

TYPED_TEST(Oracle, AgreesOnScatteredPositions) {
  using G = TypeParam;
  Random random(102);
  const int count = PositionsOr(G::kSquares == 64 ? 220000 : 60000);
  int accepted = 0;
  int in_check = 0;
  int over = 0;
  for (int i = 0; i < count && !this->HasFailure(); ++i) {
    const auto position =
        CompareFen<G>(Scattered<G>(random).Fen(), SettingsOfGame(i).kings_landing);
    if (!position) continue;
    ++accepted;
    in_check += position->InCheck();
    over += position->ComputeOutcome().over();
  }
  // The scattering must stay worth its time.
  EXPECT_GT(accepted, count / 3);
  EXPECT_GT(in_check, count / 20);
  EXPECT_GT(over, count / 200);
  this->RecordProperty("accepted", accepted);
  this->RecordProperty("in_check", in_check);
  this->RecordProperty("over", over);
}

TYPED_TEST(Oracle, AgreesOnSpoiledFens) {
  using G = TypeParam;
  Random random(103);
  const int count = PositionsOr(G::kSquares == 64 ? 120000 : 30000);
  int accepted = 0;
  for (int i = 0; i < count && !this->HasFailure(); ++i) {
    const std::string fen = SpoiledFen(Scattered<G>(random).Fen(), random);
    accepted += CompareFen<G>(fen, SettingsOfGame(i).kings_landing).has_value();
  }
  EXPECT_GT(accepted, count / 100);
  EXPECT_LT(accepted, count / 2);
  this->RecordProperty("accepted", accepted);
}

}  // namespace
}  // namespace khanzero
