// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <httplib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/running_binary.h"
#include "tests/cli/scratch_run.h"

namespace khanzero {
namespace {

using Json = nlohmann::json;

// `khanzero serve` on a free port.
class Served {
 public:
  explicit Served(std::vector<std::string> arguments)
      : process_([&] {
          arguments.insert(arguments.begin(), {"serve", "--port", "0"});
          return arguments;
        }()) {
    const std::string begin = "KhanZero is on http://127.0.0.1:";
    EXPECT_TRUE(process_.WaitFor(begin));
    EXPECT_TRUE(process_.WaitFor("Ctrl-C"));
    const std::string& printed = process_.printed();
    port_ = std::stoi(printed.substr(printed.find(begin) + begin.size()));
  }
  int port() const { return port_; }
  RunningKhanzero& process() { return process_; }
  httplib::Client Client() const { return httplib::Client("127.0.0.1", port_); }
  Json Get(const std::string& path) const { return Json::parse(Client().Get(path)->body); }
  Json Post(const std::string& path, const Json& fields) const {
    return Json::parse(Client().Post(path, fields.dump(), "application/json")->body);
  }

 private:
  RunningKhanzero process_;
  int port_ = 0;
};

TEST(ServeCommand, BadArgumentsAreRefused) {
  ExpectRefused({"serve", "--port", "70000"}, "--port");
  ExpectRefused({"serve", "--port", "x"}, "--port");
  ExpectRefused({"serve", "--weights", "/nonexistent"}, "/nonexistent");
  ExpectRefused({"serve", "--games", "/nonexistent.pgn"}, "--games");
}

TEST(ServeCommand, APortInUseIsAFailure) {
  Served first({});
  const RunResult second = RunKhanzero({"serve", "--port", std::to_string(first.port())});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_NE(second.err.find("is in use by another program"), std::string::npos) << second.err;
}

TEST(ServeCommand, SignalsEndItCleanly) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Served served({});
    const Json state = served.Post("/api/games", {{"game", "khans"}});
    EXPECT_EQ(state["ply"], 0);
    served.process().Signal(signal);
    EXPECT_EQ(served.process().Wait(), 0);
  }
}

TEST(ServeCommand, WithoutWeightsItSaysThatABaselinePlays) {
  Served served({});
  for (const auto& [game, opponent] : served.Get("/api/info")["opponents"].items()) {
    if (opponent["network"]) continue;  // one comes with the program
    EXPECT_EQ(opponent["name"], "alpha-beta baseline") << game;
    EXPECT_NE(opponent["note"].get<std::string>().find("--weights"), std::string::npos);
  }
}

TEST(ServeCommand, PlaysAgainstANetworkOfEachGame) {
  const ScratchRun khans("khans");
  const ScratchRun serbest("serbest");
  std::vector<std::string> arguments;
  for (const ScratchRun* const run : {&khans, &serbest}) {
    const RunResult trained = RunKhanzero(
        run->Train({"--set", "loop.max_games=2", "--set", "loop.games_per_cycle=2", "--set",
                    "evaluation.every_cycles=0", "--set", "evaluation.final_pairs=0"}));
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    arguments.insert(arguments.end(), {"--weights", "latest:" + run->path().string()});
  }
  Served served(arguments);
  for (const std::string game : {"khans", "serbest"}) {
    EXPECT_TRUE(served.Get("/api/info")["opponents"][game]["network"]);
    const std::string id = served.Post("/api/games", {{"game", game}})["id"];
    const Json answer = served.Post("/api/games/" + id + "/think",
                                    {{"simulations", 20}, {"play", true}, {"lines", 2}});
    EXPECT_EQ(answer["state"]["ply"], 1) << answer;
    EXPECT_EQ(answer["analysis"]["simulations"], 20);
  }
  ExpectRefused({"serve", "--port", "0", "--weights", arguments[1], "--weights", arguments[1]},
                "two networks of khans");
}

TEST(ServeCommand, ShowsTheGamesOfAMatch) {
  const ScratchRun scratch("khans");
  const std::string path = (scratch.folder() / "match.pgn").string();
  std::ofstream(path) << "[White \"A\"]\n[Variant \"khans\"]\n\n1. e2e4 d7e5 1-0\n";
  {
    const Served served({"--games", path});
    EXPECT_EQ(served.Get("/api/info")["matches"], "match.pgn");
    EXPECT_EQ(served.Get("/api/matches")["games"][0]["moves"], Json({"e2e4", "d7e5"}));
  }
  ExpectRefused({"serve", "--port", "0", "--games", scratch.folder().string()},
                "is no run with games of matches");
  std::filesystem::create_directories(scratch.folder() / "matches");
  std::filesystem::copy_file(path, scratch.folder() / "matches" / "a.pgn");
  {
    // As a shell completes it. Without a name the page would not offer them.
    const Served served({"--games", scratch.folder().string() + "/"});
    EXPECT_EQ(served.Get("/api/info")["matches"], scratch.folder().filename().string());
    EXPECT_EQ(served.Get("/api/matches")["games"].size(), 1U);
  }
  std::ofstream(path) << "[White \"A\n";
  ExpectRefused({"serve", "--port", "0", "--games", path}, ":1:");
}

}  // namespace
}  // namespace khanzero
