// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/self_play.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "env/error.h"
#include "tests/train/sample_games.h"
#include "train/replay_window.h"
#include "train/replayed_game.h"
#include "train/run_progress.h"

namespace khanzero {
namespace {

std::map<uint64_t, std::string> ByNumber(const std::vector<GameRecord>& games) {
  std::map<uint64_t, std::string> bytes;
  for (const GameRecord& game : games) bytes[game.number] = SerializeRecord(game);
  return bytes;
}

class SelfPlayGames : public testing::TestWithParam<std::string> {};

TEST_P(SelfPlayGames, EveryRecordReplaysToItsResult) {
  const auto replayer = MakeReplayer(GetParam());
  for (const auto algorithm : {RootAlgorithm::kGumbel, RootAlgorithm::kPuct}) {
    Config config = SmallConfig(GetParam());
    config.search.algorithm = algorithm;
    config.selfplay.random_opening_share = 0.5;
    const std::vector<GameRecord> games = PlayGames(config, 30);
    EXPECT_GE(games.size(), 30U);
    for (const GameRecord& game : games) {
      EXPECT_NO_THROW(replayer->Replay(game));
      EXPECT_FALSE(game.samples.empty());
      EXPECT_LE(game.move_ranks.size(), static_cast<size_t>(config.selfplay.max_plies));
    }
  }
}

TEST_P(SelfPlayGames, CappedGamesSaySo) {
  Config config = SmallConfig(GetParam());
  config.selfplay.max_plies = 6;
  int capped = 0;
  for (const GameRecord& game : PlayGames(config, 20)) {
    if (game.outcome.reason != EndReason::kPlyCap) continue;
    ++capped;
    EXPECT_EQ(game.outcome.result, Result::kDraw);
    EXPECT_EQ(game.move_ranks.size(), 6U);
  }
  EXPECT_GT(capped, 0);
}

TEST_P(SelfPlayGames, TheSameSeedPlaysTheSameGames) {
  const Config config = SmallConfig(GetParam());
  EXPECT_EQ(ByNumber(PlayGames(config, 15)), ByNumber(PlayGames(config, 15)));
}

TEST_P(SelfPlayGames, SeedsAndNumbersPlayDifferentGames) {
  Config config = SmallConfig(GetParam());
  const std::vector<GameRecord> games = PlayGames(config, 15);
  std::set<std::vector<uint16_t>> lines;
  std::set<uint64_t> ids;
  for (const GameRecord& game : games) {
    lines.insert(game.move_ranks);
    ids.insert(game.id);
  }
  EXPECT_EQ(lines.size(), games.size());
  EXPECT_EQ(ids.size(), games.size());
  config.seed = 8;
  for (const GameRecord& game : PlayGames(config, 15)) {
    EXPECT_FALSE(lines.contains(game.move_ranks));
    EXPECT_FALSE(ids.contains(game.id));
  }
}

// A game depends on its number alone: not on how many are played beside it, or before it.
TEST_P(SelfPlayGames, AGameIsTheSameWhateverIsPlayedBesideIt) {
  Config config = SmallConfig(GetParam());
  const auto wide = ByNumber(PlayGames(config, 12));
  config.selfplay.games_per_worker = 1;
  const auto narrow = ByNumber(PlayGames(config, 12));
  config.selfplay.workers = 2;
  config.selfplay.games_per_worker = 3;
  const auto two_workers = ByNumber(PlayGames(config, 12));
  config.selfplay.workers = 1;
  config.selfplay.games_per_worker = 7;
  config.selfplay.batch_size = 3;
  const auto groups = ByNumber(PlayGames(config, 12));
  int common = 0;
  for (const auto& [number, bytes] : narrow) {
    for (const auto* other : {&wide, &two_workers, &groups}) {
      if (!other->contains(number)) continue;
      ++common;
      EXPECT_EQ(other->at(number), bytes) << "number " << number;
    }
  }
  EXPECT_GT(common, 12);
}

// What is learned is what was searched: the temperature chooses the move played, not the target.
TEST_P(SelfPlayGames, TemperatureDoesNotReachTheTarget) {
  Config config = SmallConfig(GetParam());
  config.search.algorithm = RootAlgorithm::kPuct;
  config.search.simulations = 32;
  config.selfplay.random_opening_share = 0.0;
  config.loop.deterministic = true;  // the games that were begun are those that end
  std::vector<std::vector<GameRecord>> played;
  for (const double temperature : {0.1, 1.0, 5.0}) {
    config.selfplay.temperature = temperature;
    played.push_back(PlayGames(config, 8));
    std::ranges::sort(played.back(), {}, &GameRecord::number);
  }
  std::set<std::vector<uint16_t>> lines;
  for (const std::vector<GameRecord>& games : played) {
    // The first game of each: its first search is the same, its moves are not.
    const std::vector<TargetEntry>& target = games.front().samples.front().target;
    const std::vector<TargetEntry>& first = played.front().front().samples.front().target;
    ASSERT_EQ(target.size(), first.size());
    for (size_t i = 0; i < target.size(); ++i) {
      EXPECT_EQ(target[i].rank, first[i].rank);
      EXPECT_EQ(target[i].weight, first[i].weight);
    }
    lines.insert(games.front().move_ranks);
  }
  EXPECT_EQ(lines.size(), 3U);
}

TEST_P(SelfPlayGames, ForcedWinsArePlayed) {
  // Where the search had proven a win, the game was won by that side.
  for (const GameRecord& game : PlayGames(SmallConfig(GetParam()), 40)) {
    for (const SampleRecord& sample : game.samples) {
      if (sample.root_win != 255) continue;
      const Color mover = sample.ply % 2 == 0 ? Color::kWhite : Color::kBlack;
      EXPECT_EQ(game.outcome.result, WinFor(mover)) << "number " << game.number;
    }
  }
}

// Playout cap randomisation: every move is a sample of the value, the configured share of them of
// the policy, and the games replay.
TEST_P(SelfPlayGames, CheapSearchesTeachTheValueAlone) {
  const auto replayer = MakeReplayer(GetParam());
  Config config = WithCheapSearches(SmallConfig(GetParam()));
  config.selfplay.random_opening_share = 0.0;
  int64_t samples = 0;
  int64_t full = 0;
  for (const GameRecord& record : PlayGames(config, 30)) {
    const ReplayedGame game = replayer->Replay(record);
    EXPECT_EQ(record.samples.size(), record.move_ranks.size());
    samples += static_cast<int64_t>(game.samples.size());
    for (size_t i = 0; i < game.samples.size(); ++i) {
      EXPECT_EQ(game.has_policy(i), !record.samples[i].target.empty());
      full += game.has_policy(i) ? 1 : 0;
      EXPECT_TRUE(game.has_policy(i) || record.samples[i].surprise == 0);
    }
  }
  EXPECT_NEAR(static_cast<double>(full) / static_cast<double>(samples), 0.25, 0.06);
  EXPECT_EQ(ByNumber(PlayGames(config, 10)), ByNumber(PlayGames(config, 10)));

  config.selfplay.cheap_samples = false;
  for (const GameRecord& record : PlayGames(config, 10)) {
    EXPECT_EQ(PolicyTargets(record), static_cast<int64_t>(record.samples.size()));
    EXPECT_LT(record.samples.size(), record.move_ranks.size());
    EXPECT_NO_THROW(replayer->Replay(record));
  }
}

// A cheap search has its own number of simulations and spends none on exploring.
TEST_P(SelfPlayGames, CheapSearchesCostTheirSimulations) {
  Config config = SmallConfig(GetParam());
  config.search.simulations = 32;
  config.selfplay.full_search_share = 0.0;
  config.selfplay.cheap_simulations = 3;
  config.selfplay.random_opening_share = 0.0;
  config.loop.deterministic = true;
  const auto self_play = MakeSelfPlay(config);
  GameNumbers numbers({});
  std::set<std::vector<uint16_t>> lines;
  self_play->Play(
      UniformNetwork(GetParam()), 6, numbers,
      [&](const GameRecord& game) {
        lines.insert(game.move_ranks);
        EXPECT_EQ(PolicyTargets(game), 0);
      },
      std::stop_token());
  EXPECT_LE(self_play->counters().simulations, 3 * self_play->counters().positions);
  EXPECT_EQ(lines.size(), 1U);  // without noise every game is the same
}

TEST_P(SelfPlayGames, SomeStartFromPositionsOfEarlierOnes) {
  const auto replayer = MakeReplayer(GetParam());
  Config config = SmallConfig(GetParam());
  if (GetParam() == "serbest") config.kings_landing = 8;
  config.loop.deterministic = true;
  ReplayWindow window(config.learner);
  std::set<std::string> known;
  for (const GameRecord& record : PlayGames(config, 10)) {
    ReplayedGame game = replayer->Replay(record);
    for (size_t ply = 0; ply < game.moves.size(); ++ply) known.insert(replayer->FenAt(game, ply));
    window.Add(std::move(game));
  }
  SelfPlay::Network network = UniformNetwork(GetParam());
  network.earlier_start = [&](uint64_t id, Random& random) -> std::optional<std::string> {
    const ReplayedGame* const game = window.DrawStart(id, random);
    if (game == nullptr) return std::nullopt;
    return replayer->FenAt(*game, random.Below(game->moves.size()));
  };
  config.selfplay.earlier_start_share = 0.5;
  config.selfplay.random_opening_share = 1.0;
  const auto play = [&] {
    std::vector<GameRecord> games;
    GameNumbers numbers({}, 1000);
    MakeSelfPlay(config)->Play(
        network, 60, numbers, [&](GameRecord record) { games.push_back(std::move(record)); },
        std::stop_token());
    return games;
  };
  int earlier = 0;
  for (const GameRecord& record : play()) {
    EXPECT_NO_THROW(replayer->Replay(ParseRecord(SerializeRecord(record))));
    EXPECT_EQ(record.settings.kings_landing, config.kings_landing);
    // Random plies come at the game's own start only.
    EXPECT_EQ(record.samples.front().ply == 0, !record.start_fen.empty());
    if (record.start_fen.empty()) continue;
    ++earlier;
    EXPECT_TRUE(known.contains(record.start_fen)) << record.start_fen;
  }
  EXPECT_NEAR(earlier, 30, 15);
  EXPECT_EQ(ByNumber(play()), ByNumber(play()));
}

// Prefers one move by far: the legal one whose logit comes first.
class PreferringEvaluator : public UniformEvaluator {
 public:
  using UniformEvaluator::UniformEvaluator;
  void Evaluate(EvaluationBatch& batch) override {
    UniformEvaluator::Evaluate(batch);
    for (int i = 0; i < batch.size(); ++i) batch.mutable_logits(i)[0] = 6.0F;
  }
};

TEST_P(SelfPlayGames, SomeBeginWithPliesOfThePolicy) {
  const auto replayer = MakeReplayer(GetParam());
  Config config = SmallConfig(GetParam());
  config.loop.deterministic = true;
  config.selfplay.random_opening_share = 0.0;
  config.selfplay.policy_opening_share = 1.0;
  config.selfplay.policy_opening_plies = 3;
  const auto first_moves = [&](double temperature) {
    config.selfplay.policy_opening_temperature = temperature;
    const SelfPlay::Network network{
        .make_evaluator = []() -> std::unique_ptr<Evaluator> {
          return std::make_unique<PreferringEvaluator>(InfoOfGame(GetParam()).shape);
        },
        .step = 0};
    std::set<uint16_t> moves;
    std::set<int> plies;
    GameNumbers numbers({});
    MakeSelfPlay(config)->Play(
        network, 20, numbers,
        [&](const GameRecord& record) {
          EXPECT_NO_THROW(replayer->Replay(record));
          plies.insert(record.samples.front().ply);  // those before were not searched
          moves.insert(record.move_ranks.front());
        },
        std::stop_token());
    EXPECT_EQ(plies, (std::set<int>{1, 2, 3}));
    return moves.size();
  };
  EXPECT_EQ(first_moves(0.05), 1U);
  EXPECT_GT(first_moves(10.0), 5U);
}

INSTANTIATE_TEST_SUITE_P(Games, SelfPlayGames, testing::ValuesIn(GameNames()),
                         [](const auto& tested) { return tested.param; });

// Progressive simulations: what the network is given with is what its games are searched with.
TEST(SelfPlay, SimulationsComeWithTheNetwork) {
  Config config = SmallConfig("khans");
  config.loop.deterministic = true;
  const auto self_play = MakeSelfPlay(config);
  GameNumbers numbers({});
  const SelfPlayCounters& counters = self_play->counters();
  for (const int simulations : {1, 3, 9}) {
    SelfPlay::Network network = UniformNetwork("khans");
    network.simulations = simulations;
    const int64_t positions = counters.positions;
    const int64_t simulated = counters.simulations;
    self_play->Play(
        network, 3, numbers, [](const GameRecord&) {}, std::stop_token());
    const auto moves = static_cast<double>(counters.positions - positions);
    // A forced win ends a search early.
    EXPECT_LE(static_cast<double>(counters.simulations - simulated), simulations * moves);
    EXPECT_GT(static_cast<double>(counters.simulations - simulated), 0.8 * simulations * moves);
  }
}

TEST(RunProgress, SimulationsGrowByEqualFactors) {
  Config config;
  config.search.simulations = 64;
  EXPECT_EQ(SimulationsAt(config, {.games = 0, .hours = 0.0}), 64);
  config.selfplay.simulations_start = 8;
  config.selfplay.simulations_grow_games = 3000;
  const auto after = [&](int64_t games, double hours) {
    return SimulationsAt(config, {.games = games, .hours = hours});
  };
  EXPECT_EQ(after(0, 9.0), 8);
  EXPECT_EQ(after(1000, 9.0), 16);
  EXPECT_EQ(after(2000, 9.0), 32);
  EXPECT_EQ(after(3000, 9.0), 64);
  EXPECT_EQ(after(1'000'000, 9.0), 64);
  // Over the budget of the run: whichever end is nearer.
  config.selfplay.simulations_grow_games = 0;
  EXPECT_EQ(after(1000, 9.0), 8);
  config.loop.max_hours = 3.0;
  EXPECT_EQ(after(0, 1.0), 16);
  EXPECT_EQ(after(0, 3.5), 64);
  config.loop.max_games = 1500;
  EXPECT_EQ(after(1000, 1.0), 32);
}

TEST(SelfPlay, GamesCarryOverBetweenCalls) {
  const Config config = SmallConfig("khans");
  const auto self_play = MakeSelfPlay(config);
  GameNumbers numbers({});
  std::set<uint64_t> seen;
  for (int64_t step = 0; step < 4; ++step) {
    SelfPlay::Network network = UniformNetwork("khans");
    network.step = step;
    self_play->Play(
        network, 5, numbers,
        [&](const GameRecord& game) {
          EXPECT_TRUE(seen.insert(game.number).second);
          EXPECT_EQ(game.last_network_step, step);
          EXPECT_LE(game.first_network_step, step);
        },
        std::stop_token());
  }
  EXPECT_GE(seen.size(), 20U);
}

class SizeKeepingEvaluator : public UniformEvaluator {
 public:
  SizeKeepingEvaluator(const EncodingShape& shape, std::multiset<int>& sizes)
      : UniformEvaluator(shape), sizes_(sizes) {}
  void Evaluate(EvaluationBatch& batch) override {
    sizes_.insert(batch.size());
    UniformEvaluator::Evaluate(batch);
  }

 private:
  std::multiset<int>& sizes_;
};

// More games than the network is given at once are played in full groups, and all of them get on.
TEST(SelfPlay, GroupsTakeTurns) {
  Config config = SmallConfig("khans");
  config.selfplay.games_per_worker = 10;
  config.selfplay.batch_size = 4;
  std::multiset<int> sizes;
  const SelfPlay::Network network{.make_evaluator = [&]() -> std::unique_ptr<Evaluator> {
                                    return std::make_unique<SizeKeepingEvaluator>(
                                        InfoOfGame("khans").shape, sizes);
                                  },
                                  .step = 0};
  GameNumbers numbers({});
  std::set<uint64_t> ended;
  MakeSelfPlay(config)->Play(
      network, 40, numbers, [&](const GameRecord& game) { ended.insert(game.number); },
      std::stop_token());
  EXPECT_EQ(*sizes.rbegin(), 4);
  EXPECT_GT(sizes.count(4), sizes.size() * 9 / 10);
  for (uint64_t number = 0; number < 10; ++number) EXPECT_TRUE(ended.contains(number)) << number;
}

TEST(SelfPlay, StopEndsIt) {
  const Config config = SmallConfig("khans");
  GameNumbers numbers({});
  std::stop_source stop;
  int games = 0;
  MakeSelfPlay(config)->Play(
      UniformNetwork("khans"), 1'000'000, numbers,
      [&](const GameRecord&) {
        if (++games == 3) stop.request_stop();
      },
      stop.get_token());
  EXPECT_GE(games, 3);
  EXPECT_LT(games, 100);
}

class ThrowingEvaluator : public UniformEvaluator {
 public:
  using UniformEvaluator::UniformEvaluator;
  void Evaluate(EvaluationBatch& batch) override {
    if (++calls_ == 20) throw RuntimeFailure("the device went away");
    UniformEvaluator::Evaluate(batch);
  }

 private:
  int calls_ = 0;
};

TEST(SelfPlay, AnEvaluatorThatThrowsEndsEveryWorker) {
  Config config = SmallConfig("khans");
  config.selfplay.workers = 3;
  GameNumbers numbers({});
  std::atomic<int> made = 0;
  const SelfPlay::Network network{.make_evaluator = [&]() -> std::unique_ptr<Evaluator> {
                                    const EncodingShape shape = InfoOfGame("khans").shape;
                                    if (made++ == 0)
                                      return std::make_unique<ThrowingEvaluator>(shape);
                                    return std::make_unique<UniformEvaluator>(shape);
                                  },
                                  .step = 0};
  EXPECT_THROW(MakeSelfPlay(config)->Play(
                   network, 1'000'000, numbers, [](const GameRecord&) {}, std::stop_token()),
               RuntimeFailure);
}

TEST(GameNumbers, MissingOnesComeFirst) {
  GameNumbers numbers({0, 1, 3, 6});
  std::vector<uint64_t> next;
  for (int i = 0; i < 6; ++i) next.push_back(numbers.Next());
  EXPECT_EQ(next, (std::vector<uint64_t>{2, 4, 5, 7, 8, 9}));
  EXPECT_EQ(GameNumbers({}).Next(), 0U);
}

}  // namespace
}  // namespace khanzero
