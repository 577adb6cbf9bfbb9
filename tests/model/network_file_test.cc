// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/network_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include "env/error.h"
#include "env/games.h"
#include "env/random.h"
#include "model/checkpoint_files.h"
#include "model/files.h"
#include "model/load_network.h"
#include "model/safetensors.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

constexpr NetworkSettings kSize = {
    .blocks = 2, .channels = 16, .value_hidden = 8, .pooling_every = 2};

ModelDescription DescriptionFor(const std::string& game) {
  return {.info = {.game = InfoOfGame(game),
                   .network = kSize,
                   .step = 77,
                   .games = 5,
                   .positions = 300,
                   .config_yaml = "",
                   .program_version = "0.1.0",
                   .date = "2026-01-02T03:04:05Z"},
          .precision = ModelPrecision::kFp32,
          .rating = ModelRating{.elo = 812.5, .error = 40.0, .anchor = "random", .nodes = 100}};
}

// With every number set.
FoldedNetwork RandomNetwork(const ModelDescription& description) {
  FoldedNetwork network = EmptyNetwork(description.info.game.shape, description.info.network);
  Random random(3);
  const auto fill = [&](std::vector<float>& values, int64_t count) {
    values.resize(static_cast<size_t>(count));
    for (float& x : values) x = static_cast<float>(random.Uniform() - 0.5);
  };
  for (const auto& [name, conv] : network.convolutions()) {
    fill(conv->weight,
         int64_t{conv->in_channels} * conv->out_channels * conv->kernel * conv->kernel);
    fill(conv->bias, conv->out_channels);
  }
  for (const auto& [name, linear] : network.linears()) {
    fill(linear->weight, int64_t{linear->in_features} * linear->out_features);
    fill(linear->bias, linear->out_features);
  }
  return network;
}

class NetworkFileOfGame : public testing::TestWithParam<std::string> {
 protected:
  ModelDescription description_ = DescriptionFor(GetParam());
  FoldedNetwork network_ = RandomNetwork(description_);
  TempFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Games, NetworkFileOfGame, testing::ValuesIn(GameNames()),
                         [](const auto& param) { return param.param; });

TEST_P(NetworkFileOfGame, WhatIsWrittenIsRead) {
  const auto path = folder_ / "n.safetensors";
  WriteNewFile(path, SerializeNetwork(network_, description_));
  const StoredNetwork stored = ParseNetwork(ReadFile(path), "n");
  EXPECT_EQ(stored.description, description_);
  EXPECT_EQ(stored.network->shape, network_.shape);
  EXPECT_EQ(stored.network->parameter_count(), network_.parameter_count());
  const auto expected = std::as_const(network_).convolutions();
  const auto found = stored.network->convolutions();
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].second->weight, expected[i].second->weight) << found[i].first;
    EXPECT_EQ(found[i].second->bias, expected[i].second->bias) << found[i].first;
  }
  EXPECT_EQ(stored.network->value_hidden.weight, network_.value_hidden.weight);
  EXPECT_EQ(stored.network->value_out.bias, network_.value_out.bias);
  // As every command that plays reads it.
  EXPECT_EQ(LoadFoldedNetwork(path.string(), &description_.info.game)->stem.weight,
            network_.stem.weight);
  EXPECT_EQ(ReadNetworkInfo(path), description_.info);
  EXPECT_EQ(ReadNetworkDescription(path), description_);
}

TEST_P(NetworkFileOfGame, HalfPrecisionHalvesTheFileAndRoundsToNearest) {
  const size_t whole = SerializeNetwork(network_, description_).size();
  description_.precision = ModelPrecision::kFp16;
  const std::string bytes = SerializeNetwork(network_, description_);
  EXPECT_LT(bytes.size(), whole * 6 / 10);
  const StoredNetwork stored = ParseNetwork(bytes, "n");
  EXPECT_EQ(stored.description.precision, ModelPrecision::kFp16);
  const std::vector<float>& weights = network_.blocks[0].first.weight;
  for (size_t i = 0; i < weights.size(); ++i) {
    const float read = stored.network->blocks[0].first.weight[i];
    EXPECT_LE(std::abs(read - weights[i]), std::ldexp(std::abs(weights[i]), -11) + 1e-7F);
  }
}

TEST_P(NetworkFileOfGame, AnotherGameIsRefusedNamingBoth) {
  const auto path = folder_ / "n.safetensors";
  WriteNewFile(path, SerializeNetwork(network_, description_));
  for (const std::string& name : GameNames()) {
    const GameInfo game = InfoOfGame(name);
    if (name == GetParam()) continue;
    EXPECT_THROWS_WITH(LoadFoldedNetwork(path.string(), &game), InputError,
                       "is for the game " + GetParam() + "; " + name + " was asked for");
  }
}

TEST_P(NetworkFileOfGame, ArraysThatDoNotFitTheDescriptionAreRefused) {
  const std::string good = SerializeNetwork(network_, description_);
  const auto refuse = [&](const std::function<void(TensorFile&)>& change, const char* fault) {
    TensorFile file = ParseTensors(good, "n");
    change(file);
    EXPECT_THROWS_WITH(ParseNetwork(SerializeTensors(file), "n.safetensors"), InputError, fault);
    EXPECT_THROWS_WITH(ParseNetwork(SerializeTensors(file), "n.safetensors"), InputError,
                       "n.safetensors");
  };
  const auto describe = [](TensorFile& file, const std::string& from, const std::string& to) {
    std::string& text = file.metadata.at(kDescriptionName);
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  refuse([](TensorFile& f) { f.tensors.erase("value_out.bias"); }, "lacks the array");
  refuse([](TensorFile& f) { f.tensors["x"] = {TensorType::kU8, {1}, "x"}; }, "says nothing of");
  refuse([](TensorFile& f) { f.tensors["stem.bias"].shape = {4, 4}; }, "another shape");
  refuse([](TensorFile& f) { f.metadata.clear(); }, "no network that");
  refuse([](TensorFile& f) { f.metadata[kDescriptionName] = "{}"; }, "no description");
  refuse([&](TensorFile& f) { describe(f, R"("channels":16)", R"("channels":24)"); },
         "another shape");
  refuse([&](TensorFile& f) { describe(f, R"("channels":16)", R"("channels":1e9)"); },
         "'channels' is no whole number from 8 to 1024");
  refuse([&](TensorFile& f) { describe(f, R"("precision":"fp32")", R"("precision":"fp16")"); },
         "another shape or type");
  refuse([&](TensorFile& f) { describe(f, R"("format_version":2)", R"("format_version":3)"); },
         "reads version 2");
}

TEST_P(NetworkFileOfGame, NumbersThatAreNotFiniteAreRefused) {
  const auto path = folder_ / "n.safetensors";
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    for (float* const place : {&network_.blocks[1].second.weight[5], &network_.stem.bias[0],
                               &network_.value_out.weight[0], &network_.value_hidden.bias[1]}) {
      const float before = std::exchange(*place, value);
      WriteFileDurably(path, SerializeNetwork(network_, description_));
      EXPECT_THROWS_WITH(LoadFoldedNetwork(path.string(), nullptr), InputError, "not finite");
      *place = before;
    }
  }
}

// Messages name the files of a checkpoint, whose description may be a stranger's.
TEST_P(NetworkFileOfGame, ACheckpointNamesNoFilesThatCouldSteerATerminal) {
  for (const std::string name : {"a\x1b[2J", "../x", "", ".", "a\nb", "\xc3\xa9"}) {
    WriteFileDurably(
        folder_ / "checkpoint.json",
        SerializeDescription({description_.info, {{name, {.bytes = 1, .checksum = ""}}}}));
    EXPECT_THROWS_WITH(ReadCheckpointFiles(folder_.path(), nullptr), InputError, "odd name");
  }
}

// The largest network that a description may state has gigabytes of weights: none are taken for it.
TEST(NetworkFile, ASizeThatIsOnlyClaimedTakesNoMemory) {
  ModelDescription description = DescriptionFor("khans");
  description.info.network = {.blocks = 80, .channels = 1024, .value_hidden = 1024};
  EXPECT_GT(EmptyNetwork(description.info.game.shape, description.info.network).parameter_count(),
            int64_t{1} << 30);
  TensorFile file;
  file.metadata[kDescriptionName] = SerializeModelDescription(description);
  EXPECT_THROWS_WITH(ParseNetwork(SerializeTensors(file), "n"), InputError, "lacks the array");
}

TEST(NetworkFile, WhatIsNoNetworkIsRefused) {
  const TempFolder folder;
  EXPECT_THROWS_WITH(LoadFoldedNetwork((folder / "none").string(), nullptr), InputError, "none");
  WriteNewFile(folder / "model.pt", "PK\x03\x04 and more than eight bytes");
  EXPECT_THROWS_WITH(LoadFoldedNetwork((folder / "model.pt").string(), nullptr), InputError,
                     "export --format safetensors");
  EXPECT_THROWS_WITH(ReadNetworkInfo(folder / "model.pt"), InputError, "model.pt");
  WriteNewFile(folder / "empty", "");
  EXPECT_THROWS_WITH(ReadNetworkInfo(folder / "empty"), InputError, "no network to play with");
  // A header that claims 2^60 bytes.
  WriteNewFile(folder / "huge", std::string("\0\0\0\0\0\0\0\x10{}", 10));
  EXPECT_THROWS_WITH(LoadFoldedNetwork((folder / "huge").string(), nullptr), InputError,
                     "1152921504606846976 bytes");
}

}  // namespace
}  // namespace khanzero
