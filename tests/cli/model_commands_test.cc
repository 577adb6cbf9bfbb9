// SPDX-License-Identifier: GPL-3.0-or-later
//
// The commands that take a checkpoint - match, play, uci, export, info - on one that `train` wrote,
// and what they say to bad files and flags.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"
#include "tests/cli/scratch_run.h"

namespace khanzero {
namespace {

using nlohmann::json;

// A run with one checkpoint, made by the shortest training there is.
class ModelCommands : public testing::TestWithParam<std::string> {
 protected:
  ModelCommands() : run_(GetParam()) {
    const RunResult result = RunKhanzero(run_.TrainShortest());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    checkpoint_ = json::parse(result.out).at("checkpoint").get<std::string>();
    latest_ = "latest:" + run_.path().string();
  }

  const std::string& game() const { return GetParam(); }
  std::string other_game() const { return game() == "khans" ? "serbest" : "khans"; }
  std::string File(const std::string& name) const { return (run_.folder() / name).string(); }

  ScratchRun run_;
  std::string checkpoint_;
  std::string latest_;
};

TEST_P(ModelCommands, MatchBetweenANetworkAndABaseline) {
  const RunResult result =
      RunKhanzero({"match", "--game", game(), "--a", latest_, "--b", "random", "--pairs", "3",
                   "--nodes", "4", "--threads", "1", "--max-plies", "40", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(json::accept(result.out)) << result.out;
  const RunResult text = RunKhanzero({"match", "--game", game(), "--a", "checkpoint:" + checkpoint_,
                                      "--b", "greedy", "--pairs", "2", "--nodes", "2",
                                      "--max-plies", "40", "--pgn", File("games.pgn")});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("Games: 4"), std::string::npos) << text.out;
  EXPECT_GT(std::filesystem::file_size(File("games.pgn")), 100U);
}

TEST_P(ModelCommands, ExportIsDescribedByInfo) {
  std::vector<std::string> models = {checkpoint_, latest_};
  for (const std::string format : {"torchscript", "onnx", "safetensors"}) {
    models.push_back(File("model." + format));
    const RunResult exported =
        RunKhanzero({"export", "--checkpoint", latest_, "--format", format, "--precision", "fp16",
                     "--out", models.back(), "--json"});
    ASSERT_EQ(exported.exit_code, 0) << exported.err;
    const json report = json::parse(exported.out);
    EXPECT_EQ(report.at("positions"), 200);
    EXPECT_LT(report.at("max_policy_difference").get<double>(), 5e-2);
    EXPECT_GT(report.at("top1_agreement").get<double>(), 0.95);
  }
  for (const std::string& model : models) {
    const RunResult info = RunKhanzero({"info", model, "--json"});
    ASSERT_EQ(info.exit_code, 0) << info.err;
    EXPECT_EQ(json::parse(info.out).at("game"), game());
    const RunResult text = RunKhanzero({"info", model});
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_NE(text.out.find(game()), std::string::npos) << text.out;
  }
}

TEST_P(ModelCommands, AnExportTellsTheRatingThatTheLadderGives) {
  const auto rating_after = [&](const std::string& ladder) {
    std::ofstream(run_.path() / "ladder.json") << ladder;
    const std::string model = File("rated.safetensors");
    const RunResult exported =
        RunKhanzero({"export", "--checkpoint", latest_, "--format", "safetensors", "--out", model});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    return json::parse(RunKhanzero({"info", model, "--json"}).out).at("rating");
  };
  const std::string name = std::filesystem::path(checkpoint_).filename().string();
  json ladder = {{"anchor", "random"},
                 {"conditions", {{"nodes", 100}}},
                 {"players",
                  {{{"name", "random"}, {"elo", 0}, {"error", 0}},
                   {{"name", name}, {"elo", 321.5}, {"error", 40}}}}};
  EXPECT_EQ(rating_after(ladder.dump()),
            (json{{"anchor", "random"}, {"elo", 321.5}, {"error", 40.0}, {"nodes", 100}}));
  ladder["players"][1]["elo"] = nullptr;
  EXPECT_EQ(rating_after(ladder.dump()), nullptr);
  EXPECT_EQ(rating_after("{"), nullptr);
}

// Everywhere a checkpoint is taken for play, an export is, too.
TEST_P(ModelCommands, AnExportPlays) {
  const std::string model = File("model.safetensors");
  const RunResult exported = RunKhanzero(
      {"export", "--checkpoint", checkpoint_, "--format", "safetensors", "--out", model});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_NE(exported.out.find("on 200 positions"), std::string::npos) << exported.out;
  EXPECT_NE(exported.out.find("the best move is the same in"), std::string::npos) << exported.out;

  const RunResult match =
      RunKhanzero({"match", "--game", game(), "--a", "checkpoint:" + model, "--b", "random",
                   "--pairs", "1", "--nodes", "2", "--max-plies", "20"});
  EXPECT_EQ(match.exit_code, 0) << match.err;
  const RunResult ladder = RunKhanzero({"ladder", "--run", run_.path().string(), "--no-baselines",
                                        "--anchor", "checkpoint:" + model + "@2", "--nodes", "2",
                                        "--max-games", "2", "--threads", "1"});
  EXPECT_EQ(ladder.exit_code, 0) << ladder.err;
  EXPECT_NE(ladder.out.find("model.safetensors@2"), std::string::npos) << ladder.out;
  const RunResult play = RunKhanzero({"play", "--weights", model, "--nodes", "2"}, "quit\n");
  EXPECT_EQ(play.exit_code, 0) << play.err;
  RunningKhanzero engine({"uci", "--weights", model});
  engine.Send("position startpos\ngo nodes 5\n");
  ASSERT_TRUE(engine.WaitFor("bestmove "));
  engine.Send("setoption name WeightsFile value " + latest_ +
              "\nsetoption name WeightsFile value " + model + "\ngo nodes 5\nquit\n");
  EXPECT_EQ(engine.Wait(), 0);
  EXPECT_EQ(engine.printed().find("error"), std::string::npos) << engine.printed();
  const RunResult analyzed = RunKhanzero({"analyze", "--weights", model, "--nodes", "5"});
  EXPECT_EQ(analyzed.exit_code, 0) << analyzed.err;

  ExpectRefused({"match", "--game", other_game(), "--a", "checkpoint:" + model, "--b", "random"},
                "is for the game " + game());
  std::filesystem::resize_file(model, std::filesystem::file_size(model) - 1);
  ExpectRefused({"play", "--weights", model}, "model.safetensors");
  ExpectRefused({"info", model}, "model.safetensors");
}

TEST_P(ModelCommands, UciPlaysAMove) {
  RunningKhanzero engine({"uci", "--weights", latest_});
  engine.Send("uci\n");
  ASSERT_TRUE(engine.WaitFor("uciok"));
  engine.Send("isready\n");
  ASSERT_TRUE(engine.WaitFor("readyok"));
  engine.Send("position startpos\ngo nodes 20\n");
  ASSERT_TRUE(engine.WaitFor("bestmove "));
  engine.Send("go infinite\nstop\n");
  ASSERT_TRUE(engine.WaitFor("bestmove "));
  engine.Send("go infinite\nquit\n");
  EXPECT_EQ(engine.Wait(), 0);
}

TEST_P(ModelCommands, PlayAnswersAPerson) {
  const std::string move = game() == "khans" ? "e2e4" : "N@e4";
  const RunResult result =
      RunKhanzero({"play", "--weights", latest_, "--nodes", "8", "--seed", "1"},
                  "help\nmoves\nnonsense\n" + move + "\nhint\nundo\nfen\nflip\nnew\nquit\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* const part :
       {"You play white", " plays ", "Perhaps ", "is no move", "take your last move back", " w "}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
  // The person as Black: the agent begins.
  const RunResult black =
      RunKhanzero({"play", "--weights", latest_, "--nodes", "8", "--side", "black"}, "quit\n");
  EXPECT_EQ(black.exit_code, 0);
  EXPECT_NE(black.out.find(" plays "), std::string::npos);
  // The end of the input leaves, too.
  EXPECT_EQ(RunKhanzero({"play", "--weights", latest_, "--nodes", "8"}, "").exit_code, 0);
}

TEST_P(ModelCommands, ANetworkOfTheOtherGameIsRefusedWithBothNames) {
  const RunResult match = RunKhanzero(
      {"match", "--game", other_game(), "--a", latest_, "--b", "random", "--pairs", "1"});
  EXPECT_EQ(match.exit_code, 2);
  for (const std::string& name : {game(), other_game()}) {
    EXPECT_NE(match.err.find(name), std::string::npos) << match.err;
  }
  EXPECT_EQ(RunKhanzero({"play", "--weights", latest_, "--game", other_game()}).exit_code, 2);
  EXPECT_EQ(RunKhanzero({"uci", "--weights", latest_, "--variant", other_game()}).exit_code, 2);
}

TEST_P(ModelCommands, DamagedFilesAreRefused) {
  const std::string weights = checkpoint_ + "/weights.safetensors";
  std::filesystem::resize_file(weights, std::filesystem::file_size(weights) - 1);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"info", checkpoint_},
        {"export", "--checkpoint", checkpoint_, "--out", File("model.pt")},
        {"play", "--weights", checkpoint_},
        {"uci", "--weights", checkpoint_},
        {"match", "--game", game(), "--a", latest_, "--b", "random", "--pairs", "1"}}) {
    ExpectRefused(command, "weights.safetensors");
  }
  EXPECT_FALSE(std::filesystem::exists(File("model.pt")));
}

INSTANTIATE_TEST_SUITE_P(Games, ModelCommands, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

TEST(ModelCommandInput, WhatIsNoModelIsRefused) {
  ExpectRefused({"info", "/none"}, "'/none' does not exist");
  ExpectRefused({"info", KHANZERO_BINARY}, "no network of this program");
  ExpectRefused({"play", "--weights", KHANZERO_BINARY}, "no network to play with");
  ExpectRefused({"info", "/tmp"}, "checkpoint");
  ExpectRefused({"info"}, "path is required");
  ExpectRefused({"export", "--checkpoint", "/none", "--out", "/tmp/none.pt"}, "/none");
  ExpectRefused({"export", "--checkpoint", "latest:/none", "--out", "/tmp/none.pt"},
                "the run '/none' has no checkpoint yet");
  ExpectRefused({"export", "--checkpoint", "/none"}, "--out is required");
  ExpectRefused({"export", "--checkpoint", "/none", "--out", "x", "--format", "zip"},
                "torchscript");
  ExpectRefused({"uci", "--weights", "/none"}, "/none");
  ExpectRefused({"uci", "--variant", "chess"}, "chess");
  ExpectRefused({"play"}, "either --weights or --game is needed");
  ExpectRefused({"play", "--against", "greedy"}, "play needs --game");
  ExpectRefused({"play", "--against", "greedy", "--game", "khans", "--fen", "8/8 w"}, "FEN");
  ExpectRefused({"play", "--against", "greedy", "--game", "khans", "--nodes", "0"}, "--nodes");
}

TEST(ModelCommandInput, MatchRefusesBadPlayersAndFlags) {
  const auto match = [](const std::string& a, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"match", "--game", "khans", "--a", a, "--b", "random"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  ExpectRefused(match("rando"), "a player is one of random, greedy");
  ExpectRefused(match("alphabeta:x"), "DEPTH must be a number");
  ExpectRefused(match("checkpoint:/none"), "/none");
  ExpectRefused(match("greedy", {"--pairs", "0"}), "--pairs");
  ExpectRefused(match("greedy", {"--pairs", "many"}), "--pairs");
  ExpectRefused(match("greedy", {"--fen", "nonsense"}), "FEN");
  ExpectRefused(match("greedy", {"--kings-landing", "9"}), "--kings-landing");
  ExpectRefused(match("greedy", {"--pgn", "/none/games.pgn"}), "/none/games.pgn");
  ExpectRefused({"match", "--game", "chess", "--a", "random", "--b", "random"}, "chess");
}

}  // namespace
}  // namespace khanzero
