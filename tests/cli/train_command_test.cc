// SPDX-License-Identifier: GPL-3.0-or-later
//
// The whole loop on tiny configurations: self-play, store, learner, checkpoints, matches, resume.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/files.h"
#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"
#include "tests/cli/scratch_run.h"

namespace khanzero {
namespace {

using nlohmann::json;

json RunJson(const std::vector<std::string>& arguments) {
  const RunResult result = RunKhanzero(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

class TrainCommand : public testing::TestWithParam<std::string> {};

TEST_P(TrainCommand, TrainsFromNothingToAnAgent) {
  const ScratchRun run(GetParam());
  const json result = RunJson(run.Train({"--json"}));
  EXPECT_FALSE(result.at("stopped").get<bool>());
  EXPECT_GE(result.at("games").get<int>(), 12);
  EXPECT_GT(result.at("step").get<int>(), 0);
  EXPECT_EQ(result.at("random").at("games").get<int>(), 4);
  for (const char* const name :
       {"config.yaml", "replay.db", "latest", "metrics.jsonl", "log.txt"}) {
    EXPECT_TRUE(std::filesystem::exists(run.path() / name)) << name;
  }
  EXPECT_TRUE(std::filesystem::is_directory(result.at("checkpoint").get<std::string>()));

  std::istringstream metrics(ReadFile(run.path() / "metrics.jsonl"));
  int cycles = 0;
  for (std::string line; std::getline(metrics, line); ++cycles) {
    const json cycle = json::parse(line);
    EXPECT_EQ(cycle.at("cycle").get<int>(), cycles);
    EXPECT_GT(cycle.at("self_play").at("games").get<int>(), 0);
    EXPECT_TRUE(cycle.at("scores").contains("random"));
  }
  EXPECT_EQ(cycles, 2);

  // The effective configuration reads back as it is.
  const RunResult config =
      RunKhanzero({"config", "--config", (run.path() / "config.yaml").string()});
  EXPECT_EQ(config.exit_code, 0);
  EXPECT_EQ(config.out, ReadFile(run.path() / "config.yaml"));
}

TEST_P(TrainCommand, SaysHowToGoOn) {
  const ScratchRun run(GetParam());
  const RunResult result = RunKhanzero(run.Train());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* const part :
       {"Score against random: ", "Play against it:  ", "/khanzero train --run ",
        "The other game:   scripts/train.sh", "| self-play |", "| learning |"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);  // a file gets plain lines
}

TEST_P(TrainCommand, GoesOnWhereItStopped) {
  const ScratchRun run(GetParam());
  const json first = RunJson(run.Train({"--json"}));
  // The same command finds nothing left to do, and keeps everything.
  const json again = RunJson(run.Train({"--json"}));
  EXPECT_EQ(again.at("games"), first.at("games"));
  EXPECT_EQ(again.at("step"), first.at("step"));
  // Without a configuration the run's own is taken.
  const json more =
      RunJson({"train", "--run", run.path().string(), "--set", "loop.max_games=24", "--json"});
  EXPECT_GE(more.at("games").get<int>(), 24);
  EXPECT_GT(more.at("step").get<int>(), first.at("step").get<int>());
}

TEST_P(TrainCommand, ARunBegunFromAnotherTakesItsGamesAndGrowsItsNetwork) {
  const ScratchRun run(GetParam());
  const json first = RunJson(run.Train({"--json"}));
  const std::string large = (run.folder() / "large").string();
  const std::vector<std::string> command = {"train",
                                            "--from",
                                            "latest:" + run.path().string(),
                                            "--run",
                                            large,
                                            "--set",
                                            "network.blocks=2",
                                            "--set",
                                            "network.pooling_every=2",
                                            "--set",
                                            "loop.max_games=18",
                                            "--json"};
  const json grown = RunJson(command);
  EXPECT_GE(grown.at("games").get<int>(), 18);
  EXPECT_GT(grown.at("games").get<int>(), first.at("games").get<int>());
  EXPECT_GT(grown.at("step").get<int>(), first.at("step").get<int>());
  EXPECT_GT(grown.at("hours").get<double>(), first.at("hours").get<double>());
  const std::string origin = RunJson({"info", "latest:" + large, "--json"}).at("origin");
  EXPECT_EQ(origin.find("run/step-"), 0U) << origin;
  EXPECT_NE(origin.find("1 blocks x 8 channels"), std::string::npos) << origin;
  EXPECT_NE(ReadFile(large + "/log.txt").find("Begun from " + origin), std::string::npos);
  std::istringstream metrics(ReadFile(large + "/metrics.jsonl"));
  int cycles = 0;
  for (std::string line; std::getline(metrics, line); ++cycles) {
    EXPECT_EQ(json::parse(line).at("cycle").get<int>(), cycles);
  }
  EXPECT_EQ(cycles, 3);

  // The same command goes on; others say why they do not.
  EXPECT_EQ(RunJson(command).at("games"), grown.at("games"));
  const auto refused = [&](const std::vector<std::string>& more, const std::string& what) {
    std::vector<std::string> arguments = {"train", "--from"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const RunResult result = RunKhanzero(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(what), std::string::npos) << result.err;
  };
  refused({"latest:" + large, "--run", run.path().string()}, "was begun from a fresh network");
  refused({"latest:" + large, "--run", large}, "of the run '" + large + "' itself");
  const std::string other = (run.folder() / "other").string();
  refused({"latest:" + large, "--run", other, "--set", "network.blocks=1"}, "can only grow");
  refused({"latest:" + large}, "--run DIR");
  refused({"latest:" + other, "--run", large}, other);
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_P(TrainCommand, ARunBegunFromAnExportCountsFromNothing) {
  const ScratchRun run(GetParam());
  RunJson(run.TrainShortest());
  const std::string agent = (run.folder() / "agent.safetensors").string();
  ASSERT_EQ(RunKhanzero({"export", "--checkpoint", "latest:" + run.path().string(), "--format",
                         "safetensors", "--out", agent})
                .exit_code,
            0);
  const std::string config = (run.folder() / "tiny.yaml").string();
  const std::string next = (run.folder() / "next").string();
  // The network that is there plays, however many games without one the configuration asks for.
  const std::vector<std::string> command = {"train",
                                            "--from",
                                            agent,
                                            "--config",
                                            config,
                                            "--run",
                                            next,
                                            "--set",
                                            "network.channels=12",
                                            "--set",
                                            "loop.uniform_games=100",
                                            "--set",
                                            "loop.max_games=6",
                                            "--json"};
  const json trained = RunJson(command);
  EXPECT_GE(trained.at("games").get<int>(), 6);
  EXPECT_LT(trained.at("games").get<int>(), 12);
  const std::string origin = RunJson({"info", "latest:" + next, "--json"}).at("origin");
  EXPECT_EQ(origin.find("agent.safetensors, 1 blocks x 8 channels"), 0U) << origin;
  EXPECT_NE(ReadFile(next + "/config.yaml").find("uniform_games: 0"), std::string::npos);
  EXPECT_EQ(RunJson(command).at("games"), trained.at("games"));  // it goes on, and is done
  const std::string page = (run.folder() / "page.md").string();
  ASSERT_EQ(RunKhanzero({"report", "--run", next, "--markdown", page}).exit_code, 0);
  EXPECT_NE(ReadFile(page).find("By self-play alone: "), std::string::npos);
  EXPECT_NE(ReadFile(page).find("Begun from " + origin), std::string::npos);

  const auto refused = [&](const std::vector<std::string>& more, const std::string& what) {
    std::vector<std::string> arguments = {"train", "--run", (run.folder() / "other").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const RunResult result = RunKhanzero(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(what), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(run.folder() / "other"));
  };
  refused({"--from", agent}, "needs --config FILE");
  refused({"--from", agent, "--config", config, "--set", "network.attack_planes=false"},
          "would be lost");
  refused({"--from", config, "--config", config}, "is no network to play with");
  const std::string game = GetParam() == "khans" ? "serbest" : "khans";
  refused({"--from", agent, "--config", config, "--set", "game=" + game}, GetParam());
}

TEST_P(TrainCommand, AKillLosesNoStoredGame) {
  const ScratchRun run(GetParam());
  int64_t before = 0;
  for (int round = 0; round < 3; ++round) {
    RunningKhanzero train(run.Train({"--set", "loop.max_games=100000"}));
    ASSERT_TRUE(train.WaitFor("| self-play |")) << train.printed();
    ASSERT_TRUE(train.WaitFor("| learning |")) << train.printed();
    train.Signal(SIGKILL);
    EXPECT_EQ(train.Wait(), 128 + SIGKILL);
    const int64_t stored = run.StoredGames();
    EXPECT_GT(stored, before);
    before = stored;
  }
  const json result =
      RunJson(run.Train({"--json", "--set", "loop.max_games=" + std::to_string(before + 6)}));
  EXPECT_GE(result.at("games").get<int64_t>(), before + 6);
}

TEST_P(TrainCommand, ASignalEndsItWithACheckpoint) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const ScratchRun run(GetParam());
    RunningKhanzero train(run.Train({"--set", "loop.max_games=100000"}));
    ASSERT_TRUE(train.WaitFor("| learning |")) << train.printed();
    ASSERT_TRUE(train.WaitFor("| self-play |")) << train.printed();
    train.Signal(signal);
    EXPECT_EQ(train.Wait(), 0) << train.printed();
    EXPECT_NE(train.printed().find("Stopped; everything is saved"), std::string::npos);
    const json result =
        RunJson({"train", "--run", run.path().string(), "--set", "loop.max_games=1", "--json"});
    EXPECT_EQ(result.at("games").get<int64_t>(), run.StoredGames());
    EXPECT_GT(result.at("step").get<int>(), 0);
  }
}

TEST_P(TrainCommand, ASecondOneOnTheSameRunIsRefused) {
  const ScratchRun run(GetParam());
  RunningKhanzero train(run.Train({"--set", "loop.max_games=100000"}));
  ASSERT_TRUE(train.WaitFor("| self-play |")) << train.printed();
  const RunResult second = RunKhanzero(run.Train());
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_NE(second.err.find("is being trained already by process"), std::string::npos)
      << second.err;
  train.Signal(SIGTERM);
  EXPECT_EQ(train.Wait(), 0);
}

TEST_P(TrainCommand, AnotherConfigurationForARunIsRefused) {
  const ScratchRun run(GetParam());
  RunJson(run.Train({"--json"}));
  const auto refused = [&](const std::string& setting, const std::string& what) {
    const RunResult result = RunKhanzero(run.Train({"--set", setting}));
    EXPECT_EQ(result.exit_code, 2) << setting;
    EXPECT_NE(result.err.find(what), std::string::npos) << result.err;
  };
  refused("seed=99", "seed = 1, now it is 99");
  refused("network.channels=16", "1 blocks x 8 channels");
  refused(GetParam() == "khans" ? "game=serbest" : "game=khans", "was made with game = ");
}

TEST_P(TrainCommand, ADamagedCheckpointIsRefused) {
  const ScratchRun run(GetParam());
  const json result = RunJson(run.Train({"--json"}));
  const std::filesystem::path checkpoint = result.at("checkpoint").get<std::string>();
  for (const char* const name : {"weights.safetensors", "optimizer.pt"}) {
    const std::string bytes = ReadFile(checkpoint / name);
    std::string damaged = bytes;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    std::ofstream(checkpoint / name, std::ios::binary) << damaged;
    const RunResult refused = RunKhanzero(run.Train());
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find(name), std::string::npos) << refused.err;
    std::ofstream(checkpoint / name, std::ios::binary) << bytes;
  }
  EXPECT_EQ(RunKhanzero(run.Train()).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Games, TrainCommand, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

TEST(TrainCommandInput, BadUsageIsRefused) {
  ExpectRefused({"train"}, "train needs --config FILE");
  ExpectRefused({"train", "--config", "/none.yaml"}, "/none.yaml");
  ExpectRefused({"train", "--confg", "x"}, "did you mean '--config'?");
  ExpectRefused({"train", "--run", "/none"}, "train needs --config FILE");
}

TEST(TrainCommandInput, FoldersThatAreNoRunAreLeftAlone) {
  const ScratchRun run("khans");
  std::filesystem::create_directories(run.path());
  std::ofstream(run.path() / "thesis.txt") << "precious\n";
  ExpectRefused(run.Train(), "is neither empty nor a run");
  EXPECT_EQ(ReadFile(run.path() / "thesis.txt"), "precious\n");
  std::filesystem::remove_all(run.path());
  std::ofstream(run.path()) << "a file\n";
  ExpectRefused(run.Train(), "is not a folder");
}

}  // namespace
}  // namespace khanzero
