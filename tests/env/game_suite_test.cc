// SPDX-License-Identifier: GPL-3.0-or-later
//
// What holds for every game, tested on every game of env/games.h: a game added to that list is
// tested here without another line.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "env/games.h"
#include "tests/env/position_text.h"
#include "tests/env/random_positions.h"

namespace khanzero {
namespace {

template <class Tuple>
struct TypesOf;
template <class... G>
struct TypesOf<std::tuple<G...>> {
  using Type = testing::Types<G...>;
};
struct NameOfGame {
  template <class G>
  static std::string GetName(int) {
    return std::string(G::kName);
  }
};

template <class G>
class EveryGame : public testing::Test {
 protected:
  using Position = typename G::Position;

  // Shows the positions of some random games to `see`, until it has seen `count`.
  template <class See>
  void ForRandomPositions(uint64_t seed, int count, See&& see) {
    Random random(seed);
    for (int game = 0; count > 0 && !this->HasFatalFailure() && !this->HasNonfatalFailure();
         ++game) {
      RandomGame<G>(random, SettingsOfGame(game), 300, [&](const GameState<G>& state) {
        --count;
        see(state.position());
      });
    }
  }

  static std::vector<float> Planes(const Position& position) {
    std::vector<float> planes(static_cast<size_t>(G::kInputPlanes * G::kSquares), -1.0F);
    G::Encode(position, planes);
    return planes;
  }
  static Position Again(const Position& position) {
    Position again = Position::FromFen(position.Fen(), position.settings());
    again.set_repetitions(position.repetitions());
    return again;
  }
};

TYPED_TEST_SUITE(EveryGame, TypesOf<Games>::Type, NameOfGame);

TYPED_TEST(EveryGame, PositionsAreTriviallyCopyable) {
  static_assert(std::is_trivially_copyable_v<typename TypeParam::Position>);
  static_assert(std::is_trivially_destructible_v<typename TypeParam::Position>);
}

TYPED_TEST(EveryGame, FenRoundTripsAndGivesAnEqualPosition) {
  this->ForRandomPositions(1, 20000, [&](const auto& position) {
    const auto again = this->Again(position);
    ASSERT_EQ(again.Fen(), position.Fen());
    ASSERT_TRUE(again == position) << position.Fen();
    ASSERT_EQ(again.key(), position.key()) << position.Fen();
    ASSERT_EQ(again.EvaluationKey(), position.EvaluationKey()) << position.Fen();
  });
}

TYPED_TEST(EveryGame, MoveTextRoundTripsAndIsUnique) {
  using G = TypeParam;
  typename G::Moves moves;
  this->ForRandomPositions(2, 4000, [&](const auto& position) {
    position.LegalMoves(moves);
    std::set<std::string> texts;
    for (const Move& move : moves) ASSERT_TRUE(texts.insert(G::MoveToText(move)).second);
    // Reading a text goes through all moves, so only some are read.
    for (int i = 0; i < moves.size(); i += 1 + moves.size() / 8) {
      ASSERT_EQ(G::TextToMove(position, G::MoveToText(moves[i])), moves[i]) << position.Fen();
    }
  });
}

TYPED_TEST(EveryGame, EveryMoveTextOfTheStartRoundTrips) {
  using G = TypeParam;
  typename G::Moves moves;
  const auto start = G::Position::Start();
  start.LegalMoves(moves);
  for (const Move& move : moves) EXPECT_EQ(G::TextToMove(start, G::MoveToText(move)), move);
}

TYPED_TEST(EveryGame, PolicyIndexIsUniqueAndInRangeForBothSides) {
  using G = TypeParam;
  typename G::Moves moves;
  std::vector<int> last_seen(static_cast<size_t>(G::kPolicySize), -1);
  int number = 0;
  std::set<Color> sides;
  this->ForRandomPositions(3, 40000, [&](const auto& position) {
    position.LegalMoves(moves);
    sides.insert(position.side_to_move());
    for (const Move& move : moves) {
      const uint16_t index = G::PolicyIndex(position, move);
      ASSERT_LT(index, G::kPolicySize);
      ASSERT_NE(last_seen[index], number)
          << G::MoveToText(move) << " shares its index in " << position.Fen();
      last_seen[index] = number;
    }
    ++number;
  });
  EXPECT_EQ(sides.size(), 2U);
}

TYPED_TEST(EveryGame, MirroringAPolicyIndexTwiceGivesItBack) {
  std::set<uint16_t> images;
  for (int i = 0; i < TypeParam::kPolicySize; ++i) {
    const uint16_t image = TypeParam::MirroredPolicyIndex(static_cast<uint16_t>(i));
    ASSERT_LT(image, TypeParam::kPolicySize);
    ASSERT_EQ(TypeParam::MirroredPolicyIndex(image), i);
    images.insert(image);
  }
  EXPECT_EQ(static_cast<int>(images.size()), TypeParam::kPolicySize);
}

// 500 000 plies of each game: more than a million in all.
TYPED_TEST(EveryGame, IncrementalKeyIsTheComputedOne) {
  int number = 0;
  this->ForRandomPositions(4, 510000, [&](const auto& position) {
    ASSERT_EQ(position.key(), position.ComputeKey()) << position.Fen();
    if (++number % 32 == 0) {
      ASSERT_EQ(this->Again(position).key(), position.key());
    }
  });
}

TYPED_TEST(EveryGame, OtherPositionsHaveOtherKeys) {
  std::map<uint64_t, std::string> seen;
  this->ForRandomPositions(5, 30000, [&](const auto& position) {
    FenBoard board = FenBoard::Of(position);
    board.halfmove_count = 0;
    board.fullmove_number = 1;
    // The King's Landing is part of the key, and not of the FEN.
    const std::string text = board.Fen() + std::to_string(position.settings().kings_landing);
    ASSERT_EQ(seen.emplace(position.key(), text).first->second, text);
  });
  EXPECT_GT(seen.size(), 10000U);
}

TYPED_TEST(EveryGame, CountIsTheLengthOfTheList) {
  typename TypeParam::Moves moves;
  this->ForRandomPositions(6, 40000, [&](const auto& position) {
    position.LegalMoves(moves);
    ASSERT_EQ(position.CountLegalMoves(), moves.size()) << position.Fen();
    ASSERT_LE(moves.size(), TypeParam::kMaxMoves);
  });
}

TYPED_TEST(EveryGame, PlanesStayWithinZeroAndOne) {
  this->ForRandomPositions(7, 6000, [&](const auto& position) {
    for (const float value : this->Planes(position)) {
      ASSERT_GE(value, 0.0F) << position.Fen();
      ASSERT_LE(value, 1.0F) << position.Fen();
    }
  });
}

TYPED_TEST(EveryGame, EncodingByMovesEqualsEncodingByFen) {
  this->ForRandomPositions(8, 6000, [&](const auto& position) {
    const std::vector<float> played = this->Planes(position);
    const std::vector<float> read = this->Planes(this->Again(position));
    ASSERT_EQ(0, std::memcmp(played.data(), read.data(), played.size() * sizeof(float)))
        << position.Fen();
  });
}

TYPED_TEST(EveryGame, EncodingTellsRepetitionAndCountsApart) {
  auto position = TypeParam::Position::Start();
  std::set<std::vector<float>> seen;
  for (const int repetitions : {0, 1, 2}) {
    position.set_repetitions(repetitions);
    EXPECT_TRUE(seen.insert(this->Planes(position)).second);
  }
  FenBoard board = FenBoard::Of(TypeParam::Position::Start());
  for (const uint32_t count : {1U, 50U, 99U}) {
    board.halfmove_count = count;
    EXPECT_TRUE(seen.insert(this->Planes(At<TypeParam>(board.Fen()))).second);
  }
}

TYPED_TEST(EveryGame, EveryPlaneHasANameOfItsOwn) {
  using Names = Encoder<typename TypeParam::Spec>;
  const std::vector<std::string> names = Names::PlaneNames();
  EXPECT_EQ(static_cast<int>(names.size()), TypeParam::kInputPlanes);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  const GameInfo info = InfoOfGame(TypeParam::kName);
  EXPECT_EQ(info.name, TypeParam::kName);
}

TYPED_TEST(EveryGame, RepetitionsAreTheEarlierEqualPositions) {
  Random random(9);
  int most = 0;
  for (int game = 0; game < 150; ++game) {
    std::map<std::string, int> seen;
    RandomGame<TypeParam>(random, SettingsOfGame(game), 300, [&](const auto& state) {
      FenBoard board = FenBoard::Of(state.position());
      board.halfmove_count = 0;
      board.fullmove_number = 1;
      ASSERT_EQ(state.position().repetitions(), seen[board.Fen()]++) << state.position().Fen();
      most = std::max(most, state.position().repetitions());
    });
  }
  EXPECT_EQ(most, 2) << "no game came to a third occurrence";
}

TYPED_TEST(EveryGame, RepetitionsAreCountedThroughALongGame) {
  // Both sides move a piece to and fro for 2 000 plies: the count must not wrap round.
  using G = TypeParam;
  const FenBoard start = [] {
    FenBoard board = FenBoard::Empty(G::kFiles, G::kRanks, G::Spec::kHasHands);
    board.ranks[1][1] = 'K';
    board.ranks[G::kRanks - 2U][G::kFiles - 2U] = 'k';
    return board;
  }();
  GameState<G> game(At<G>(start.Fen()));
  const std::string far = std::to_string(G::kRanks - 1);
  const std::string right(1, static_cast<char>('a' + G::kFiles - 2));
  const std::string end(1, static_cast<char>('a' + G::kFiles - 1));
  for (int i = 0; i < 500; ++i) {
    for (const std::string& text : {std::string("b2a2"), right + far + end + far,
                                    std::string("a2b2"), end + far + right + far}) {
      game.Play(G::TextToMove(game.position(), text));
    }
  }
  EXPECT_EQ(game.position().halfmove_clock(), 2000U);
  EXPECT_EQ(game.position().repetitions(), 255);
  EXPECT_EQ(StateOf(game.position()), "1/2-1/2 fifty");
}

// Every last move, played as the hundredth ply without capture: the goal, mate and stalemate come
// before the 50-move rule, and that before repetition.
TYPED_TEST(EveryGame, EndsOnTheHundredthPlyComeInTheirOrder) {
  using G = TypeParam;
  typename G::Moves moves;
  std::map<EndReason, int> ends;
  this->ForRandomPositions(10, 6000, [&](const auto& position) {
    FenBoard board = FenBoard::Of(position);
    board.halfmove_count = 99;
    const auto last_but_one = At<G>(board.Fen(), position.settings().kings_landing);
    if (last_but_one.WonByGoal()) return;
    last_but_one.LegalMoves(moves);
    for (const Move& move : moves) {
      auto next = last_but_one;
      next.Play(move);
      next.set_repetitions(2);
      const Outcome outcome = next.ComputeOutcome();
      EndReason expected = EndReason::kRepetition;
      if (next.halfmove_clock() == 100) expected = EndReason::kFiftyMoves;
      if (next.CountLegalMoves() == 0) {
        expected = next.InCheck() ? EndReason::kCheckmate : EndReason::kStalemate;
      }
      if (last_but_one.IsGoalMove(move)) expected = G::Spec::kGoalReason;
      ASSERT_EQ(outcome.reason, expected) << next.Fen();
      const bool drawn = expected == EndReason::kFiftyMoves || expected == EndReason::kRepetition;
      ASSERT_EQ(outcome.result, drawn ? Result::kDraw : WinFor(last_but_one.side_to_move()))
          << next.Fen();
      ++ends[expected];
    }
  });
  EXPECT_GT(ends[EndReason::kFiftyMoves], 0);
  EXPECT_GT(ends[EndReason::kRepetition], 0);
  EXPECT_GT(ends[EndReason::kCheckmate], 0);
  EXPECT_GT(ends[G::Spec::kGoalReason], 0);
}

TYPED_TEST(EveryGame, AttackedSquaresAreThoseThatGiveCheck) {
  this->ForRandomPositions(11, 20000, [&](const auto& position) {
    using Geo = typename TypeParam::Position::Geo;
    const Color us = position.side_to_move();
    const Square king = position.king(us);
    if (king == kNoSquare) return;
    ASSERT_EQ((position.AttackedBy(~us) & Geo::Bit(king)) != 0, position.InCheck())
        << position.Fen();
  });
}

TYPED_TEST(EveryGame, AWrongKingsLandingIsRefused) {
  for (const int landing : {-1, 0, 6, 9, 100}) {
    EXPECT_THROW(TypeParam::Position::Start({.kings_landing = landing}), InputError);
  }
}

TYPED_TEST(EveryGame, MaterialIsEvenOnlyWhereTheArmiesAre) {
  using G = TypeParam;
  this->ForRandomPositions(12, 5000, [&](const auto& position) {
    int sum = 0;
    FenBoard board = FenBoard::Of(position);
    std::string all = board.hand;
    for (const std::string& rank : board.ranks) all += rank;
    for (const char letter : all) {
      for (const PieceSpec& piece : G::Spec::kPieces) {
        if (letter == piece.LetterFor(Color::kWhite)) sum += piece.value;
      }
    }
    ASSERT_EQ(G::Material(position, Color::kWhite), sum) << position.Fen();
  });
}

// What a move gains for its side is what the material says afterwards.
TYPED_TEST(EveryGame, GainIsTheChangeOfMaterial) {
  using G = TypeParam;
  typename G::Moves moves;
  this->ForRandomPositions(13, 3000, [&](const auto& position) {
    const Color us = position.side_to_move();
    const auto balance = [us](const auto& p) { return G::Material(p, us) - G::Material(p, ~us); };
    position.LegalMoves(moves);
    for (const Move& move : moves) {
      auto next = position;
      next.Play(move);
      ASSERT_EQ(G::Gain(position, move), balance(next) - balance(position))
          << G::MoveToText(move) << " in " << position.Fen();
    }
  });
}

TEST(Games, AreFoundByName) {
  EXPECT_EQ(GameNamesText(), "khans, serbest");
  EXPECT_THROW(InfoOfGame("chess"), InputError);
  EXPECT_THROW(InfoOfGame(""), InputError);
}

}  // namespace
}  // namespace khanzero
