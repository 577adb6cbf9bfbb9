// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/run_binary.h"

namespace khanzero {
namespace {

// A configuration file that goes away with the test.
class ConfigCommand : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = testing::TempDir() + "khanzero_" + test->name() + ".yaml";
  }
  void TearDown() override { std::filesystem::remove(path_); }
  void Write(const std::string& text) const { std::ofstream(path_) << text; }

  std::string path_;
};

TEST_F(ConfigCommand, PrintsTheDefaultsWithTheirMeaning) {
  const RunResult result = RunKhanzero({"config"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("game: khans\n"), std::string::npos);
  EXPECT_NE(result.out.find("  # simulations for each move"), std::string::npos);
}

TEST_F(ConfigCommand, PrintsWhatTheFileAndTheSettingsGive) {
  Write("game: serbest\nsearch:\n  simulations: 20\n");
  const RunResult result = RunKhanzero(
      {"config", "--config", path_, "--set", "search.simulations=24", "--set", "seed=9"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("game: serbest\n"), std::string::npos);
  EXPECT_NE(result.out.find("\nseed: 9\n"), std::string::npos);
  EXPECT_NE(result.out.find("  simulations: 24\n"), std::string::npos);
}

TEST_F(ConfigCommand, ReadsBackWhatItPrints) {
  const RunResult first = RunKhanzero({"config", "--set", "learner.momentum=0.123456789"});
  Write(first.out);
  const RunResult second = RunKhanzero({"config", "--config", path_});
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_EQ(second.out, first.out);
}

TEST_F(ConfigCommand, BadConfigurationIsRefused) {
  Write("seed: 1\nsearch:\n  simulation: 20\n");
  ExpectRefused({"config", "--config", path_},
                path_ +
                    ", line 3: unknown key 'simulation' in section 'search'; did you mean "
                    "'simulations'?");
  ExpectRefused({"config", "--config", path_ + ".missing"}, "No such file");
  ExpectRefused({"config", "--set", "seed"}, "must have the form key=value");
  ExpectRefused({"config", "--set", "search.simulations=none"},
                "setting 'search.simulations=none'");
  ExpectRefused({"config", "--set"}, "--set");
}

}  // namespace
}  // namespace khanzero
