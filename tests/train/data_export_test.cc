// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/data_export.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <numeric>

#include "env/error.h"
#include "tests/train/npz_reader.h"
#include "tests/train/sample_run.h"
#include "train/replay_window.h"
#include "train/replayed_game.h"

namespace khanzero {
namespace {

using Arrays = std::map<std::string, NpyArray>;
using Shape = std::vector<int64_t>;

// Exports and reads back.
Arrays Export(const SampleRun& run, const DataExportOptions& options,
              DataExportReport* report = nullptr) {
  const std::filesystem::path out = run.scratch() / "out.npz";
  const DataExportReport made = ExportData(run.Reader(), run.config(), out, options);
  EXPECT_EQ(made.bytes, static_cast<int64_t>(std::filesystem::file_size(out)));
  if (report != nullptr) *report = made;
  return ReadNpz(out.string());
}

// Nothing is left in the folder but `expected`.
void ExpectFiles(const std::filesystem::path& folder, std::vector<std::string> expected) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found.push_back(entry.path().filename().string());
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
}

class DataExport : public testing::TestWithParam<std::string> {};

TEST_P(DataExport, ArraysHaveTheirShapes) {
  const SampleRun run(GetParam(), 10);
  DataExportReport report;
  Arrays arrays = Export(run, {}, &report);
  const int64_t n = run.positions();
  EXPECT_EQ(report.positions, n);
  EXPECT_EQ(report.games, static_cast<int64_t>(run.games().size()));
  EXPECT_EQ(report.damaged_games, 0);
  const EncodingShape shape = InfoOfGame(GetParam()).shape;
  const int64_t p = report.policy_entries;
  const int64_t l = report.legal_moves;
  const std::map<std::string, std::pair<std::string, Shape>> expected = {
      {"planes", {"<f2", {n, shape.input_planes, shape.ranks, shape.files}}},
      {"policy_indices", {"<i4", {p}}},
      {"policy_probabilities", {"<f4", {p}}},
      {"policy_offsets", {"<i8", {n + 1}}},
      {"legal_indices", {"<i4", {l}}},
      {"legal_offsets", {"<i8", {n + 1}}},
      {"result_wdl", {"<f4", {n, 3}}},
      {"capped", {"|b1", {n}}},
      {"root_wdl", {"<f4", {n, 3}}},
      {"root_value", {"<f4", {n}}},
      {"game_id", {"<u8", {n}}},
      {"ply", {"<i4", {n}}},
      {"network_step", {"<i8", {n}}}};
  EXPECT_EQ(arrays.size(), expected.size() + 1);
  for (const auto& [name, type_and_shape] : expected) {
    EXPECT_EQ(arrays[name].type, type_and_shape.first) << name;
    EXPECT_EQ(arrays[name].shape, type_and_shape.second) << name;
  }
  EXPECT_EQ(arrays["about"].shape, Shape{});
  EXPECT_TRUE(arrays["about"].type.starts_with("<U")) << arrays["about"].type;
  ExpectFiles(run.scratch(), {"out.npz", "run"});
}

// Every number is what the learner gets for the same position.
TEST_P(DataExport, NumbersAreThoseOfTheLearner) {
  const SampleRun run(GetParam(), 4);
  Arrays arrays = Export(run, {});
  const auto planes = arrays["planes"].As<Eigen::half>();
  const auto policy_indices = arrays["policy_indices"].As<int32_t>();
  const auto probabilities = arrays["policy_probabilities"].As<float>();
  const auto policy_offsets = arrays["policy_offsets"].As<int64_t>();
  const auto legal_indices = arrays["legal_indices"].As<int32_t>();
  const auto legal_offsets = arrays["legal_offsets"].As<int64_t>();
  const auto results = arrays["result_wdl"].As<float>();
  const auto roots = arrays["root_wdl"].As<float>();
  const auto values = arrays["root_value"].As<float>();

  const auto replayer = MakeReplayer(GetParam());
  const EncodingShape shape = replayer->info().shape;
  std::vector<float> built(static_cast<size_t>(shape.input_size()));
  size_t at = 0;
  for (const GameRecord& record : run.games()) {
    const ReplayedGame game = replayer->Replay(record);
    for (size_t i = 0; i < game.samples.size(); ++i, ++at) {
      TrainingSample sample;
      replayer->Build(game, i, Mirror::kNo, Targets::kPlay, built, sample);
      const size_t squares = static_cast<size_t>(shape.squares());
      for (size_t k = 0; k < built.size(); ++k) {
        const size_t square = k / static_cast<size_t>(shape.input_planes);
        const size_t plane = k % static_cast<size_t>(shape.input_planes);
        ASSERT_EQ(planes[at * built.size() + plane * squares + square], Eigen::half(built[k]));
      }
      const auto legal = [&](size_t n) {
        return std::vector<int32_t>(legal_indices.begin() + legal_offsets[n],
                                    legal_indices.begin() + legal_offsets[n + 1]);
      }(at);
      ASSERT_EQ(legal,
                std::vector<int32_t>(sample.legal_indices.begin(), sample.legal_indices.end()));
      float sum = 0.0F;
      for (int64_t k = policy_offsets[at]; k < policy_offsets[at + 1]; ++k) {
        const auto where = std::find(legal.begin(), legal.end(), policy_indices[k]);
        ASSERT_NE(where, legal.end());
        EXPECT_EQ(probabilities[k], sample.policy[static_cast<size_t>(where - legal.begin())]);
        sum += probabilities[k];
      }
      EXPECT_NEAR(sum, 1.0F, 1e-5F);
      EXPECT_EQ(results[3 * at], sample.result.win);
      EXPECT_EQ(results[3 * at + 1], sample.result.draw);
      EXPECT_EQ(results[3 * at + 2], sample.result.loss);
      EXPECT_EQ(roots[3 * at], sample.root.win);
      EXPECT_EQ(roots[3 * at + 2], sample.root.loss);
      EXPECT_EQ(values[at], sample.root.value());
      EXPECT_EQ(arrays["capped"].As<uint8_t>()[at], sample.capped);
      EXPECT_EQ(arrays["game_id"].As<uint64_t>()[at], record.id);
      EXPECT_EQ(arrays["ply"].As<int32_t>()[at], game.samples[i].ply);
      EXPECT_EQ(arrays["network_step"].As<int64_t>()[at], record.last_network_step);
    }
  }
  EXPECT_EQ(static_cast<int64_t>(at), run.positions());
}

INSTANTIATE_TEST_SUITE_P(Games, DataExport, testing::Values("khans", "serbest"),
                         [](const auto& parameter) { return parameter.param; });

TEST(DataExportSelection, ASampleOfTheValueAloneHasNoPolicyEntries) {
  const SampleRun run(WithCheapSearches(SmallConfig("khans")), 4);
  Arrays arrays = Export(run, {});
  const auto offsets = arrays["policy_offsets"].As<int64_t>();
  size_t at = 0;
  for (const GameRecord& record : run.games()) {
    for (const SampleRecord& sample : record.samples) {
      EXPECT_EQ(offsets[at + 1] - offsets[at], static_cast<int64_t>(sample.target.size()));
      ++at;
    }
  }
  EXPECT_EQ(at + 1, offsets.size());
}

TEST(DataExportSelection, PartsAreThoseOfTheLearner) {
  const SampleRun run("khans", 20);
  int64_t sum = 0;
  for (const DataPart part : {DataPart::kTraining, DataPart::kValidation}) {
    Arrays arrays = Export(run, {.part = part});
    const auto ids = arrays["game_id"].As<uint64_t>();
    sum += static_cast<int64_t>(ids.size());
    EXPECT_GT(ids.size(), 0U);
    for (const uint64_t id : ids) {
      EXPECT_EQ(IsValidationGame(id, run.config().learner.validation_share),
                part == DataPart::kValidation);
    }
  }
  EXPECT_EQ(sum, run.positions());
}

TEST(DataExportSelection, PositionsAreTheNewest) {
  const SampleRun run("khans", 20);
  for (const DataPart part : {DataPart::kAll, DataPart::kValidation}) {
    Arrays all = Export(run, {.part = part});
    const auto plies = all["ply"].As<int32_t>();
    const auto offsets = all["policy_offsets"].As<int64_t>();
    for (const int64_t wanted : {1, 77, 100'000'000}) {
      const auto n = std::min<int64_t>(wanted, static_cast<int64_t>(plies.size()));
      Arrays some = Export(run, {.part = part, .positions = wanted});
      EXPECT_EQ(some["ply"].As<int32_t>(), std::vector<int32_t>(plies.end() - n, plies.end()));
      const size_t bytes = some["planes"].data.size();
      EXPECT_EQ(some["planes"].data, all["planes"].data.substr(all["planes"].data.size() - bytes));
      EXPECT_EQ(some["policy_offsets"].As<int64_t>().back(),
                offsets.back() - offsets[offsets.size() - 1 - static_cast<size_t>(n)]);
    }
  }
}

TEST(DataExportSelection, DamagedGamesAreLeftOut) {
  const SampleRun run("khans", 5);
  run.FlipABit(2);
  DataExportReport report;
  const Arrays arrays = Export(run, {}, &report);
  EXPECT_EQ(report.damaged_games, 1);
  EXPECT_EQ(report.positions,
            run.positions() - static_cast<int64_t>(run.games()[1].samples.size()));
  for (const uint64_t id : arrays.at("game_id").As<uint64_t>()) EXPECT_NE(id, run.games()[1].id);
}

TEST(DataExportFile, TheSameStoreGivesTheSameBytes) {
  const SampleRun run("khans", 3);
  Export(run, {});
  const std::string first = ReadFile(run.scratch() / "out.npz");
  Export(run, {});  // and replaces what is there
  EXPECT_EQ(ReadFile(run.scratch() / "out.npz"), first);
}

TEST(DataExportFile, NothingIsLeftWhenItFails) {
  const SampleRun run("khans", 3);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(Export(run, {.stop = stop.get_token()}), RuntimeFailure);
  const SampleRun empty("khans", 0);
  EXPECT_THROW(Export(empty, {}), InputError);
  for (const SampleRun* const sample : {&run, &empty}) ExpectFiles(sample->scratch(), {"run"});

  const auto to = [&](const std::filesystem::path& out) {
    ExportData(run.Reader(), run.config(), out, {});
  };
  EXPECT_THROW(to(run.scratch()), InputError);
  EXPECT_THROW(to(run.scratch() / "nowhere" / "out.npz"), InputError);
  EXPECT_THROW(to("/proc/out.npz"), RuntimeFailure);
}

}  // namespace
}  // namespace khanzero
