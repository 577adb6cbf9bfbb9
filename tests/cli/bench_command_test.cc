// SPDX-License-Identifier: GPL-3.0-or-later
//
// Short measurements of a tiny network. What is tested is that every figure is there and fits the
// others; how fast a machine is is no question of tests.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_binary.h"
#include "tests/cli/scratch_run.h"

namespace khanzero {
namespace {

using nlohmann::json;

class BenchCommand : public testing::TestWithParam<std::string> {
 protected:
  std::vector<std::string> Arguments(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {
        "bench", "--config", (run_.folder() / "tiny.yaml").string(), "--seconds", "0.3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  json RunJson(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = Arguments(more);
    arguments.emplace_back("--json");
    const RunResult result = RunKhanzero(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(result.err.starts_with("measuring ")) << result.err;
    return json::parse(result.out, nullptr, false);
  }

  // What tests/golden says of the search of this game: "gumbel: 2412 nodes, ..." on each line.
  json GoldenSignature() const {
    std::ifstream file(std::string(KHANZERO_TEST_DATA) + "/../golden/signature_" + GetParam() +
                       ".txt");
    json signature;
    for (std::string line; std::getline(file, line);) {
      const size_t colon = line.find(": ");
      signature[line.substr(0, colon)] = line.substr(colon + 2);
    }
    return signature;
  }

  const ScratchRun run_{GetParam()};
};

void ExpectRatio(const json& ratio) {
  EXPECT_GT(ratio.at("least"), 0.0);
  EXPECT_LE(ratio.at("least"), ratio.at("median"));
  EXPECT_LE(ratio.at("median"), ratio.at("greatest"));
}

void ExpectSelfPlayFiguresFitEachOther(const json& play) {
  EXPECT_GT(play.at("evaluations_per_second"), 0.0);
  EXPECT_GT(play.at("moves_per_second"), 0.0);
  ASSERT_GT(play.at("games_ended"), 0);
  // Games are cut off at 24 plies.
  EXPECT_LE(play.at("positions_per_game"), 24.0);
  EXPECT_GT(play.at("positions_per_game"), 1.0);
  const double length = play.at("positions_per_game");
  const double moves = play.at("moves_per_second");
  EXPECT_NEAR(play.at("games_per_hour").get<double>(), 3600.0 * moves / length, 1e-3 * moves);
  EXPECT_NEAR(play.at("games_per_day").get<double>(), 86400.0 * moves / length, 1e-2 * moves);
  EXPECT_NEAR(play.at("bytes_per_game").get<double>(),
              length * play.at("bytes_per_position").get<double>(), 1e-3);
  double time = 0.0;
  for (const char* const part :
       {"inference_share", "encode_share", "tree_share", "waiting_share"}) {
    EXPECT_GE(play.at(part), 0.0) << part;
    time += play.at(part).get<double>();
  }
  EXPECT_GT(play.at("inference_share"), 0.0);
  EXPECT_NEAR(time, 1.0, 0.05);
  for (const char* const share : {"cache_hit_share", "terminal_share"}) {
    EXPECT_GE(play.at(share), 0.0) << share;
    EXPECT_LE(play.at(share), 1.0) << share;
  }
}

void ExpectRecommendedIsMeasured(const json& bench) {
  const json& recommended = bench.at("recommended");
  bool found = false;
  for (const json& rate : bench.at("raw")) {
    found |= rate.at("batch") == recommended.at("batch_size");
  }
  EXPECT_TRUE(found) << recommended;
  found = false;
  for (const json& rate : bench.at("raw_threads")) {
    found |= rate.at("threads") == recommended.at("workers");
  }
  EXPECT_TRUE(found) << recommended;
  EXPECT_GT(recommended.at("games_per_day"), 0.0);
}

TEST_P(BenchCommand, MeasuresEverythingInOneRun) {
  const json bench = RunJson({"--set", "selfplay.games_per_worker=12"});
  EXPECT_EQ(bench.at("game"), GetParam());
  EXPECT_EQ(bench.at("network").at("weights"), "random");
  EXPECT_EQ(bench.at("network").at("channels"), 8);
  for (const char* const fact : {"device", "precision", "computed_by", "cpu_isa"}) {
    EXPECT_NE(bench.at("inference").at(fact), "") << fact;
  }
  std::vector<int> batches;
  for (const json& rate : bench.at("raw")) {
    batches.push_back(rate.at("batch"));
    EXPECT_GT(rate.at("positions_per_second"), 0.0);
  }
  EXPECT_EQ(batches, (std::vector<int>{1, 2, 4, 8, 12, 16, 32, 64, 128, 256, 512, 1024}));
  EXPECT_EQ(bench.at("raw_threads").at(0).at("threads"), 1);
  EXPECT_EQ(bench.at("configured").at("batch"), 12);
  EXPECT_GE(bench.at("ceiling").at("positions_per_second"),
            bench.at("configured").at("positions_per_second"));
  ExpectRatio(bench.at("efficiency"));
  ExpectRatio(bench.at("batch_efficiency"));
  ExpectRatio(bench.at("learner").at("efficiency"));
  EXPECT_GT(bench.at("learner").at("samples_per_second"), 0.0);
  const json& ways = bench.at("arithmetics");
  EXPECT_EQ(ways.at(0).at("name"), "LibTorch fp32");
  EXPECT_EQ(ways.at(0).at("top_move_agreement"), 1.0);
  int in_use = 0;
  for (const json& way : ways) {
    EXPECT_GT(way.at("positions_per_second"), 0.0) << way;
    EXPECT_GT(way.at("top_move_agreement"), 0.5) << way;
    EXPECT_LT(way.at("mean_score_error"), 0.05) << way;
    in_use += way.at("in_use").get<bool>() ? 1 : 0;
  }
  EXPECT_EQ(in_use, 1);
  EXPECT_EQ(bench.at("signature"), GoldenSignature());
  ExpectSelfPlayFiguresFitEachOther(bench.at("self_play"));
  ExpectRecommendedIsMeasured(bench);
}

TEST_P(BenchCommand, TextSaysWhatToSet) {
  const RunResult result = RunKhanzero(Arguments({}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* const part : {"1 blocks x 8 channels, value_hidden 8, weights: random\n",
                                 "on cpu, fp32, by ",
                                 "The network alone (1 thread)",
                                 "  best",
                                 "  configured",
                                 "Self-play, 1 worker with 4 games each, 2 simulations a move\n",
                                 "evaluations/s",
                                 "of the ceiling",
                                 "from cache",
                                 "at game's end",
                                 "moves/s",
                                 "games/h",
                                 "bytes a game",
                                 "waiting ",
                                 "Learner, 16 samples a step\n",
                                 "samples/s",
                                 "  selfplay:\n    workers: ",
                                 "    games_per_worker: ",
                                 " games a day",
                                 "  gumbel  2412 nodes"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
}

TEST_P(BenchCommand, MeasuresATrainedNetwork) {
  ASSERT_EQ(RunKhanzero(run_.Train({"--json"})).exit_code, 0);
  const std::string weights = "latest:" + run_.path().string();
  // The network is the checkpoint's, whatever the configuration says.
  const json bench = RunJson({"--weights", weights, "--set", "network.channels=16"});
  EXPECT_EQ(bench.at("network").at("channels"), 8);
  EXPECT_EQ(bench.at("network").at("weights"), weights);
  const std::string other = GetParam() == "khans" ? "serbest" : "khans";
  EXPECT_EQ(RunKhanzero(Arguments({"--weights", weights, "--set", "game=" + other})).exit_code, 2);
}

INSTANTIATE_TEST_SUITE_P(Games, BenchCommand, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

TEST(BenchCommandInput, BadUsageIsRefused) {
  ExpectRefused({"bench", "--config", "/none.yaml"}, "/none.yaml");
  ExpectRefused({"bench", "--confg", "x"}, "did you mean '--config'?");
  ExpectRefused({"bench", "--set", "search.simulation=3"}, "did you mean 'simulations'?");
  ExpectRefused({"bench", "--seconds", "0"}, "--seconds");
  ExpectRefused({"bench", "--seconds", "long"}, "--seconds");
  ExpectRefused({"bench", "--weights", "/none"}, "/none");
  ExpectRefused({"bench", "--weights", "latest:/none"}, "/none");
  ExpectRefused({"bench", "khans"}, "khans");
}

}  // namespace
}  // namespace khanzero
