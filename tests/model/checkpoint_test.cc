// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <functional>

#include "env/error.h"
#include "model/files.h"
#include "model/foreign_json.h"
#include "model/safetensors.h"
#include "model/version.h"
#include "tests/model/networks_for_tests.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;

CheckpointInfo ExampleInfo(const std::string& game = "khans") {
  return {.game = InfoOfGame(game),
          .network = kPoolingNetwork,
          .step = 1234,
          .games = 567,
          .positions = int64_t{1} << 40,
          .config_yaml = "game: khans # \xC3\xA9\n",
          .program_version = "",
          .date = "",
          .origin = "small/step-000000100, 900 games"};
}

const ExtraFiles kExtra = {{"optimizer.bin", std::string("\0\xff\n", 3)}, {"training.json", "{}"}};

std::map<std::string, torch::Tensor> Arrays(const NetworkImpl& network) {
  std::map<std::string, torch::Tensor> arrays;
  for (const auto& item : network.named_parameters()) arrays[item.key()] = item.value().detach();
  for (const auto& item : network.named_buffers()) arrays[item.key()] = item.value();
  return arrays;
}

// A checkpoint of khans in a folder of its own.
class CheckpointFolder : public testing::Test {
 protected:
  void SetUp() override {
    network_ = MakeTrainedLikeNetwork(info_.game.shape, 7, kPoolingNetwork);
    SaveCheckpoint(path_, info_, *network_, kExtra);
  }

  // Replaces a file's content without anyone noticing.
  void Alter(const std::string& name, const std::function<void(std::string&)>& change) const {
    std::string bytes = ReadFile(path_ / name);
    change(bytes);
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }

  TempFolder folder_;
  fs::path path_ = folder_ / "runs/a/step-1234";
  CheckpointInfo info_ = ExampleInfo();
  Network network_{nullptr};
};

TEST_F(CheckpointFolder, RoundTripKeepsEverythingBitForBit) {
  const Checkpoint loaded = LoadCheckpoint(path_, &info_.game);
  EXPECT_EQ(loaded.extra, kExtra);
  EXPECT_EQ(loaded.info.program_version, ProgramVersion());
  EXPECT_EQ(loaded.info.date.size(), std::string("2024-05-01T12:00:00Z").size());
  CheckpointInfo expected = info_;
  expected.program_version = loaded.info.program_version;
  expected.date = loaded.info.date;
  EXPECT_EQ(loaded.info, expected);
  EXPECT_EQ(ReadCheckpointInfo(path_), expected);
  const auto before = Arrays(*network_);
  const auto after = Arrays(*loaded.network);
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, tensor] : before) {
    EXPECT_TRUE(torch::equal(tensor, after.at(name))) << name;
  }
  EXPECT_EQ(LoadFoldedNetwork(path_.string(), nullptr)->stem.weight, Fold(*network_)->stem.weight);
  EXPECT_EQ(SerializeWeights(*loaded.network), SerializeWeights(*network_));
}

// Its stem has fewer inputs; what plays has them all, and those planes change nothing.
TEST_F(CheckpointFolder, ANetworkWithoutAttackPlanesIsKeptAndPlaysTheSameWhateverTheyHold) {
  info_.network.attack_planes = false;
  network_ = MakeTrainedLikeNetwork(info_.game.shape, 7, info_.network);
  SaveCheckpoint(path_, info_, *network_);
  const Checkpoint loaded = LoadCheckpoint(path_, &info_.game);
  EXPECT_EQ(loaded.info.network, info_.network);
  EXPECT_EQ(SerializeWeights(*loaded.network), SerializeWeights(*network_));
  const auto folded = LoadFoldedNetwork(path_.string(), &info_.game);
  EXPECT_EQ(folded->stem.weight, Fold(*network_)->stem.weight);
  EXPECT_EQ(folded->stem.in_channels, info_.game.shape.input_planes);
  std::vector<float> planes = RandomPlanes(info_.game.shape, 1, 3);
  const auto evaluated = [&] {
    EvaluationBatch batch = MakeBatch(info_.game.shape, planes, std::vector<uint16_t>{7}, 0, 1);
    MakeEvaluator(folded, {.precision = Precision::kFp32, .device = "cpu"})->Evaluate(batch);
    return batch.wdl(0).win;
  };
  const float win = evaluated();
  const auto inputs = static_cast<size_t>(info_.game.shape.input_planes);
  for (size_t i = inputs - 1; i < planes.size(); i += inputs) planes[i] = planes[i - 1] = 1.0F;
  EXPECT_EQ(evaluated(), win);
}

TEST_F(CheckpointFolder, SavingAgainReplacesItWholly) {
  CheckpointInfo later = info_;
  later.step = 2000;
  SaveCheckpoint(path_.string() + "/", later, *network_, {{"other", "x"}});
  const Checkpoint loaded = LoadCheckpoint(path_, nullptr);
  EXPECT_EQ(loaded.info.step, 2000);
  EXPECT_EQ(loaded.extra, (ExtraFiles{{"other", "x"}}));
  EXPECT_FALSE(fs::exists(path_ / "training.json"));
  const auto siblings = fs::directory_iterator(path_.parent_path());
  EXPECT_EQ(std::distance(fs::begin(siblings), fs::end(siblings)), 1);
}

TEST_F(CheckpointFolder, OtherThingsAreNotReplaced) {
  WriteNewFile(folder_ / "file", "x");
  EXPECT_THROWS_WITH(SaveCheckpoint(folder_ / "file", info_, *network_), InputError,
                     "is not a checkpoint: it is not replaced");
  fs::create_directory(folder_ / "home");
  WriteNewFile(folder_ / "home/letter", "x");
  EXPECT_THROWS_WITH(SaveCheckpoint(folder_ / "home", info_, *network_), InputError,
                     "is not replaced");
  EXPECT_EQ(ReadFile(folder_ / "home/letter"), "x");
}

TEST_F(CheckpointFolder, UnwritableParentIsARuntimeFailure) {
  WriteNewFile(folder_ / "file", "x");
  EXPECT_THROWS_WITH(SaveCheckpoint(folder_ / "file/sub/c", info_, *network_), RuntimeFailure,
                     "writing checkpoint");
}

TEST_F(CheckpointFolder, AnotherGameVersionOrShapeIsRefusedNamingBothSides) {
  const GameInfo serbest = InfoOfGame("serbest");
  EXPECT_THROWS_WITH(LoadCheckpoint(path_, &serbest), InputError,
                     "is for the game khans; serbest was asked for");
  GameInfo other = info_.game;
  other.rules_version += 7;
  EXPECT_THROWS_WITH(LoadCheckpoint(path_, &other), InputError,
                     "rules version " + std::to_string(info_.game.rules_version) + "; this");
  EXPECT_THROWS_WITH(LoadCheckpoint(path_, &other), InputError,
                     "rules version " + std::to_string(other.rules_version));
  other = info_.game;
  other.encoding_version += 7;
  EXPECT_THROWS_WITH(LoadCheckpoint(path_, &other), InputError,
                     "encoding version " + std::to_string(other.encoding_version));
  other = info_.game;
  other.shape.input_planes = 999;
  EXPECT_THROWS_WITH(LoadCheckpoint(path_, &other), InputError, "999 input");
  EXPECT_THROWS_WITH(LoadFoldedNetwork(path_.string(), &serbest), InputError, "serbest");
}

TEST_F(CheckpointFolder, WhatIsNoCheckpointIsRefused) {
  EXPECT_THROWS_WITH(LoadCheckpoint(folder_ / "none", nullptr), InputError, "no checkpoint at");
  EXPECT_THROWS_WITH(LoadCheckpoint("", nullptr), InputError, "no checkpoint at");
  EXPECT_THROWS_WITH(LoadCheckpoint(folder_.path(), nullptr), InputError, "no checkpoint.json");
  EXPECT_THROWS_WITH(LoadCheckpoint(path_ / "weights.safetensors", nullptr), InputError,
                     "a checkpoint is a folder");
}

TEST_F(CheckpointFolder, TruncatedFileIsRefused) {
  for (const std::string name : {"weights.safetensors", "optimizer.bin"}) {
    SaveCheckpoint(path_, info_, *network_, kExtra);
    Alter(name, [](std::string& bytes) { bytes.pop_back(); });
    EXPECT_THROWS_WITH(LoadCheckpoint(path_, nullptr), InputError, name);
    EXPECT_THROWS_WITH(LoadCheckpoint(path_, nullptr), InputError, "truncated");
  }
}

TEST_F(CheckpointFolder, FlippedBitIsRefused) {
  for (const std::string name : {"weights.safetensors", "optimizer.bin"}) {
    SaveCheckpoint(path_, info_, *network_, kExtra);
    Alter(name, [](std::string& bytes) { bytes[bytes.size() / 2] ^= 1; });
    EXPECT_THROWS_WITH(LoadCheckpoint(path_, nullptr), InputError, "was altered");
  }
}

TEST_F(CheckpointFolder, MissingFileIsRefused) {
  fs::remove(path_ / "optimizer.bin");
  EXPECT_THROWS_WITH(LoadCheckpoint(path_, nullptr), InputError, "lacks its file optimizer.bin");
}

TEST_F(CheckpointFolder, AlteredDescriptionIsRefused) {
  const std::string good = ReadFile(path_ / "checkpoint.json");
  Alter("checkpoint.json", [](std::string& text) { text.replace(text.find("1234"), 4, "1235"); });
  EXPECT_THROWS_WITH(ReadCheckpointInfo(path_), InputError, "altered");
  // Any single byte: refused, or it says the same.
  const CheckpointInfo info = [&] {
    std::ofstream(path_ / "checkpoint.json") << good;
    return ReadCheckpointInfo(path_);
  }();
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 4;
    std::ofstream(path_ / "checkpoint.json", std::ios::binary) << bad;
    try {
      EXPECT_EQ(ReadCheckpointInfo(path_), info) << i;
    } catch (const InputError&) {
    }
  }
  for (const std::string text : {"", "[]", "{}", "{\"format\":\"khanzero checkpoint\"}"}) {
    std::ofstream(path_ / "checkpoint.json") << text;
    EXPECT_THROWS_WITH(ReadCheckpointInfo(path_), InputError, "damaged");
  }
}

// One of before global pooling was there: its network has none.
TEST_F(CheckpointFolder, ASettingThatCameLaterMeansItsDefault) {
  nlohmann::json json = ToJson(info_);
  EXPECT_EQ(json["network"]["pooling_every"], 2);
  EXPECT_EQ(json["network"]["attack_planes"], true);
  json["network"].erase("pooling_every");
  json["network"].erase("attack_planes");
  const CheckpointInfo read = InfoFrom(ForeignJson(json, "c"));
  EXPECT_EQ(read.network.pooling_every, 0);
  EXPECT_TRUE(read.network.attack_planes);
  EXPECT_EQ(read.network.blocks, info_.network.blocks);
  json["network"].erase("channels");
  EXPECT_THROWS_WITH(InfoFrom(ForeignJson(json, "c")), InputError, "it lacks 'channels'");
}

TEST_F(CheckpointFolder, NewerFormatIsRefusedNamingBothVersions) {
  Alter("checkpoint.json", [](std::string& text) {
    const std::string key = "\"format_version\": 1";
    text.replace(text.find(key), key.size(), "\"format_version\": 2");
  });
  EXPECT_THROWS_WITH(ReadCheckpointInfo(path_), InputError, "reads version 1");
}

TEST_F(CheckpointFolder, FailedSaveKeepsTheOldOneAndLeavesNothing) {
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler_before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 10'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROWS_WITH(SaveCheckpoint(path_, info_, *network_), RuntimeFailure, "File too large");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler_before);
  EXPECT_EQ(LoadCheckpoint(path_, nullptr).extra, kExtra);
  const auto siblings = fs::directory_iterator(path_.parent_path());
  EXPECT_EQ(std::distance(fs::begin(siblings), fs::end(siblings)), 1);
}

TEST(Weights, MissingAdditionalOrMisshapenArraysAreRefusedAndNothingChanges) {
  const EncodingShape shape = InfoOfGame("khans").shape;
  Network network = MakeTrainedLikeNetwork(shape);
  const std::string good = SerializeWeights(*network);
  const auto refuse = [&](const std::function<void(TensorFile&)>& change, const char* fault) {
    TensorFile file = ParseTensors(SerializeWeights(*MakeTrainedLikeNetwork(shape, 99)), "test");
    change(file);
    EXPECT_THROWS_WITH(RestoreWeights(*network, SerializeTensors(file), "w.safetensors"),
                       InputError, fault);
    EXPECT_EQ(SerializeWeights(*network), good);
  };
  const std::string name = "value.out.bias";
  refuse([&](TensorFile& f) { f.tensors.erase(name); }, "lacks the array 'value.out.bias' [3]");
  refuse([&](TensorFile& f) { f.tensors["x"] = {TensorType::kU8, {1}, "x"}; }, "has the array 'x'");
  refuse([&](TensorFile& f) { f.tensors[name] = StoreFloats(std::vector<float>(4), {4}); },
         "'value.out.bias' [4] where the network has 'value.out.bias' [3]");
  refuse([&](TensorFile& f) { f.tensors[name] = {TensorType::kU8, {3}, "abc"}; }, "w.safetensors");
}

// Weights of a program that had no heads for training alone are read; those heads stay as they are.
TEST(Weights, HeadsOfTrainingMayBeMissing) {
  const EncodingShape shape = InfoOfGame("khans").shape;
  Network network = MakeTrainedLikeNetwork(shape);
  TensorFile before = ParseTensors(SerializeWeights(*network), "test");
  TensorFile other = ParseTensors(SerializeWeights(*MakeTrainedLikeNetwork(shape, 99)), "test");
  EXPECT_GT(std::erase_if(other.tensors,
                          [](const auto& entry) { return entry.first.starts_with("auxiliary."); }),
            0U);
  RestoreWeights(*network, SerializeTensors(other), "w.safetensors");
  const TensorFile after = ParseTensors(SerializeWeights(*network), "test");
  for (const auto& [name, tensor] : after.tensors) {
    const bool of_training = name.starts_with("auxiliary.");
    EXPECT_EQ(tensor.bytes, (of_training ? before : other).tensors.at(name).bytes) << name;
  }
}

}  // namespace
}  // namespace khanzero
