// SPDX-License-Identifier: GPL-3.0-or-later
//
// Networks as players: one network on both sides shares its batches, and time ends a search.
#include "play/network_player.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "env/games.h"
#include "play/match.h"

namespace khanzero {
namespace {

// Counts what it is asked.
class CountingEvaluator : public UniformEvaluator {
 public:
  using UniformEvaluator::UniformEvaluator;
  void Evaluate(EvaluationBatch& batch) override {
    largest_ = std::max(largest_, batch.size());
    ++calls_;
    UniformEvaluator::Evaluate(batch);
  }
  int largest() const { return largest_; }
  int calls() const { return calls_; }

 private:
  int largest_ = 0;
  int calls_ = 0;
};

Contestant Network(Evaluator& evaluator, RootAlgorithm algorithm, int simulations) {
  Contestant network{.name = "network", .evaluator = &evaluator};
  network.settings.search = {.algorithm = algorithm, .simulations = simulations};
  return network;
}

std::string WithoutComments(const std::string& pgn) {
  std::string text;
  bool comment = false;
  for (const char c : pgn) {
    if (c == '{') comment = true;
    if (!comment && c != '\n' && c != ' ') text += c;
    if (c == '}') comment = false;
  }
  return text;
}

std::vector<std::string> GamesOf(const Contestant& a, const Contestant& b) {
  MatchSettings settings;
  settings.pairs = 4;
  settings.max_plies = 24;
  settings.concurrency = 8;
  std::vector<std::string> games;
  settings.on_pgn = [&](const FinishedGame&, const std::string& pgn) {
    games.push_back(WithoutComments(pgn));
  };
  PlayMatch("khans", a, b, settings);
  std::sort(games.begin(), games.end());
  return games;
}

TEST(NetworkPlayer, OneNetworkOnBothSidesSharesItsBatchesAndPlaysTheSame) {
  const EncodingShape shape = InfoOf<Khans>().shape;
  CountingEvaluator shared(shape);
  const auto together = GamesOf(Network(shared, RootAlgorithm::kGumbel, 16),
                                Network(shared, RootAlgorithm::kPuct, 24));
  CountingEvaluator first(shape);
  CountingEvaluator second(shape);
  const auto apart = GamesOf(Network(first, RootAlgorithm::kGumbel, 16),
                             Network(second, RootAlgorithm::kPuct, 24));
  EXPECT_EQ(together.size(), 8U);
  EXPECT_EQ(together, apart);
  EXPECT_EQ(shared.largest(), 8) << "all games are evaluated together";
  EXPECT_GT(first.calls() + second.calls(), 0);
}

TEST(NetworkPlayer, SaysWhatItThinks) {
  UniformEvaluator evaluator(InfoOf<Khans>().shape);
  const auto player = MakeNetworkPlayer<Khans>("network", evaluator, {});
  const auto ask = [&](const char* fen) {
    const GameState<Khans> game(Khans::Position::FromFen(fen));
    const Turn<Khans> turn{&game, 1};
    Choice choice;
    player->Choose(std::span(&turn, 1), std::span(&choice, 1));
    return choice.report;
  };
  const MoveReport even = ask("7k/8/8/8/8/8/8/K7 w - - 0 1");
  EXPECT_EQ(even.centipawns, 0);
  EXPECT_EQ(even.nodes, 100);
  EXPECT_GT(even.depth, 0);
  EXPECT_EQ(ask("7k/3K4/8/8/8/8/8/8 w - - 0 1").mate, 1);
}

struct Timed {
  MoveReport report;
  bool is_legal = false;
};

Timed ChooseByTime(const PlayerSettings& settings, const UciLimits& limits) {
  UniformEvaluator evaluator(InfoOf<Serbest>().shape);
  const auto player = MakeNetworkPlayer<Serbest>("network", evaluator, settings);
  const GameState<Serbest> game(Serbest::Position::Start());
  const Turn<Serbest> turn{.game = &game, .limits = limits};
  Choice choice;
  player->Choose(std::span(&turn, 1), std::span(&choice, 1));
  Serbest::Moves legal;
  game.position().LegalMoves(legal);
  return {choice.report, std::find(legal.begin(), legal.end(), choice.move) != legal.end()};
}

TEST(NetworkPlayer, EndsASearchWhenItsTimeIsUp) {
  UciLimits limits;
  limits.movetime_ms = 1;
  EXPECT_TRUE(ChooseByTime({}, limits).is_legal);
  limits = {};
  limits.white_time_ms = 30;
  EXPECT_TRUE(ChooseByTime({}, limits).is_legal);
}

TEST(NetworkPlayer, NodesEndASearchByTimeToo) {
  UciLimits limits;
  limits.movetime_ms = 100'000'000;
  limits.nodes = 50;
  const Timed timed = ChooseByTime({}, limits);
  EXPECT_TRUE(timed.is_legal);
  EXPECT_GE(timed.report.nodes, 50);
  EXPECT_LT(timed.report.nodes, 50 + 64);
}

TEST(NetworkPlayer, AStopEndsASearchByTime) {
  std::stop_source stop;
  stop.request_stop();
  PlayerSettings settings;
  settings.stop = stop.get_token();
  UciLimits limits;
  limits.movetime_ms = 100'000'000;
  EXPECT_TRUE(ChooseByTime(settings, limits).is_legal);
}

}  // namespace
}  // namespace khanzero
