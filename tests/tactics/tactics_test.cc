// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tactical suite: the search finds forced wins without any knowledge but the rules. The suite's
// claims are checked first, by exhaustive search and by the naive rules engine.
#include <map>
#include <set>

#include "tests/mcts/search_testing.h"
#include "tests/naive/naive_rules.h"
#include "tests/tactics/exhaustive.h"
#include "tests/tactics/suite.h"

namespace khanzero {
namespace {

constexpr int kSimulations = 2000;
// Of the wins in five plies one in so many is verified by exhaustive search.
constexpr size_t kFiveShare = 6;

template <Game G>
const std::vector<Tactic>& Suite() {
  static const std::vector<Tactic> suite = LoadTactics<G>(
      std::string(KHANZERO_TEST_DATA) + "/tactics/" + std::string(G::kName) + ".txt");
  return suite;
}

template <Game G>
typename G::Position PositionOf(const Tactic& tactic) {
  return G::Position::FromFen(tactic.fen, tactic.settings);
}

template <Game G>
std::vector<std::string> Texts(const std::vector<Move>& moves) {
  std::vector<std::string> texts;
  for (const Move& move : moves) texts.push_back(G::MoveToText(move));
  return texts;
}

bool Contains(const std::vector<std::string>& moves, const std::string& move) {
  return std::find(moves.begin(), moves.end(), move) != moves.end();
}

template <class G>
class Tactics : public testing::Test {};
TYPED_TEST_SUITE(Tactics, TestedGames, GameTypeName);

// --- The suite itself ------------------------------------------------------------------------

TYPED_TEST(Tactics, TheSuiteIsLargeAndVaried) {
  using G = TypeParam;
  const std::vector<Tactic>& suite = Suite<G>();
  EXPECT_GE(suite.size(), 500U);
  std::set<std::string> boards;
  std::map<std::pair<int, Color>, int> count;
  std::map<int, int> goals;
  int mates_by_placement = 0;
  int both_hold_pieces = 0;
  int landing_of_8 = 0;
  for (const Tactic& tactic : suite) {
    const auto position = PositionOf<G>(tactic);
    EXPECT_FALSE(position.ComputeOutcome().over()) << tactic.fen;
    EXPECT_TRUE(boards.insert(tactic.fen.substr(0, tactic.fen.find(" -"))).second) << tactic.fen;
    ++count[{tactic.plies, position.side_to_move()}];
    const Move first = G::TextToMove(position, tactic.moves.at(0));
    goals[tactic.plies] += position.IsGoalMove(first) ? 1 : 0;
    mates_by_placement += tactic.plies == 1 && first.kind == MoveKind::kPlacement ? 1 : 0;
    const size_t hand = tactic.fen.find('[');
    if (hand != std::string::npos) {
      const std::string held = tactic.fen.substr(hand + 1, tactic.fen.find(']') - hand - 1);
      const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
      const auto white = std::count_if(held.begin(), held.end(), is_upper);
      both_hold_pieces += white > 0 && white < static_cast<int>(held.size()) ? 1 : 0;
    }
    landing_of_8 += tactic.settings.kings_landing == 8 ? 1 : 0;
  }
  for (const Color side : {Color::kWhite, Color::kBlack}) {
    EXPECT_GE((count[{1, side}]), 100) << Name(side);
    EXPECT_GE((count[{3, side}]), 100) << Name(side);
    EXPECT_GE((count[{5, side}]), 60) << Name(side);
  }
  EXPECT_EQ(suite.size(), boards.size());
  EXPECT_GE(goals[1], 50);
  EXPECT_LE(goals[1] * 2, count[std::pair(1, Color::kWhite)] + count[std::pair(1, Color::kBlack)]);
  if (G::kHasSettings) {
    EXPECT_GE(mates_by_placement, 20);
    EXPECT_GE(both_hold_pieces, 100);
    EXPECT_GE(landing_of_8, 200);
    EXPECT_LE(landing_of_8, static_cast<int>(suite.size()) - 200);
  }
}

TYPED_TEST(Tactics, ExhaustiveSearchAgreesWithTheSuite) {
  using G = TypeParam;
  ExhaustiveSearch<G> exhaustive;
  size_t fives = 0;
  for (const Tactic& tactic : Suite<G>()) {
    if (tactic.plies == 5 && fives++ % kFiveShare != 0) continue;
    const auto position = PositionOf<G>(tactic);
    // Five plies take long to search for every first move. What is checked is that nothing wins
    // sooner and that the first move named wins.
    if (tactic.plies == 5) {
      EXPECT_EQ(exhaustive.ShortestWin(position, 3).plies, 0) << tactic.fen;
      auto next = position;
      next.Play(G::TextToMove(position, tactic.moves[0]));
      EXPECT_EQ(exhaustive.PliesToLoss(next, 4), 4) << tactic.fen;
      continue;
    }
    const ForcedWin win = exhaustive.ShortestWin(position, tactic.plies);
    EXPECT_EQ(win.plies, tactic.plies) << tactic.fen;
    std::vector<std::string> found = Texts<G>(win.moves);
    std::vector<std::string> named = tactic.moves;
    std::sort(found.begin(), found.end());
    std::sort(named.begin(), named.end());
    EXPECT_EQ(found, named) << tactic.fen;
  }
}

// Plays the win against every defence, with the naive engine as the referee and its moves as the
// defences; the attacker's moves after the first come from the exhaustive search.
template <Game G>
bool WinsInTheNaiveEngine(const naive::NaiveGame& game, const std::string& move, int plies,
                          const Tactic& tactic, ExhaustiveSearch<G>& exhaustive) {
  const std::string won = game.Fen().find(" w ") != std::string::npos ? "1-0" : "0-1";
  naive::NaiveGame next = game;
  next.Play(move);
  const naive::Ending ending = next.CurrentEnding();
  if (ending.result != "*") return ending.result == won;
  if (plies <= 1) return false;
  for (const std::string& reply : next.LegalMoves()) {
    naive::NaiveGame answered = next;
    answered.Play(reply);
    if (answered.CurrentEnding().result != "*") return false;
    const auto position = G::Position::FromFen(answered.Fen(), tactic.settings);
    const ForcedWin win = exhaustive.ShortestWin(position, plies - 2);
    if (win.plies == 0 || !WinsInTheNaiveEngine<G>(answered, G::MoveToText(win.moves[0]), plies - 2,
                                                   tactic, exhaustive)) {
      return false;
    }
  }
  return true;
}

TYPED_TEST(Tactics, NaiveEngineAgreesWithTheSuite) {
  using G = TypeParam;
  ExhaustiveSearch<G> exhaustive;
  for (const Tactic& tactic : Suite<G>()) {
    if (tactic.plies == 5) continue;
    const naive::NaiveGame game =
        naive::NaiveGame::FromFen(std::string(G::kName), tactic.fen, tactic.settings.kings_landing);
    EXPECT_EQ(game.CurrentEnding().result, "*") << tactic.fen;
    EXPECT_TRUE(WinsInTheNaiveEngine<G>(game, tactic.moves[0], tactic.plies, tactic, exhaustive))
        << tactic.fen;
  }
}

// --- The search ------------------------------------------------------------------------------

struct Share {
  int found = 0;
  int total = 0;
  std::vector<std::string> missed;
};
// By plies, side and algorithm.
using Shares = std::map<std::tuple<int, Color, RootAlgorithm>, Share>;

// Counts what is found of the wins in `plies`: proven with that distance, and a move of the
// shortest win chosen.
template <Game G>
void SearchSuite(int plies, Shares& shares) {
  UniformEvaluator evaluator(InfoOf<G>().shape);
  for (const Tactic& tactic : Suite<G>()) {
    if (tactic.plies != plies) continue;
    const GameState<G> game(PositionOf<G>(tactic));
    for (const RootAlgorithm algorithm : kBothAlgorithms) {
      const auto searched = SearchGame(game, SettingsFor(algorithm, kSimulations), evaluator);
      EXPECT_LE(searched.search->counters().simulations, static_cast<uint64_t>(kSimulations));
      // A proof is never wrong: it may be longer than the shortest win, never shorter.
      EXPECT_TRUE(searched.result.proof == Proof::kWin || searched.result.proof == Proof::kUnknown)
          << tactic.fen;
      if (searched.result.proof == Proof::kWin) {
        EXPECT_GE(searched.result.proof_plies, plies) << tactic.fen;
      }
      Share& share = shares[{plies, game.position().side_to_move(), algorithm}];
      ++share.total;
      if (searched.result.proof == Proof::kWin && searched.result.proof_plies == plies &&
          Contains(tactic.moves, G::MoveToText(searched.best().move))) {
        ++share.found;
      } else {
        share.missed.push_back(TacticText<G>(tactic));
      }
    }
  }
}

// The least share in percent, for each side on its own.
struct Floors {
  double gumbel;
  double puct;
};

void ExpectShares(const Shares& shares, const Floors& floors) {
  for (const auto& [key, share] : shares) {
    const auto& [plies, side, algorithm] = key;
    const double floor = algorithm == RootAlgorithm::kGumbel ? floors.gumbel : floors.puct;
    const std::string name = "wins_in_" + std::to_string(plies) + "_" + std::string(Name(side)) +
                             "_" + std::string(kRootAlgorithmNames[static_cast<size_t>(algorithm)]);
    testing::Test::RecordProperty(
        name, std::to_string(share.found) + " of " + std::to_string(share.total));
    std::string missed;
    for (size_t i = 0; i < std::min<size_t>(10, share.missed.size()); ++i) {
      missed += "\n  " + share.missed[i];
    }
    EXPECT_GE(100.0 * share.found, floor * share.total)
        << name << ": " << share.found << " of " << share.total << "; missed:" << missed;
  }
}

TYPED_TEST(Tactics, FindsEveryWinInOnePly) {
  Shares shares;
  SearchSuite<TypeParam>(1, shares);
  ExpectShares(shares, {.gumbel = 100.0, .puct = 100.0});
}

TYPED_TEST(Tactics, FindsWinsInThreePlies) {
  Shares shares;
  SearchSuite<TypeParam>(3, shares);
  ExpectShares(shares, {.gumbel = 95.0, .puct = 95.0});
}

// No goal but a measure, whose floors lie just below what was measured: without knowledge the
// moves of The Serbest are too many to see five plies through.
TYPED_TEST(Tactics, FindsWinsInFivePlies) {
  constexpr bool kKhans = std::is_same_v<TypeParam, Khans>;
  Shares shares;
  SearchSuite<TypeParam>(5, shares);
  ExpectShares(shares,
               kKhans ? Floors{.gumbel = 36.0, .puct = 55.0} : Floors{.gumbel = 3.0, .puct = 7.0});
}

// --- The longest defence ---------------------------------------------------------------------

// Every position after a winning move is lost for the side to move in one ply less. Where the
// search proves that, it plays a move that holds out longest.
TYPED_TEST(Tactics, PlaysTheLongestDefence) {
  using G = TypeParam;
  UniformEvaluator evaluator(InfoOf<G>().shape);
  ExhaustiveSearch<G> exhaustive;
  std::map<int, int> proven;
  size_t threes = 0;
  for (const Tactic& tactic : Suite<G>()) {
    if (tactic.plies == 1 || (tactic.plies == 3 && threes++ % 4 != 0)) continue;
    GameState<G> game(PositionOf<G>(tactic));
    game.Play(G::TextToMove(game.position(), tactic.moves[0]));
    for (const RootAlgorithm algorithm : kBothAlgorithms) {
      const auto searched = SearchGame(game, SettingsFor(algorithm, kSimulations), evaluator);
      ASSERT_NE(searched.result.proof, Proof::kWin) << tactic.fen;
      ASSERT_NE(searched.result.proof, Proof::kDraw) << tactic.fen;
      if (searched.result.proof != Proof::kLoss) continue;
      ++proven[tactic.plies];
      EXPECT_GE(searched.result.proof_plies, tactic.plies - 1) << tactic.fen;
      auto next = game.position();
      next.Play(searched.best().move);
      EXPECT_EQ(exhaustive.ShortestWin(next, tactic.plies - 2).plies, tactic.plies - 2)
          << tactic.fen << " " << tactic.moves[0] << " " << G::MoveToText(searched.best().move);
    }
  }
  for (const int plies : {3, 5}) {
    testing::Test::RecordProperty("losses_proven_in_" + std::to_string(plies - 1), proven[plies]);
    EXPECT_GE(proven[plies], 10) << plies;
  }
}

}  // namespace
}  // namespace khanzero
