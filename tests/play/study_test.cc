// SPDX-License-Identifier: GPL-3.0-or-later
//
// What `khanzero study` counts and measures, on constructed cases and by an evaluator that counts
// material.
#include "play/study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "env/games.h"
#include "env/random.h"
#include "play/piece_removal.h"
#include "play/svg.h"
#include "tests/env/random_positions.h"

namespace khanzero {
namespace {

const StudyProgress kQuiet = [](const std::string&, int64_t, int64_t) {};

// Knows the worth of pieces, on the board or in hand, in logits of the expected score: a pawn 0.2,
// a queen nine times that, everything else 0.6; and that White has 0.1 more.
template <Game G>
class MaterialEvaluator : public Evaluator {
 public:
  static double WorthOf(PieceType type) {
    const char letter = G::Spec::kPieces[type].letter;
    return letter == 'k' ? 0.0 : letter == 'p' ? 0.2 : letter == 'q' ? 1.8 : 0.6;
  }
  const EncodingShape& shape() const override { return shape_; }
  void Evaluate(EvaluationBatch& batch) override {
    using E = Encoder<typename G::Spec>;
    batch.PrepareOutputs();
    const auto size = static_cast<size_t>(shape_.input_size());
    for (int i = 0; i < batch.size(); ++i) {
      const auto planes = batch.planes().subspan(static_cast<size_t>(i) * size, size);
      double logit = planes[E::kColorPlane] > 0.5F ? 0.1 : -0.1;
      for (int side = 0; side < 2; ++side) {
        for (int t = 0; t < E::kTypes; ++t) {
          double count = 0.0;
          for (size_t at = static_cast<size_t>(side * E::kTypes + t); at < planes.size();
               at += E::kPlanes) {
            count += static_cast<double>(planes[at]);
          }
          if constexpr (G::Spec::kHasHands) {
            count += static_cast<double>(
                         planes[static_cast<size_t>(E::kHandPlane + side * E::kTypes + t)]) *
                     G::Spec::kPieces[static_cast<size_t>(t)].hand_limit;
          }
          logit += (side == 0 ? 1.0 : -1.0) * count * WorthOf(static_cast<PieceType>(t));
        }
      }
      const double score = 1.0 / (1.0 + std::exp(-logit));
      batch.mutable_wdl(i) = {static_cast<float>(score), 0.0F, static_cast<float>(1.0 - score)};
      std::ranges::fill(batch.mutable_logits(i), 0.0F);
    }
  }

 private:
  EncodingShape shape_ = InfoOf<G>().shape;
};

template <Game G>
std::vector<StudyGame> RandomGames(int count, int plies) {
  std::vector<StudyGame> games;
  for (int i = 0; i < count; ++i) {
    Random random = Random::Stream(5, static_cast<uint64_t>(i));
    StudyGame game{.opening_plies = 2, .result = Result::kDraw, .ending = "cap"};
    GameState<G> state(G::Position::Start());
    typename G::Moves moves;
    for (int ply = 0; ply < plies; ++ply) {
      state.position().LegalMoves(moves);
      if (state.position().OutcomeGiven(!moves.empty()).over()) break;
      game.moves.push_back(RandomMove<G>(moves, game.moves, random));
      state.Play(game.moves.back());
    }
    games.push_back(std::move(game));
  }
  return games;
}

template <class T>
class PieceRemoval : public testing::Test {};
using BothGames = testing::Types<Khans, Serbest>;
class GameNamer {
 public:
  template <class G>
  static std::string GetName(int) {
    return std::string(G::kName);
  }
};
TYPED_TEST_SUITE(PieceRemoval, BothGames, GameNamer);

TYPED_TEST(PieceRemoval, LeavesALegalPositionThatLacksThatPieceAlone) {
  using G = TypeParam;
  Random random(3);
  int removed = 0;
  for (int i = 0; i < 6; ++i) {
    RandomGame<G>(random, {}, 60, [&](const GameState<G>& game) {
      const auto& position = game.position();
      for (int square = 0; square < G::kSquares; ++square) {
        const auto s = static_cast<Square>(square);
        const PieceType type = position.type_on(s);
        if (type == kNoPiece) continue;
        const auto less = Without<G>(position, {position.color_on(s), type, s});
        if (type == G::Spec::kKing || position.InCheck()) {
          EXPECT_FALSE(less);
          continue;
        }
        if (!less) continue;
        ++removed;
        std::string letters = BoardLetters<G>(position);
        letters[s] = ' ';
        EXPECT_EQ(BoardLetters<G>(*less), letters);
        EXPECT_EQ(less->side_to_move(), position.side_to_move());
        EXPECT_EQ(less->halfmove_clock(), position.halfmove_clock());
        EXPECT_EQ(less->repetitions(), position.repetitions());
        EXPECT_FALSE(less->InCheck());
        EXPECT_FALSE(less->ComputeOutcome().over());
        EXPECT_EQ(G::Position::FromFen(less->Fen(), less->settings()).key(), less->key());
      }
    });
  }
  EXPECT_GT(removed, 1000);
}

TEST(PieceRemovalCases, APinnedPieceStays) {
  // The rook on e2 keeps the lancer on e8 from the king.
  const auto pinned = Khans::Position::FromFen("4l2k/8/8/8/8/8/4R3/4K3 w - - 0 1");
  EXPECT_FALSE(Without<Khans>(pinned, {Color::kWhite, KhansSpec::kRook, 12}));
  // Black to move: the king of the side that is not to move would be taken.
  const auto other = Khans::Position::FromFen("4l2k/8/8/8/8/8/4R3/4K3 b - - 0 1");
  EXPECT_FALSE(Without<Khans>(other, {Color::kWhite, KhansSpec::kRook, 12}));
  EXPECT_TRUE(Without<Khans>(pinned, {Color::kBlack, 9, 60}));
}

TEST(PieceRemovalCases, ARookTakesItsCastlingRightWithIt) {
  const auto start = Khans::Position::Start();
  const auto fen_without = [&](Square rook) {
    return Without<Khans>(start, {Color::kWhite, KhansSpec::kRook, rook})->Fen();
  };
  EXPECT_EQ(fen_without(0), "lhatkahl/ssssssss/8/8/8/8/PPPPPPPP/1NBQKBNR w K - 0 1");
  EXPECT_EQ(fen_without(7), "lhatkahl/ssssssss/8/8/8/8/PPPPPPPP/RNBQKBN1 w Q - 0 1");
  const auto one = Khans::Position::FromFen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
  EXPECT_EQ(Without<Khans>(one, {Color::kWhite, KhansSpec::kRook, 0})->Fen(),
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
}

TEST(PieceRemovalCases, OneOfTheHandGoes) {
  const auto start = Serbest::Position::Start();
  const auto less = Without<Serbest>(start, {Color::kBlack, 4, kNoSquare});
  ASSERT_TRUE(less);
  EXPECT_EQ(less->in_hand(Color::kBlack, 4), 1);
  EXPECT_EQ(less->in_hand(Color::kWhite, 4), 2);
  EXPECT_FALSE(Without<Serbest>(start, {Color::kWhite, SerbestSpec::kKing, kNoSquare}));
}

TYPED_TEST(PieceRemoval, ValuesAreThoseThatTheEvaluatorHasForBothSidesAlike) {
  using G = TypeParam;
  MaterialEvaluator<G> evaluator;
  const PieceValueSettings settings{.positions_per_game = 4, .resamples = 100};
  const PieceValues found = MeasurePieceValues(std::string(G::kName), evaluator,
                                               RandomGames<G>(30, 40), settings, kQuiet);
  EXPECT_EQ(found.unit, "pawn");
  EXPECT_GT(found.positions, 50);
  int queens = 0;
  for (const PieceValue& value : found.values) {
    SCOPED_TRACE(value.piece + (value.in_hand ? " in hand" : ""));
    ASSERT_TRUE(value.units);
    const double expected = value.piece == "pawn" ? 1.0 : value.piece == "queen" ? 9.0 : 3.0;
    EXPECT_NE(value.piece, "king");
    // A score is cut before it becomes a logit, and fp32.
    EXPECT_NEAR(value.units->value, expected, 0.02);
    EXPECT_NEAR(value.units->high - value.units->low, 0.0, 0.05);
    EXPECT_GT(value.score.value, 0.0);
    EXPECT_LE(value.games, found.games);
    queens += value.piece == "queen";
  }
  EXPECT_EQ(queens, G::Spec::kHasHands ? 4 : 1);
  const PieceValues again = MeasurePieceValues(std::string(G::kName), evaluator,
                                               RandomGames<G>(30, 40), settings, kQuiet);
  ASSERT_EQ(again.values.size(), found.values.size());
  for (size_t i = 0; i < found.values.size(); ++i) {
    EXPECT_EQ(again.values[i].score.low, found.values[i].score.low);
  }
}

TEST(PieceValuesOf, ANetworkThatKnowsNothingHasNoUnit) {
  UniformEvaluator evaluator(InfoOf<Khans>().shape);
  const PieceValues found =
      MeasurePieceValues("khans", evaluator, RandomGames<Khans>(3, 20), {.resamples = 100}, kQuiet);
  EXPECT_EQ(found.unit, "");
  ASSERT_FALSE(found.values.empty());
  for (const PieceValue& value : found.values) {
    EXPECT_EQ(value.score.value, 0.0);
    EXPECT_FALSE(value.units);
  }
  EXPECT_TRUE(MeasurePieceValues("khans", evaluator, {}, {}, kQuiet).values.empty());
}

TEST(StudyStatistics, WilsonsShares) {
  const Estimate half = WilsonShare(5, 10);
  EXPECT_NEAR(half.low, 0.2366, 1e-4);
  EXPECT_NEAR(half.high, 0.7634, 1e-4);
  const Estimate none = WilsonShare(0, 10);
  EXPECT_EQ(none.low, 0.0);
  EXPECT_NEAR(none.high, 0.2775, 1e-4);
  EXPECT_EQ(WilsonShare(10, 10).high, 1.0);
  EXPECT_NEAR(WilsonShare(10, 10).low, 1.0 - none.high, 1e-12);
}

TEST(StudyStatistics, MeansAndRatiosByGames) {
  // Kind 0 is the unit; kind 1 is always twice it; kind 2 is never seen.
  std::vector<std::vector<GameSums>> sums;
  Random random(1);
  double total = 0.0;
  for (int g = 0; g < 400; ++g) {
    const double x = 1.0 + random.Normal();
    total += x;
    sums.push_back({{1, 0.5, x}, {2, 1.0, 4.0 * x}, {}});
  }
  const GroupedEstimates found = EstimateByGames(sums, {0}, 1000, 7);
  ASSERT_TRUE(found.has_unit);
  EXPECT_NEAR(found.unit.value, total / 400.0, 1e-12);
  // The mean of 400 values with deviation 1 is known to about 1.96 / 20.
  EXPECT_NEAR(found.unit.high - found.unit.low, 2.0 * 1.96 / 20.0, 0.03);
  EXPECT_EQ(found.kinds[0].first.low, 0.5);
  EXPECT_EQ(found.kinds[1].observations, 800);
  EXPECT_NEAR(found.kinds[1].ratio->low, 2.0, 1e-9);
  EXPECT_NEAR(found.kinds[1].ratio->high, 2.0, 1e-9);
  EXPECT_EQ(found.kinds[2].observations, 0);
  EXPECT_FALSE(found.kinds[2].ratio);
  EXPECT_EQ(EstimateByGames(sums, {0}, 1000, 7).unit.low, found.unit.low);
  // A unit that might as well be 0 is none.
  for (auto& game : sums) game[0].second -= total / 400.0;
  EXPECT_FALSE(EstimateByGames(sums, {0}, 1000, 7).has_unit);
  EXPECT_FALSE(EstimateByGames(sums, {2}, 100, 7).has_unit);
}

StudyGame GameOfMoves(const std::vector<std::string>& moves, Result result,
                      const std::string& ending) {
  StudyGame game{.result = result, .ending = ending};
  auto position = Serbest::Position::Start();
  for (const std::string& move : moves) {
    game.moves.push_back(Serbest::TextToMove(position, move));
    position.Play(game.moves.back());
  }
  return game;
}

TEST(StudyCounts, GamesAndPlacements) {
  std::vector<StudyGame> games = {
      GameOfMoves({"N@e4", "N@e8", "N@f4", "Q@a10"}, Result::kWhiteWins, "khan"),
      GameOfMoves({"N@e4", "N@e8", "N@f4", "Q@a10"}, Result::kDraw, "cap"),
      GameOfMoves({"P@a1", "N@d7"}, Result::kBlackWins, "checkmate"),
      GameOfMoves({"R@a1", "N@j10"}, Result::kBlackWins, "checkmate")};
  games[3].opening_plies = 2;  // random moves tell nothing
  const MatchResult counted = CountGames("serbest", games);
  EXPECT_EQ(counted.white().score(), 0.375);
  EXPECT_EQ(counted.endings_by_side.at("checkmate").black_wins, 2);
  EXPECT_EQ(counted.unique_games.size(), 3U);
  EXPECT_EQ(counted.LengthQuantile(1.0), 4);

  const PlacedPieces placed = CountPlacements("serbest", games);
  EXPECT_EQ(placed.games, 4);
  ASSERT_EQ(placed.white.size(), 2U);
  EXPECT_EQ(placed.white[0].piece, "knight");
  EXPECT_EQ(placed.white[0].count, 2);
  EXPECT_NEAR(placed.white[0].share, 2.0 / 3.0, 1e-12);
  EXPECT_EQ(placed.white[0].squares[34], 1.0);  // e4; the second knight does not count
  ASSERT_EQ(placed.black.size(), 2U);
  EXPECT_EQ(placed.black[0].piece, "queen");
  EXPECT_EQ(placed.black[0].squares[0], 1.0);                  // a10 is a1 seen from Black
  EXPECT_NEAR(placed.black[1].squares[24], 2.0 / 3.0, 1e-12);  // e8 is e3
  EXPECT_TRUE(CountPlacements("khans", {}).white.empty());
}

TEST(StudyFirstMovesOf, AreReportedForTheStartAndAfterTheBest) {
  const FirstMoves first =
      StudyFirstMoves("serbest", std::make_unique<MaterialEvaluator<Serbest>>(),
                      {.nodes = 40, .moves = 4, .replies = 2}, kQuiet);
  ASSERT_EQ(first.positions.size(), 3U);
  EXPECT_EQ(first.positions[0].legal_moves, 670);
  EXPECT_EQ(first.positions[0].side, "white");
  EXPECT_EQ(first.positions[1].side, "black");
  EXPECT_EQ(first.positions[0].policy.size(), 4U);
  EXPECT_NEAR(first.positions[0].policy[0].prior, 1.0 / 670.0, 1e-6);
  ASSERT_EQ(first.placements.size(), 7U);
  double all = 0.0;
  for (const PlacementMap& map : first.placements) {
    double sum = 0.0;
    for (const double share : map.squares) sum += share;
    EXPECT_NEAR(sum, 1.0, 1e-9);
    all += map.share;
  }
  EXPECT_NEAR(all, 1.0, 1e-9);
}

size_t CountOf(const std::string& part, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void ExpectPicture(const std::string& svg) {
  EXPECT_TRUE(svg.starts_with("<svg xmlns=")) << svg.substr(0, 80);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(CountOf("<text", svg), CountOf("</text>", svg));
  EXPECT_EQ(CountOf("nan", svg), 0U);
  EXPECT_EQ(CountOf("inf", svg), 0U);
}

TEST(Svg, PicturesOfAnythingAreWellFormed) {
  EXPECT_EQ(XmlText("<a&\"\n\xc3>"), "&lt;a&amp;&quot;??&gt;");
  const std::string bars = Draw(SvgBarChart{
      .title = "<Title>",
      .note = std::string(300, 'x') + " and words to wrap",
      .series = {"one", "two"},
      .bars = {{.label = "a", .value = -2.0, .interval = SvgInterval{-3.0, 1.0}, .text = "-2"},
               {.label = "b", .value = 5.0, .series = 1}}});
  ExpectPicture(bars);
  EXPECT_EQ(CountOf("<Title>", bars), 0U);
  EXPECT_EQ(CountOf("&lt;Title&gt;", bars), 2U);
  EXPECT_EQ(CountOf("class=\"whisker\"", bars), 3U);
  ExpectPicture(Draw(SvgBarChart{}));
  ExpectPicture(Draw(SvgCurveChart{}));
  ExpectPicture(Draw(SvgCurveChart{.curves = {{.name = "one", .points = {{1.0, 1.0, 0.0}}}}}));
  ExpectPicture(Draw(SvgHeatMaps{}));
  ExpectPicture(Draw(SvgHeatMaps{.maps = {{.title = "none", .shares = std::vector<double>(64)}}}));
  const std::string board =
      Draw(SvgBoard{.pieces = std::string(63, ' ') + "K",
                    .arrows = {{.from = 0, .to = 9}, {.from = 5, .to = 5, .label = "N"}}});
  ExpectPicture(board);
  EXPECT_EQ(CountOf("<circle", board), 2U);
}

TEST(StudyPage, ShowsEveryPictureThatIsWritten) {
  Study study{.game = "serbest", .network = "a <b>", .games_from = "a test"};
  study.games = CountGames("serbest", {GameOfMoves({"N@e4"}, Result::kDraw, "cap")});
  study.pieces.values = {{.piece = "pawn", .letter = 'P', .observations = 90, .games = 30}};
  study.first = StudyFirstMoves("serbest", std::make_unique<MaterialEvaluator<Serbest>>(),
                                {.nodes = 5, .moves = 2, .replies = 0}, kQuiet);
  study.placed = CountPlacements("serbest", {GameOfMoves({"N@e4"}, Result::kDraw, "cap")});
  const auto files = StudyFiles(study);
  const std::string& page = files.at("study.md");
  size_t pictures = 0;
  for (const auto& [name, content] : files) {
    if (!name.ends_with(".svg")) continue;
    ++pictures;
    EXPECT_NE(page.find("](" + name + ")"), std::string::npos) << name;
    ExpectPicture(content);
  }
  EXPECT_EQ(pictures, CountOf(".svg)", page));
  EXPECT_TRUE(files.contains("pieces.svg") && files.contains("placements-white.svg"));
  const auto json = nlohmann::json::parse(files.at("study.json"));
  EXPECT_EQ(json.at("games").at("endings").at("cap").at("games"), 1);
  EXPECT_EQ(json.at("pieces").at("values").at(0).at("units"), nullptr);
  EXPECT_EQ(json.at("first_moves").at("placements_in_games").at("games"), 1);
}

}  // namespace
}  // namespace khanzero
