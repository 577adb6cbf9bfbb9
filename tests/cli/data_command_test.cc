// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero data, on stores that self-play made.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/run_binary.h"
#include "tests/cli/running_binary.h"
#include "tests/cli/scratch_run.h"
#include "tests/train/npz_reader.h"
#include "tests/train/sample_run.h"

namespace khanzero {
namespace {

using nlohmann::json;

// The exit code must be `code`.
json DataJson(std::vector<std::string> arguments, int code = 0) {
  arguments.insert(arguments.begin(), "data");
  arguments.push_back("--json");
  const RunResult result = RunKhanzero(arguments);
  EXPECT_EQ(result.exit_code, code) << result.err;
  return json::parse(result.out, nullptr, false);
}

class DataCommand : public testing::TestWithParam<std::string> {};

TEST_P(DataCommand, AGoodStoreIsCheckedAndDescribed) {
  const SampleRun run(GetParam(), 10);
  const json check = DataJson({"check", "--run", run.path()});
  EXPECT_TRUE(check.at("sound").get<bool>());
  EXPECT_EQ(check.at("games"), run.games().size());
  EXPECT_EQ(check.at("positions"), run.positions());
  EXPECT_EQ(check.at("game"), GetParam());
  const json stats = DataJson({"stats", "--run", run.path()});
  EXPECT_EQ(stats.at("positions"), run.positions());
  EXPECT_EQ(stats.at("results"), check.at("results"));

  for (const std::string part : {"check", "stats"}) {
    const RunResult text = RunKhanzero({"data", part, "--run", run.path()});
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_EQ(text.err, "");  // no progress where stderr is no terminal
    EXPECT_NE(text.out.find("Results:    White "), std::string::npos) << text.out;
    EXPECT_NE(text.out.find(std::to_string(run.positions()) + " positions"), std::string::npos)
        << text.out;
  }
}

TEST_P(DataCommand, DamageIsListedAndTheRestGoesOn) {
  const SampleRun run(GetParam(), 6);
  run.FlipABit(2);
  run.Change(4, [](GameRecord& record) { record.move_ranks[1] = 60000; });
  run.Execute("UPDATE games SET plies = 1 WHERE sequence = 5");
  const json check = DataJson({"check", "--run", run.path()}, 1);
  EXPECT_FALSE(check.at("sound").get<bool>());
  EXPECT_EQ(check.at("games"), run.games().size());
  EXPECT_EQ(check.at("damaged"), 3);
  ASSERT_EQ(check.at("problems").size(), 3U);
  EXPECT_EQ(check.at("problems")[0].at("sequence"), 2);
  const RunResult text = RunKhanzero({"data", "check", "--run", run.path()});
  EXPECT_EQ(text.exit_code, 1);
  for (const std::string part :
       {"sequence 2: bad game record: its checksum", "an illegal move at ply 1",
        "sequence 5: the row's plies is 1, the record's is "}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << part << " in " << text.out;
  }
  EXPECT_NE(text.err.find("3 of " + std::to_string(run.games().size()) + " games"),
            std::string::npos)
      << text.err;
}

TEST_P(DataCommand, ExportIsReadBack) {
  const SampleRun run(GetParam(), 6);
  const std::string out = (run.scratch() / "out.npz").string();
  const json report = DataJson({"export", "--run", run.path(), "--out", out});
  EXPECT_EQ(report.at("positions"), run.positions());
  const auto arrays = ReadNpz(out);
  EXPECT_EQ(arrays.at("planes").shape.front(), run.positions());
  DataJson(
      {"export", "--run", run.path(), "--out", out, "--positions", "10", "--part", "training"});
  EXPECT_EQ(ReadNpz(out).at("ply").shape, std::vector<int64_t>{10});
}

TEST_P(DataCommand, NumpyReadsTheExport) {
  std::string python;
  for (const std::string candidate : {"python3", "/usr/bin/python3"}) {
    if (std::system((candidate + " -c 'import numpy' 2>/dev/null").c_str()) == 0) {
      python = candidate;
      break;
    }
  }
  if (python.empty()) GTEST_SKIP() << "python3 with numpy is not installed";
  const SampleRun run(GetParam(), 6);
  const std::string out = (run.scratch() / "out.npz").string();
  DataJson({"export", "--run", run.path(), "--out", out});
  const EncodingShape shape = InfoOfGame(GetParam()).shape;
  const std::string script = (run.scratch() / "read.py").string();
  std::ofstream(script) << "import json, numpy as np\n"
                        << "z = np.load('" << out << "')\n"
                        << "n = " << run.positions() << "\n"
                        << "about = json.loads(z['about'].item())\n"
                        << "assert about['game'] == '" << GetParam() << "'\n"
                        << "assert z['planes'].shape == (n, " << shape.input_planes << ", "
                        << shape.ranks << ", " << shape.files << ")\n"
                        << R"(assert z['planes'].dtype == np.float16
assert z['planes'].min() == 0 and z['planes'].max() == 1
for name in ('policy', 'legal'):
    offsets = z[name + '_offsets']
    assert offsets[0] == 0 and len(offsets) == n + 1 and offsets[-1] == len(z[name + '_indices'])
    assert (np.diff(offsets) > 0).all() and z[name + '_indices'].max() < about['policy_size']
sums = np.add.reduceat(z['policy_probabilities'], z['policy_offsets'][:-1])
assert np.allclose(sums, 1, atol=1e-5)
for i in range(n):
    part = lambda a: set(z[a + '_indices'][z[a + '_offsets'][i]:z[a + '_offsets'][i + 1]])
    assert part('policy') <= part('legal')
for name in ('result_wdl', 'root_wdl'):
    assert z[name].shape == (n, 3) and np.allclose(z[name].sum(axis=1), 1, atol=1e-5)
assert np.allclose(z['root_value'], z['root_wdl'][:, 0] - z['root_wdl'][:, 2], atol=1e-6)
for name in ('capped', 'game_id', 'ply', 'network_step'):
    assert z[name].shape == (n,), name
assert z['capped'].dtype == bool and z['game_id'].dtype == np.uint64
)";
  EXPECT_EQ(std::system((python + " " + script).c_str()), 0);
}

// What is left after pruning trains on: budgets and numbers go on as if nothing had been deleted.
TEST_P(DataCommand, APrunedRunGoesOn) {
  const ScratchRun run(GetParam());
  ASSERT_EQ(RunKhanzero(run.Train({"--json"})).exit_code, 0);
  const auto open = [&] {
    return ReplayStore(run.path() / "replay.db", GetParam(), ReplayStore::Access::kReadOnly);
  };
  const auto numbers_before = open().GameNumbers();
  const StoreTotals before = open().Totals();
  const std::vector<std::string> prune = {"prune", "--run", run.path().string(), "--keep-positions",
                                          "60"};
  std::vector<std::string> dry = prune;
  dry.push_back("--dry-run");
  const json plan = DataJson(dry);
  EXPECT_EQ(open().Totals().games, before.games);
  const json report = DataJson(prune);
  EXPECT_EQ(report.at("deleted"), plan.at("deleted"));
  EXPECT_GT(report.at("deleted").at("games").get<int>(), 0);
  EXPECT_EQ(open().Totals().games, before.games - report.at("deleted").at("games").get<int>());
  EXPECT_GE(open().Totals().positions, 60);
  std::set<int64_t> kept;
  open().ReadAfter(0, 1000, [&](const StoredGame& game) { kept.insert(game.sequence); });

  const int64_t more = before.games + 12;
  const RunResult trained = RunKhanzero({"train", "--run", run.path().string(), "--set",
                                         "loop.max_games=" + std::to_string(more), "--json"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const json summary = json::parse(trained.out);
  EXPECT_GE(summary.at("games").get<int64_t>(), more);
  EXPECT_EQ(summary.at("games").get<int64_t>(),
            open().Totals().games + report.at("deleted").at("games").get<int64_t>());
  const std::set<uint64_t> played(numbers_before.begin(), numbers_before.end());
  open().ReadAfter(0, 1000, [&](const StoredGame& game) {
    EXPECT_NE(kept.contains(game.sequence), !played.contains(game.columns.number))
        << game.columns.number;
  });
  EXPECT_TRUE(DataJson({"check", "--run", run.path().string()}).at("sound").get<bool>());
}

TEST_P(DataCommand, ARunInTrainingIsCheckedButNotPruned) {
  const ScratchRun run(GetParam());
  RunningKhanzero train(run.Train({"--set", "loop.max_games=100000"}));
  ASSERT_TRUE(train.WaitFor("| learning |")) << train.printed();
  const std::string path = run.path().string();
  const json check = DataJson({"check", "--run", path});
  EXPECT_GT(check.at("games").get<int>(), 0);
  DataJson({"stats", "--run", path});
  DataJson({"export", "--run", path, "--out", (run.folder() / "out.npz").string()});
  DataJson({"prune", "--run", path, "--keep-positions", "1", "--dry-run"});
  ExpectRefused({"data", "prune", "--run", path, "--keep-positions", "1"},
                "is being trained already");
  train.Signal(SIGTERM);
  EXPECT_EQ(train.Wait(), 0);
  EXPECT_GE(run.StoredGames(), check.at("games").get<int>());
}

INSTANTIATE_TEST_SUITE_P(Games, DataCommand, testing::Values("khans", "serbest"),
                         [](const auto& parameter) { return parameter.param; });

TEST(DataCommandInput, AnEmptyStore) {
  const SampleRun run("khans", 0);
  EXPECT_TRUE(DataJson({"check", "--run", run.path()}).at("sound").get<bool>());
  EXPECT_EQ(DataJson({"stats", "--run", run.path()}).at("games"), 0);
  EXPECT_EQ(RunKhanzero({"data", "check", "--run", run.path()}).exit_code, 0);
  EXPECT_EQ(RunKhanzero({"data", "stats", "--run", run.path()}).exit_code, 0);
  ExpectRefused({"data", "export", "--run", run.path(), "--out", run.path() + "/out.npz"},
                "has no positions to export");
  EXPECT_EQ(
      DataJson({"prune", "--run", run.path(), "--keep-positions", "5"}).at("deleted").at("games"),
      0);
}

TEST(DataCommandInput, WhatIsNoRunIsRefusedByEveryPart) {
  const SampleRun khans("khans", 1);
  const std::vector<std::vector<std::string>> parts = {
      {"check"}, {"stats"}, {"export", "--out", "x.npz"}, {"prune", "--keep-positions", "9"}};
  const auto refused = [&](const std::string& run, const std::string& what) {
    for (std::vector<std::string> arguments : parts) {
      arguments.insert(arguments.begin(), "data");
      arguments.insert(arguments.end(), {"--run", run});
      ExpectRefused(arguments, what);
    }
  };
  refused((khans.scratch() / "nowhere").string(), "is not a run: it has no config.yaml");

  const SampleRun no_store("khans", 0);
  std::filesystem::remove(no_store.folder().store());
  refused(no_store.path(), "does not exist");

  const SampleRun serbest("serbest", 1);
  std::filesystem::copy_file(khans.folder().store(), serbest.folder().store(),
                             std::filesystem::copy_options::overwrite_existing);
  refused(serbest.path(), "holds games of 'khans', but 'serbest' is wanted");

  std::ofstream(no_store.folder().store()) << std::string(8192, 'x');
  refused(no_store.path(), "not a replay store");
}

TEST(DataCommandInput, BadUsageIsRefused) {
  const SampleRun run("khans", 1);
  ExpectRefused({"data"}, "see 'khanzero data --help'");
  ExpectRefused({"data", "check"}, "see 'khanzero data check --help'");
  ExpectRefused({"data", "check", "--run", run.path(), "--jsno"}, "did you mean '--json'?");
  ExpectRefused({"data", "prune", "--run", run.path()}, "--keep-positions");
  for (const std::string bad : {"0", "-5", "many"}) {
    ExpectRefused({"data", "prune", "--run", run.path(), "--keep-positions", bad},
                  "--keep-positions");
  }
  ExpectRefused({"data", "export", "--run", run.path()}, "--out");
  ExpectRefused({"data", "export", "--run", run.path(), "--out", "x", "--part", "some"}, "--part");
}

TEST(DataCommandInput, EveryPartHasHelp) {
  for (const std::string part : {"check", "stats", "export", "prune"}) {
    const RunResult help = RunKhanzero({"data", part, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    for (const std::string option : {"--run", "--json"}) {
      EXPECT_NE(help.out.find(option), std::string::npos) << help.out;
    }
  }
}

}  // namespace
}  // namespace khanzero
