// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/export.h"

#include <gtest/gtest.h>
#include <torch/script.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "env/error.h"
#include "model/files.h"
#include "model/version.h"
#include "tests/model/networks_for_tests.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

CheckpointInfo InfoFor(const std::string& game) {
  return {.game = InfoOfGame(game), .network = kSmallNetwork, .step = 77, .games = 5};
}

class ExportOfGame : public testing::TestWithParam<std::string> {
 protected:
  CheckpointInfo info_ = InfoFor(GetParam());
  EncodingShape shape_ = info_.game.shape;
  TempFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Games, ExportOfGame, testing::ValuesIn(GameNames()),
                         [](const auto& param) { return param.param; });

TEST_P(ExportOfGame, TorchScriptEqualsTheModuleAtAnyBatchSize) {
  Network network = MakeTrainedLikeNetwork(shape_);
  const std::vector<float> planes = RandomPlanes(shape_, 120, 4);
  const auto path = folder_ / "model.pt";
  const ExportReport report = ExportTorchScript(*Fold(*network), info_, path, planes);
  EXPECT_GE(report.positions, 120);
  EXPECT_LE(report.max_policy_difference, kMaxPolicyDifference);
  EXPECT_LE(report.max_wdl_difference, kMaxWdlDifference);
  EXPECT_EQ(report.bytes, std::filesystem::file_size(path));
  EXPECT_EQ(folder_.entries(), 1);

  const torch::NoGradGuard no_grad;
  torch::jit::Module module = torch::jit::load(path.string());
  for (const int size : {1, 3, 120}) {
    const torch::Tensor x = InputView(planes.data(), size, shape_);
    const auto output = module.forward({x}).toTuple();
    const NetworkOutput expected = network(x);
    EXPECT_TRUE(torch::allclose(output->elements()[0].toTensor(), expected.policy, 1e-3, 1e-3));
    EXPECT_TRUE(
        torch::allclose(output->elements()[1].toTensor(), expected.wdl.softmax(1), 1e-4, 1e-4));
  }
}

TEST_P(ExportOfGame, MetadataSaysWhatTheModelIs) {
  const auto path = folder_ / "model.pt";
  ExportTorchScript(*Fold(*MakeTrainedLikeNetwork(shape_)), info_, path);
  const auto json = nlohmann::json::parse(ReadTorchScriptMetadata(path));
  EXPECT_EQ(json["game"], GetParam());
  EXPECT_EQ(json["rules_version"], info_.game.rules_version);
  EXPECT_EQ(json["encoding_version"], info_.game.encoding_version);
  EXPECT_EQ(json["step"], 77);
  EXPECT_EQ(json["licence"], "GPL-3.0-or-later");
  EXPECT_EQ(json["program_version"], ProgramVersion());
  EXPECT_EQ(json["input"]["planes"].size(), static_cast<size_t>(shape_.input_planes));
  EXPECT_EQ(json["input"]["shape"],
            nlohmann::json({"batch", shape_.input_planes, shape_.ranks, shape_.files}));
  EXPECT_EQ(json["outputs"][0]["shape"], nlohmann::json({"batch", shape_.policy_size()}));
}

TEST(Export, AModelThatIsNotFiniteIsNotPublished) {
  const TempFolder folder;
  const CheckpointInfo info = InfoFor("khans");
  Network network = MakeTrainedLikeNetwork(info.game.shape);
  {
    const torch::NoGradGuard no_grad;
    network->value->out->bias.fill_(std::nanf(""));
  }
  EXPECT_THROWS_WITH(ExportTorchScript(*Fold(*network), info, folder / "m.pt"), RuntimeFailure,
                     "differs from the network");
  EXPECT_EQ(folder.entries(), 0);
}

TEST(Export, UnwritablePlaceIsARuntimeFailureAndAnOldFileIsKept) {
  const TempFolder folder;
  const CheckpointInfo info = InfoFor("khans");
  const auto network = Fold(*MakeTrainedLikeNetwork(info.game.shape));
  EXPECT_THROWS_WITH(ExportTorchScript(*network, info, folder / "none/m.pt"), RuntimeFailure,
                     "No such file");
  std::filesystem::create_directories(folder / "m.pt/inner");
  EXPECT_THROW(ExportTorchScript(*network, info, folder / "m.pt"), RuntimeFailure);
  EXPECT_TRUE(std::filesystem::exists(folder / "m.pt/inner"));
  EXPECT_EQ(folder.entries(), 1);
}

TEST(Export, MetadataOfOtherFilesIsAnInputError) {
  const TempFolder folder;
  EXPECT_THROWS_WITH(ReadTorchScriptMetadata(folder / "none.pt"), InputError, "there is no file");
  WriteNewFile(folder / "text.pt", "hello");
  EXPECT_THROWS_WITH(ReadTorchScriptMetadata(folder / "text.pt"), InputError, "damaged");
  torch::jit::Module("Other").save((folder / "other.pt").string());
  EXPECT_THROWS_WITH(ReadTorchScriptMetadata(folder / "other.pt"), InputError,
                     "not one of this program");
}

}  // namespace
}  // namespace khanzero
