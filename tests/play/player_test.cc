// SPDX-License-Identifier: GPL-3.0-or-later
//
// What holds for every player, and what the simple ones are good for.
#include <gtest/gtest.h>

#include <algorithm>

#include "env/games.h"
#include "play/make_player.h"

namespace khanzero {
namespace {

using TestedGames = testing::Types<Khans, Serbest>;
struct GameTypeName {
  template <class G>
  static std::string GetName(int) {
    return std::string(G::kName);
  }
};

template <class G>
class EveryPlayer : public testing::Test {
 protected:
  static std::vector<std::unique_ptr<Player<G>>> Players() {
    std::vector<std::unique_ptr<Player<G>>> players;
    for (const char* const spec : {"random", "greedy", "alphabeta:1"}) {
      players.push_back(MakePlayer<G>(spec, {}));
    }
    PlayerSettings settings;
    settings.search.simulations = 12;
    players.push_back(std::make_unique<NetworkPlayer<G>>(
        "network", std::make_unique<UniformEvaluator>(InfoOf<G>().shape), settings));
    return players;
  }

  // Moves of several games that the player plays against itself, up to `plies` each.
  static std::vector<std::vector<Move>> SelfPlay(Player<G>& player, uint64_t seed, int games,
                                                 int plies) {
    std::vector<GameState<G>> states(static_cast<size_t>(games),
                                     GameState<G>(G::Position::Start()));
    std::vector<std::vector<Move>> played(states.size());
    for (int ply = 0; ply < plies; ++ply) {
      std::vector<Turn<G>> turns;
      std::vector<size_t> owners;
      for (size_t i = 0; i < states.size(); ++i) {
        if (states[i].position().ComputeOutcome().over()) continue;
        turns.push_back({&states[i], Mix64(Mix64(seed + i) + static_cast<uint64_t>(ply))});
        owners.push_back(i);
      }
      if (turns.empty()) break;
      std::vector<Move> moves(turns.size());
      player.ChooseMoves(turns, moves);
      for (size_t k = 0; k < moves.size(); ++k) {
        typename G::Moves legal;
        states[owners[k]].position().LegalMoves(legal);
        EXPECT_NE(std::find(legal.begin(), legal.end(), moves[k]), legal.end())
            << player.name() << " in " << states[owners[k]].position().Fen();
        states[owners[k]].Play(moves[k]);
        played[owners[k]].push_back(moves[k]);
      }
    }
    return played;
  }

  static std::string Choose(Player<G>& player, const std::string& fen, uint64_t seed) {
    const GameState<G> game(G::Position::FromFen(fen));
    const Turn<G> turn{&game, seed};
    Move move;
    player.ChooseMoves(std::span(&turn, 1), std::span(&move, 1));
    return G::MoveToText(move);
  }
};
TYPED_TEST_SUITE(EveryPlayer, TestedGames, GameTypeName);

TYPED_TEST(EveryPlayer, PlaysLegalMovesAndTheSameForASeed) {
  for (auto& player : this->Players()) {
    const auto first = this->SelfPlay(*player, 7, 3, 40);
    EXPECT_EQ(first, this->SelfPlay(*player, 7, 3, 40)) << player->name();
    // What is played beside a game does not matter.
    EXPECT_EQ(first[0], this->SelfPlay(*player, 7, 1, 40)[0]) << player->name();
  }
}

TYPED_TEST(EveryPlayer, RandomPlaysOtherGamesForAnotherSeed) {
  auto player = MakePlayer<TypeParam>("random", {});
  const auto games = this->SelfPlay(*player, 7, 2, 20);
  EXPECT_NE(games[0], games[1]);
}

TYPED_TEST(EveryPlayer, RandomReachesEveryMove) {
  using G = TypeParam;
  auto player = MakePlayer<G>("random", {});
  const bool khans = std::is_same_v<G, Khans>;
  const std::string fen =
      khans ? "7k/8/8/8/8/8/8/K7 w - - 0 1" : "9k/10/10/10/10/10/10/10/10/K9[] w - - 0 1";
  std::map<std::string, int> counts;
  for (uint64_t seed = 0; seed < 300; ++seed) ++counts[this->Choose(*player, fen, seed)];
  EXPECT_EQ(counts.size(), 3U);
  for (const auto& [move, count] : counts) EXPECT_GT(count, 60) << move;
}

// A goal in one and a mate in one, for each side.
TYPED_TEST(EveryPlayer, AllButRandomTakeAWinAtHand) {
  using G = TypeParam;
  const std::vector<std::string> fens =
      std::is_same_v<G, Khans>
          ? std::vector<std::string>{"7k/3K4/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/3k4/7K b - - 0 1",
                                     "k7/7R/8/8/8/8/8/K5R1 w - - 0 1",
                                     "4k3/8/8/8/8/6l1/7l/K7 b - - 0 1"}
          : std::vector<std::string>{"10/3K6/10/10/10/10/10/7k2/10/10[] w - - 0 1",
                                     "10/10/10/10/10/10/10/10/3k6/9K[] b - - 0 1",
                                     "k9/9R/10/10/10/10/10/10/10/K7R1[] w - - 0 1",
                                     "k7r1/10/10/10/10/10/10/10/9r/K9[] b - - 0 1"};
  for (const char* const spec : {"greedy", "alphabeta:1", "alphabeta:2", "alphabeta:3"}) {
    auto player = MakePlayer<G>(spec, {});
    for (const std::string& fen : fens) {
      GameState<G> game(G::Position::FromFen(fen));
      const Color mover = game.position().side_to_move();
      game.Play(G::TextToMove(game.position(), this->Choose(*player, fen, 3)));
      EXPECT_EQ(game.position().ComputeOutcome().result, WinFor(mover)) << spec << " in " << fen;
    }
  }
}

TEST(GreedyPlayer, TakesTheDearestPieceThatIsNotDefendedTooWell) {
  GreedyPlayer<Khans> player("greedy");
  const auto choose = [&](const char* fen) {
    const GameState<Khans> game(Khans::Position::FromFen(fen));
    const Turn<Khans> turn{&game, 1};
    Move move;
    player.ChooseMoves(std::span(&turn, 1), std::span(&move, 1));
    return Khans::MoveToText(move);
  };
  // The kheshig on b5 (650) rather than the scout on a4.
  EXPECT_EQ(choose("7k/8/8/1h6/s7/8/1R6/R6K w - - 0 1"), "b2b5");
  // The queen does not take a scout that a lancer protects; the rook takes a free khatun.
  EXPECT_EQ(choose("3l3k/8/8/3s4/8/8/t7/R2Q3K w - - 0 1"), "a1a2");
}

TEST(GreedyPlayer, OtherwiseWalksItsKing) {
  GreedyPlayer<Khans> player("greedy");
  const GameState<Khans> game(Khans::Position::FromFen("8/7k/8/8/8/3K4/P7/8 w - - 0 1"));
  const Turn<Khans> turn{&game, 1};
  Move move;
  player.ChooseMoves(std::span(&turn, 1), std::span(&move, 1));
  EXPECT_EQ(Khans::MoveToText(move).substr(0, 2), "d3");
  EXPECT_EQ(Khans::MoveToText(move).substr(3), "4");
}

TEST(NetworkPlayer, SeveralLeavesGiveLegalMovesToo) {
  PlayerSettings settings;
  settings.search.simulations = 50;
  settings.leaves_per_search = 8;
  UniformEvaluator evaluator(InfoOf<Serbest>().shape);
  const auto player = MakeNetworkPlayer<Serbest>("network", evaluator, settings);
  const GameState<Serbest> game(Serbest::Position::Start());
  const Turn<Serbest> turn{&game, 1};
  Move move;
  player->ChooseMoves(std::span(&turn, 1), std::span(&move, 1));
  EXPECT_NO_THROW(Serbest::TextToMove(game.position(), Serbest::MoveToText(move)));
}

TEST(MakePlayer, RefusesACheckpointThatIsNotThere) {
  EXPECT_THROW(MakePlayer<Khans>("checkpoint:/no/such/folder", {}), InputError);
}

}  // namespace
}  // namespace khanzero
