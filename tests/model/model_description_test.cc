// SPDX-License-Identifier: GPL-3.0-or-later
//
// A reader that has the description alone must be able to turn every policy index into its move.
#include "model/model_description.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "env/error.h"
#include "env/games.h"
#include "env/history.h"
#include "env/random.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

using nlohmann::json;

ModelDescription DescriptionFor(const std::string& game) {
  return {.info = {.game = InfoOfGame(game), .network = {}, .step = 3, .games = 4, .positions = 5}};
}

class DescriptionOfGame : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Games, DescriptionOfGame, testing::ValuesIn(GameNames()),
                         [](const auto& param) { return param.param; });

TEST_P(DescriptionOfGame, SaysWhatTheModelIs) {
  const ModelDescription description = DescriptionFor(GetParam());
  const json about = json::parse(SerializeModelDescription(description));
  const EncodingShape& shape = description.info.game.shape;
  EXPECT_EQ(about["game"], GetParam());
  EXPECT_EQ(about["rules_version"], description.info.game.rules_version);
  EXPECT_EQ(about["encoding_version"], description.info.game.encoding_version);
  EXPECT_EQ(about["step"], 3);
  EXPECT_EQ(about["licence"], "GPL-3.0-or-later");
  EXPECT_EQ(about["rating"], nullptr);
  EXPECT_EQ(about["input"]["planes"].size(), static_cast<size_t>(shape.input_planes));
  EXPECT_EQ(about["input"]["shape"], json({"batch", shape.input_planes, shape.ranks, shape.files}));
  EXPECT_EQ(about["outputs"][0]["shape"], json({"batch", shape.policy_size()}));
  EXPECT_EQ(about["policy"]["planes"].size(), static_cast<size_t>(shape.policy_planes));
}

// The move as the description's words give it, in the manner of MoveToText.
template <Game G>
std::string MoveOf(const json& policy, int index, const typename G::Position& position) {
  const json& plane = policy["planes"][static_cast<size_t>(index / G::kSquares)];
  const bool black = position.side_to_move() == Color::kBlack;
  const auto name = [&](int file, int rank) {
    return std::string(1, static_cast<char>('a' + file)) +
           std::to_string(black ? G::kRanks - rank : rank + 1);
  };
  const int file = index % G::kSquares % G::kFiles;
  const int rank = index % G::kSquares / G::kFiles;
  if (plane.contains("placement")) {
    const std::string piece = plane["placement"];
    return std::string(1, static_cast<char>(std::toupper(piece[0]))) + "@" + name(file, rank);
  }
  const int to_rank = rank + plane["ranks"].get<int>();
  std::string text = name(file, rank) + name(file + plane["files"].get<int>(), to_rank);
  const int from = (black ? G::kRanks - 1 - rank : rank) * G::kFiles + file;
  const char letter = G::Spec::kPieces[position.type_on(static_cast<Square>(from))].letter;
  const std::string key(1, letter);
  if (to_rank == G::kRanks - 1 && policy["promotions"].contains(key)) {
    const std::string choices = policy["promotions"][key];
    text += choices[plane.value("promotion_choice", size_t{0})];
  }
  return text;
}

TEST_P(DescriptionOfGame, PolicyMapGivesEveryLegalMove) {
  const json policy = json::parse(SerializeModelDescription(DescriptionFor(GetParam())))["policy"];
  WithGame(GetParam(), [&]<class G>() {
    Random random(11);
    typename G::Moves moves;
    for (int game = 0; game < 20; ++game) {
      GameState<G> state(G::Position::Start());
      for (int ply = 0; ply < 150; ++ply) {
        state.position().LegalMoves(moves);
        for (const Move& move : moves) {
          const int index = G::PolicyIndex(state.position(), move);
          ASSERT_EQ(MoveOf<G>(policy, index, state.position()), G::MoveToText(move))
              << state.position().Fen();
        }
        if (state.position().OutcomeGiven(!moves.empty()).over()) break;
        state.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
      }
    }
  });
}

TEST(ModelDescriptions, PromotionsOfEveryKindFollowFromTheMap) {
  const json policy = json::parse(SerializeModelDescription(DescriptionFor("khans")))["policy"];
  for (const char* const fen :
       {"r3r2k/1P1P1P2/8/8/8/8/8/4K3 w - - 0 40", "4k3/8/8/8/8/2s1s3/4s3/K7 b - - 3 60",
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 30"}) {
    const Khans::Position position = Khans::Position::FromFen(fen);
    Khans::Moves moves;
    position.LegalMoves(moves);
    for (const Move& move : moves) {
      EXPECT_EQ(MoveOf<Khans>(policy, Khans::PolicyIndex(position, move), position),
                Khans::MoveToText(move));
    }
  }
}

// network.attack_planes leaves these out by their number.
TEST(ModelDescriptions, AttackedSquaresAreTheLastPlanesOfEveryGame) {
  for (const std::string& game : GameNames()) {
    const json planes =
        json::parse(SerializeModelDescription(DescriptionFor(game)))["input"]["planes"];
    ASSERT_GT(planes.size(), size_t{kAttackPlanes});
    EXPECT_EQ(planes[planes.size() - 2], "attacked by mover");
    EXPECT_EQ(planes[planes.size() - 1], "attacked by opponent");
  }
}

TEST(ModelDescriptions, AGameOfAnotherVersionIsDescribedWithoutItsPlanes) {
  ModelDescription description = DescriptionFor("khans");
  description.info.game.encoding_version += 1;
  const json about = json::parse(SerializeModelDescription(description));
  EXPECT_FALSE(about["input"].contains("planes"));
  EXPECT_FALSE(about["policy"].contains("planes"));
}

TEST(ModelDescriptions, TextThatIsNoDescriptionIsRefused) {
  for (const char* const text : {"", "[]", "{}", R"({"format":"khanzero checkpoint"})", "\xff"}) {
    EXPECT_THROWS_WITH(ParseModelDescription(text, "m"), InputError, "m has no description");
  }
  json about = json::parse(SerializeModelDescription(DescriptionFor("khans")));
  about["precision"] = "int3";
  EXPECT_THROWS_WITH(ParseModelDescription(about.dump(), "m"), InputError, "unknown precision");
  about["precision"] = "fp16";
  about["rating"] = {{"elo", "high"}};
  EXPECT_THROWS_WITH(ParseModelDescription(about.dump(), "m"), InputError, "'elo' is no number");
  about["rating"] = nullptr;
  about.erase("step");
  EXPECT_THROWS_WITH(ParseModelDescription(about.dump(), "m"), InputError, "it lacks 'step'");
}

}  // namespace
}  // namespace khanzero
