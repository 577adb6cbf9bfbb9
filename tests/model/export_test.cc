// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/export.h"

#include <gtest/gtest.h>
#include <torch/script.h>

#include <cstdlib>

#include "env/error.h"
#include "model/checkpoint.h"
#include "model/files.h"
#include "model/load_network.h"
#include "model/model_file.h"
#include "model/run_program.h"
#include "tests/model/networks_for_tests.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

constexpr int kPositions = 60;

CheckpointInfo InfoFor(const std::string& game) {
  return {.game = InfoOfGame(game), .network = kPoolingNetwork, .step = 77, .games = 5};
}

ExportReport Export(const ExportSource& source, ExportFormat format,
                    const std::filesystem::path& path) {
  return ExportModel(source, format, path, KHANZERO_TORCHSCRIPT_RUN);
}

// A checkpoint, made in the folder, with as many positions.
ExportSource SmallSource(const TempFolder& folder, int positions,
                         const std::string& game = "khans") {
  SaveCheckpoint(folder / "checkpoint", InfoFor(game),
                 *MakeTrainedLikeNetwork(InfoOfGame(game).shape, 7, kPoolingNetwork));
  return LoadExportSource(folder / "checkpoint", positions);
}

class ExportOfGame : public testing::TestWithParam<std::string> {
 protected:
  TempFolder folder_;
  Network network_ = MakeTrainedLikeNetwork(InfoOfGame(GetParam()).shape, 7, kPoolingNetwork);
  ExportSource source_ = SmallSource(folder_, kPositions, GetParam());
};
INSTANTIATE_TEST_SUITE_P(Games, ExportOfGame, testing::ValuesIn(GameNames()),
                         [](const auto& param) { return param.param; });

TEST_P(ExportOfGame, EveryFormatAgreesWithTheCheckpointAndSaysWhatItIs) {
  for (const ExportFormat format :
       {ExportFormat::kTorchScript, ExportFormat::kOnnx, ExportFormat::kSafetensors}) {
    const std::string name(kExportFormatNames[static_cast<size_t>(format)]);
    SCOPED_TRACE(name);
    source_.description.rating =
        ModelRating{.elo = 5.5, .error = 2, .anchor = "random", .nodes = 8};
    uintmax_t whole = 0;
    for (const ModelPrecision precision : {ModelPrecision::kFp32, ModelPrecision::kFp16}) {
      source_.description.precision = precision;
      const auto path = folder_ / ("model." + name);
      const ExportReport report = Export(source_, format, path);
      EXPECT_EQ(report.positions, kPositions);
      const ExportLimits limits = LimitsOf(precision);
      EXPECT_LE(report.max_policy_difference, limits.policy_difference);
      EXPECT_LE(report.max_wdl_difference, limits.wdl_difference);
      EXPECT_GE(report.top1_agreement, limits.top1_agreement);
      EXPECT_EQ(report.bytes, std::filesystem::file_size(path));
      const ModelFile file = ReadModelFile(path);
      EXPECT_EQ(kModelKindNames[static_cast<size_t>(file.kind)], name);
      EXPECT_EQ(ParseModelDescription(file.description, name).rating, source_.description.rating);
      EXPECT_EQ(ParseModelDescription(file.description, name).info.step, 77);
      if (precision == ModelPrecision::kFp32) whole = report.bytes;
      if (precision == ModelPrecision::kFp16) {
        EXPECT_LT(report.bytes, whole * 7 / 10);
      }
    }
  }
  EXPECT_EQ(folder_.entries(), 4) << "a scratch file is left";
}

TEST_P(ExportOfGame, TorchScriptEqualsTheModuleAtAnyBatchSize) {
  const EncodingShape shape = InfoOfGame(GetParam()).shape;
  const auto path = folder_ / "model.pt";
  Export(source_, ExportFormat::kTorchScript, path);
  const std::vector<float> planes = RandomPlanes(shape, 50, 4);
  const torch::NoGradGuard no_grad;
  torch::jit::Module module = torch::jit::load(path.string());
  for (const int size : {1, 3, 50}) {
    const torch::Tensor x = InputView(planes.data(), size, shape);
    const auto output = module.forward({x}).toTuple();
    const NetworkOutput expected = network_(x);
    EXPECT_TRUE(torch::allclose(output->elements()[0].toTensor(), expected.policy, 1e-3, 1e-3));
    EXPECT_TRUE(
        torch::allclose(output->elements()[1].toTensor(), expected.wdl.softmax(1), 1e-4, 1e-4));
  }
}

TEST_P(ExportOfGame, AnExportIsASourceToo) {
  const auto path = folder_ / "model.safetensors";
  Export(source_, ExportFormat::kSafetensors, path);
  const ExportSource again = LoadExportSource(path, kPositions);
  EXPECT_EQ(again.description.info.step, 77);
  EXPECT_EQ(again.network->stem.weight, source_.network->stem.weight);
  EXPECT_GT(Export(again, ExportFormat::kOnnx, folder_ / "model.onnx").top1_agreement, 0.99);
}

TEST_P(ExportOfGame, PositionsAreTheSameEachTimeAndRareOnesAreAmongThem) {
  const GameInfo game = InfoOfGame(GetParam());
  const ExportPositions positions = PositionsOf(game, 200);
  EXPECT_EQ(positions.count(), 200);
  EXPECT_EQ(positions.planes, PositionsOf(game, 200).planes);
  // The first are those of PositionsOf with fewer.
  const ExportPositions few = PositionsOf(game, 3);
  EXPECT_TRUE(std::equal(few.planes.begin(), few.planes.end(), positions.planes.begin()));
  // Every plane but few differs somewhere from 0: repetitions, castling, hands, counters.
  const auto planes = static_cast<size_t>(game.shape.input_planes);
  std::vector<bool> seen(planes, false);
  for (size_t i = 0; i < positions.planes.size(); ++i) {
    if (positions.planes[i] != 0.0F) seen[i % planes] = true;
  }
  EXPECT_EQ(std::ranges::count(seen, false), 0);
}

// A model with other outputs is found, whatever differs: a weight, the best move, a number that is
// none.
TEST_P(ExportOfGame, AModelThatDiffersIsRemovedAndAnOldFileIsKept) {
  WriteNewFile(folder_ / "model", "old");
  for (const ExportFormat format :
       {ExportFormat::kTorchScript, ExportFormat::kOnnx, ExportFormat::kSafetensors}) {
    for (const float factor : {1.02F, std::nanf("")}) {
      FoldedNetwork network = *source_.network;
      network.value_out.bias[1] = factor * (network.value_out.bias[1] + 1.0F);
      ExportSource source = source_;
      source.network = std::make_shared<FoldedNetwork>(network);
      EXPECT_THROWS_WITH(Export(source, format, folder_ / "model"), RuntimeFailure,
                         "differs from the network");
      EXPECT_EQ(ReadFile(folder_ / "model"), "old");
      EXPECT_EQ(folder_.entries(), 2);
    }
  }
}

// By other programs, where they are installed: ONNX's own checker, and a runtime.
TEST_P(ExportOfGame, OnnxIsValidAndARuntimeAgrees) {
  const std::string folder = KHANZERO_TEST_DATA "/../onnx/";
  const bool has_runtime = std::system((folder + "install.sh").c_str()) == 0;
  for (const ModelPrecision precision : {ModelPrecision::kFp32, ModelPrecision::kFp16}) {
    source_.description.precision = precision;
    const auto path = folder_ / "model.onnx";
    Export(source_, ExportFormat::kOnnx, path);
    const int status = std::system((folder + "check.sh " + path.string()).c_str());
    EXPECT_TRUE(status == 0 || WEXITSTATUS(status) == 77) << status;
    if (!has_runtime) continue;
    const ModelOutputs found =
        RunByProgram(folder + "run.sh", path, source_.network->shape, source_.positions);
    const ExportReport report =
        CompareOutputs(source_.reference, found, source_.positions, precision);
    EXPECT_EQ(report.positions, kPositions);
  }
  if (!has_runtime) GTEST_SKIP() << "there is no ONNX runtime";
}

TEST(Export, WeightsTooLargeForHalfPrecisionAreFound) {
  const TempFolder folder;
  ExportSource source = SmallSource(folder, 20);
  FoldedNetwork large = *source.network;
  large.value_out.bias[0] = 1e6F;
  source.network = std::make_shared<FoldedNetwork>(large);
  source.reference = OutputsOf(large, source.positions);
  source.description.precision = ModelPrecision::kFp16;
  EXPECT_THROWS_WITH(Export(source, ExportFormat::kSafetensors, folder / "m"), RuntimeFailure,
                     "differs from the network");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(Export, UnwritablePlaceIsARuntimeFailureAndAnOldFileIsKept) {
  const TempFolder folder;
  const ExportSource source = SmallSource(folder, 4);
  EXPECT_THROWS_WITH(Export(source, ExportFormat::kSafetensors, folder / "none/m.pt"),
                     RuntimeFailure, "No such file");
  std::filesystem::create_directories(folder / "m.pt/inner");
  EXPECT_THROW(Export(source, ExportFormat::kSafetensors, folder / "m.pt"), RuntimeFailure);
  EXPECT_TRUE(std::filesystem::exists(folder / "m.pt/inner"));
  EXPECT_EQ(folder.entries(), 2);
}

TEST(Export, TheProgramThatRunsTorchScriptMustBeThere) {
  const TempFolder folder;
  const ExportSource source = SmallSource(folder, 4);
  EXPECT_THROWS_WITH(
      ExportModel(source, ExportFormat::kTorchScript, folder / "m.pt", folder / "no-program"),
      RuntimeFailure, "cannot run");
  EXPECT_THROWS_WITH(ExportModel(source, ExportFormat::kTorchScript, folder / "m.pt", "/bin/false"),
                     RuntimeFailure, "could not run the written model");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(ModelFiles, WhatIsNoModelIsRefusedWithAReason) {
  const TempFolder folder;
  EXPECT_THROWS_WITH(ReadModelFile(folder / "none.pt"), InputError, "does not exist");
  WriteNewFile(folder / "text.pt", "hello, this is a text of more than a few bytes");
  EXPECT_THROWS_WITH(ReadModelFile(folder / "text.pt"), InputError, "no network of this program");
  WriteNewFile(folder / "cut.pt", "PK\x03\x04 and no end of an archive");
  EXPECT_THROWS_WITH(ReadModelFile(folder / "cut.pt"), InputError, "is no zip archive");
  torch::jit::Module("Other").save((folder / "other.pt").string());
  EXPECT_THROWS_WITH(ReadModelFile(folder / "other.pt"), InputError,
                     "not one that 'khanzero export' wrote");
  WriteNewFile(folder / "cut.onnx", "\x08\x07\x12\x7f");
  EXPECT_THROWS_WITH(ReadModelFile(folder / "cut.onnx"), InputError, "damaged, or no ONNX model");
  WriteNewFile(folder / "other.onnx", "\x08\x07");
  EXPECT_THROWS_WITH(ReadModelFile(folder / "other.onnx"), InputError, "perhaps an ONNX model");
  EXPECT_EQ(ReadModelFile(folder.path()).kind, ModelKind::kCheckpoint);
}

}  // namespace
}  // namespace khanzero
