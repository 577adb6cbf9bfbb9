// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every file of the corpus through the fuzz targets' bodies, without libFuzzer.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/fuzz_bodies.h"

namespace khanzero {
namespace {

std::vector<uint8_t> Bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Returns how many files there were.
int RunFolder(const std::string& folder, InputWorth (*body)(std::span<const uint8_t>)) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KHANZERO_FUZZ_CORPUS "/" + folder)) {
    SCOPED_TRACE(entry.path());
    ++count;
    try {
      body(Bytes(entry.path()));
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  return count;
}

TEST(FuzzCorpus, EnginesAgreeOnEveryFen) { EXPECT_GE(RunFolder("fen", FuzzFen), 24); }
TEST(FuzzCorpus, EnginesAgreeOnEveryMoveList) { EXPECT_GE(RunFolder("moves", FuzzMoves), 24); }
TEST(FuzzCorpus, EveryPgnIsReadOrRefused) { EXPECT_GE(RunFolder("pgn", FuzzPgn), 12); }
TEST(FuzzCorpus, EveryHttpRequestIsAnswered) { EXPECT_GE(RunFolder("http", FuzzHttp), 12); }
TEST(FuzzCorpus, EveryTensorFileIsReadOrRefused) { RunFolder("tensors", FuzzTensors); }
TEST(FuzzCorpus, EveryCheckpointIsReadOrRefused) { RunFolder("checkpoint", FuzzCheckpoint); }
TEST(FuzzCorpus, EveryModelIsReadOrRefused) { RunFolder("model", FuzzModel); }
TEST(FuzzCorpus, EveryRecordIsReadOrRefused) { RunFolder("record", FuzzRecord); }
TEST(FuzzCorpus, EveryConfigurationIsReadOrRefused) { RunFolder("config", FuzzConfig); }
TEST(FuzzCorpus, EveryAddressIsReadOrRefused) { EXPECT_GE(RunFolder("address", FuzzAddress), 12); }
TEST(FuzzCorpus, EveryBatchIsReadOrRefused) { EXPECT_GE(RunFolder("batch", FuzzBatch), 6); }
TEST(FuzzCorpus, EverySuiteIsReadOrRefused) { RunFolder("suite", FuzzSuite); }
TEST(FuzzCorpus, EveryLineOfUciIsAnswered) { RunFolder("uci", FuzzUci); }

// Each file of the corpus, cut off at every byte, as a writer that is killed leaves it.
TEST(FuzzCorpus, EveryPartOfAPgnIsReadOrRefused) {
  for (const auto& entry : std::filesystem::directory_iterator(KHANZERO_FUZZ_CORPUS "/pgn")) {
    const std::vector<uint8_t> bytes = Bytes(entry.path());
    for (size_t length = 0; length < bytes.size(); ++length) {
      SCOPED_TRACE(entry.path().string() + " " + std::to_string(length));
      EXPECT_NO_THROW(FuzzPgn(std::span(bytes).first(length)));
    }
  }
}

TEST(FuzzCorpus, AnyBytesAreTaken) {
  std::vector<uint8_t> bytes;
  EXPECT_EQ(FuzzFen(bytes), InputWorth::kForget);
  for (int i = 0; i < 256; ++i) {
    bytes.assign({static_cast<uint8_t>(i)});
    EXPECT_EQ(FuzzFen(bytes), InputWorth::kKeep);
    EXPECT_EQ(FuzzMoves(bytes), InputWorth::kKeep);  // the start position
  }
}

}  // namespace
}  // namespace khanzero
