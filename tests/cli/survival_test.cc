// SPDX-License-Identifier: GPL-3.0-or-later
//
// Training that is killed, stopped, short of disk: nothing is lost, nothing half-written is read,
// and a deterministic run comes to the same end. KHANZERO_KILLS sets the number of kills.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "env/random.h"
#include "model/files.h"
#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"
#include "tests/cli/scratch_run.h"

namespace khanzero {
namespace {

// Every stored record by its game's number.
std::map<uint64_t, std::string> Records(const ScratchRun& run, const std::string& game) {
  std::map<uint64_t, std::string> records;
  const ReplayStore store(run.path() / "replay.db", game, ReplayStore::Access::kReadOnly);
  store.ReadAfter(0, 1'000'000, [&](StoredGame stored) {
    const GameRecord record = ParseRecord(stored.bytes);  // throws where something is half-written
    EXPECT_TRUE(records.emplace(record.number, stored.bytes).second) << "twice: " << record.number;
  });
  return records;
}

class Survival : public testing::TestWithParam<std::string> {};

// With every method of self-play that draws by chance or depends on how far the run is.
const std::vector<std::string> kDeterministic = {
    "--set", "loop.deterministic=true",          "--set", "loop.max_games=24",
    "--set", "evaluation.final_pairs=0",         "--set", "selfplay.simulations_start=1",
    "--set", "selfplay.full_search_share=0.5",   "--set", "selfplay.cheap_simulations=1",
    "--set", "selfplay.earlier_start_share=0.4", "--set", "selfplay.policy_opening_share=0.4"};

std::vector<int> SimulationsOfCycles(const ScratchRun& run) {
  std::vector<int> simulations;
  std::istringstream lines(ReadFile(run.path() / "metrics.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    simulations.push_back(nlohmann::json::parse(line).at("self_play").at("simulations"));
  }
  return simulations;
}

TEST_P(Survival, ADeterministicRunComesToTheSameEnd) {
  const ScratchRun straight(GetParam());
  ASSERT_EQ(RunKhanzero(straight.Train(kDeterministic)).exit_code, 0);

  const ScratchRun broken(GetParam());
  const auto begin = [&](const std::string& wait_for, int signal) {
    RunningKhanzero program(broken.Train(kDeterministic));
    ASSERT_TRUE(program.WaitFor(wait_for)) << program.printed();
    program.Signal(signal);
    program.Wait();
  };
  begin("Inference on", SIGKILL);
  begin("Cycle 0", SIGKILL);
  begin("Going on", SIGTERM);
  begin("Cycle 2", SIGTERM);
  ASSERT_EQ(RunKhanzero(broken.Train(kDeterministic)).exit_code, 0);

  const auto records = Records(straight, GetParam());
  EXPECT_GT(std::ranges::count_if(
                records, [](const auto& r) { return !ParseRecord(r.second).start_fen.empty(); }),
            0);
  EXPECT_EQ(SimulationsOfCycles(straight), (std::vector<int>{1, 1, 1, 2}));
  EXPECT_EQ(SimulationsOfCycles(broken).back(), 2);
  EXPECT_EQ(records, Records(broken, GetParam()));
  EXPECT_EQ(ReadFile(straight.path() / "latest"), ReadFile(broken.path() / "latest"));
  std::string name = ReadFile(straight.path() / "latest");
  name = name.substr(0, name.find_last_not_of("\n") + 1);
  for (const char* const file : {"weights.safetensors", "trained.safetensors", "learner.json"}) {
    const std::string expected = ReadFile(straight.path() / "checkpoints" / name / file);
    EXPECT_FALSE(expected.empty()) << file;
    EXPECT_EQ(expected, ReadFile(broken.path() / "checkpoints" / name / file)) << file;
  }
}

TEST_P(Survival, KillsLoseNoGame) {
  const char* const wanted = std::getenv("KHANZERO_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 5;
  const ScratchRun run(GetParam());
  const std::vector<std::string> endless = run.Train({"--set", "loop.max_games=1000000"});
  Random random(static_cast<uint64_t>(kills));
  std::map<uint64_t, std::string> known;
  for (int i = 0; i < kills; ++i) {
    RunningKhanzero program(endless);
    program.ReadFor(static_cast<int>(random.Below(1500)));
    // What the store shows before the kill was acknowledged.
    if (std::filesystem::exists(run.path() / "replay.db") && i > 0) {
      known = Records(run, GetParam());
    }
    program.Signal(SIGKILL);
    program.Wait();
    if (!std::filesystem::exists(run.path() / "latest")) continue;
    const std::map<uint64_t, std::string> after = Records(run, GetParam());
    for (const auto& [number, bytes] : known) {
      ASSERT_TRUE(after.contains(number)) << "game " << number << " is lost after kill " << i;
      EXPECT_EQ(after.at(number), bytes);
    }
  }
  // It goes on by itself, to an end.
  const auto games = static_cast<int64_t>(known.size());
  const RunResult rest =
      RunKhanzero(run.Train({"--set", "loop.max_games=" + std::to_string(games + 12)}));
  EXPECT_EQ(rest.exit_code, 0) << rest.err << rest.out;
  EXPECT_GE(run.StoredGames(), games + 12);
}

INSTANTIATE_TEST_SUITE_P(Games, Survival, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

TEST(Survival, ADeterministicRunNeedsAnEndByGames) {
  const ScratchRun run("khans");
  const RunResult hours =
      RunKhanzero(run.Train({"--set", "loop.deterministic=true", "--set", "loop.max_hours=1"}));
  EXPECT_EQ(hours.exit_code, 2);
  EXPECT_NE(hours.err.find("loop.max_hours"), std::string::npos) << hours.err;
  const RunResult workers =
      RunKhanzero(run.Train({"--set", "loop.deterministic=true", "--set", "selfplay.workers=2"}));
  EXPECT_EQ(workers.exit_code, 2);
  EXPECT_NE(workers.err.find("selfplay.workers"), std::string::npos) << workers.err;
}

int Shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A disk of one megabyte is full after a while: a clear error, and the run goes on when there is
// room. In a mount namespace of its own, where the machine lets us have one.
TEST(Survival, AFullDiskIsSaidAndLosesNothing) {
  if (Shell("unshare -rm true 2>/dev/null") != 0) GTEST_SKIP() << "no mount namespaces here";
  const ScratchRun run("khans");
  const std::string folder = run.folder().string();
  std::string command = KHANZERO_BINARY;
  for (const std::string& word :
       run.Train({"--set", "loop.max_games=400", "--set", "evaluation.every_cycles=0", "--set",
                  "loop.keep_checkpoints=1000"})) {
    command += " '" + word + "'";
  }
  const std::filesystem::path script = run.folder() / "script.sh";
  std::ofstream(script) << "mkdir '" << folder << "/run' && mount -t tmpfs -o size=1m none '"
                        << folder << "/run' || exit 9\n"
                        << command << " >'" << folder << "/one' 2>&1\n"
                        << "echo $? >'" << folder << "/code1'\n"
                        << "mount -o remount,size=64m '" << folder << "/run' || exit 9\n"
                        << command << " >'" << folder << "/two' 2>&1\n"
                        << "echo $? >'" << folder << "/code2'\n";
  ASSERT_EQ(Shell("unshare -rm sh '" + script.string() + "'"), 0);
  EXPECT_EQ(ReadFile(run.folder() / "code1"), "1\n") << ReadFile(run.folder() / "one");
  const std::string said = ReadFile(run.folder() / "one");
  EXPECT_TRUE(said.find("No space left") != std::string::npos ||
              said.find("full") != std::string::npos)
      << said;
  EXPECT_EQ(said.find("terminate called"), std::string::npos) << said;
  EXPECT_EQ(ReadFile(run.folder() / "code2"), "0\n") << ReadFile(run.folder() / "two");
  EXPECT_NE(ReadFile(run.folder() / "two").find("Done:"), std::string::npos);
}

}  // namespace
}  // namespace khanzero
