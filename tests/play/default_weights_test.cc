// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/default_weights.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "env/error.h"

namespace khanzero {
namespace {

class DefaultWeightsTest : public testing::Test {
 protected:
  DefaultWeightsTest() {
    std::string name = (std::filesystem::temp_directory_path() / "khanzero-models-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) folder_ = name;
  }
  ~DefaultWeightsTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path folder_;
};

TEST_F(DefaultWeightsTest, TheFirstFolderThatHasTheGameCounts) {
  const std::filesystem::path first = folder_ / "a";
  const std::filesystem::path second = folder_ / "b";
  std::filesystem::create_directories(first);
  std::filesystem::create_directories(second / "serbest.safetensors");  // a folder is no file
  EXPECT_FALSE(DefaultWeights("khans", {first, second}));
  std::ofstream(second / "khans.safetensors") << "x";
  EXPECT_EQ(DefaultWeights("khans", {first, second}), second / "khans.safetensors");
  std::ofstream(first / "khans.safetensors") << "x";
  EXPECT_EQ(DefaultWeights("khans", {first, second}), first / "khans.safetensors");
  EXPECT_FALSE(DefaultWeights("serbest", {first, second}));
  EXPECT_FALSE(DefaultWeights("khans", {folder_ / "none"}));
}

TEST_F(DefaultWeightsTest, FoldersBesideTheBinaryAreSearched) {
  const std::filesystem::path binary = std::filesystem::read_symlink("/proc/self/exe");
  const auto folders = ModelFolders();
  EXPECT_EQ(folders.front(), binary.parent_path() / "models");
  EXPECT_NE(std::find(folders.begin(), folders.end(),
                      binary.parent_path().parent_path().parent_path() / "models"),
            folders.end());
}

TEST_F(DefaultWeightsTest, NamesOfRunsAreResolved) {
  EXPECT_EQ(FindWeights("some/model.safetensors"), "some/model.safetensors");
  // As a shell completes it; filename() is what programs call the network.
  EXPECT_EQ(FindWeights("run/checkpoints/step-7/").filename(), "step-7");
  EXPECT_EQ(FindWeights("run/checkpoints/step-7//").filename(), "step-7");
  EXPECT_THROW(FindWeights("latest:" + folder_.string()), InputError);
  std::ofstream(folder_ / "latest") << "step-000000007\n";
  EXPECT_EQ(FindWeights("latest:" + folder_.string()), folder_ / "checkpoints" / "step-000000007");
  EXPECT_THROW(FindWeights("best:" + folder_.string()), InputError);
}

}  // namespace
}  // namespace khanzero
