// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "env/error.h"
#include "env/random.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

// A file with the given header and data.
std::string Compose(const std::string& header, const std::string& data = "") {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

std::string Entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TensorFile Example() {
  TensorFile file;
  file.tensors["bytes"] = {TensorType::kU8, {3}, "abc"};
  file.tensors["half"] = {TensorType::kF16, {1, 2}, "abcd"};
  file.tensors["bf16"] = {TensorType::kBf16, {2}, "efgh"};
  file.tensors["count"] = {TensorType::kI64, {}, "12345678"};
  file.tensors["empty"] = {TensorType::kF32, {0, 5}, ""};
  file.tensors["weights"] = StoreFloats(std::vector<float>{1.5F, -2.0F, 0.0F, 3e-30F}, {2, 2});
  file.metadata["format"] = "pt";
  file.metadata["who \"quotes\""] = "\xC3\xA9";
  return file;
}

TEST(Safetensors, RoundTripKeepsEverything) {
  const TensorFile file = Example();
  const std::string bytes = SerializeTensors(file);
  EXPECT_EQ(ParseTensors(bytes, "test"), file);
  EXPECT_EQ(SerializeTensors(ParseTensors(bytes, "test")), bytes);
  EXPECT_EQ(ParseTensors(SerializeTensors({}), "test"), TensorFile{});
  EXPECT_EQ(FloatsOf(file.tensors.at("weights")), (std::vector<float>{1.5F, -2.0F, 0.0F, 3e-30F}));
}

TEST(Safetensors, SizesOfAnEmptyArrayMayBeHuge) {
  TensorFile file;
  file.tensors["x"] = {TensorType::kF32, {std::numeric_limits<int64_t>::max(), 3, 0}, ""};
  EXPECT_EQ(file.tensors["x"].count(), 0);
  EXPECT_EQ(ParseTensors(SerializeTensors(file), "test"), file);
}

TEST(Safetensors, DataBeginsAligned) {
  const std::string bytes = SerializeTensors(Example());
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
}

TEST(Safetensors, ReadsAFileOfAnotherWriter) {
  // Data before it is named, spaces, metadata last.
  const std::string header = R"({ "b": {"shape": [1], "data_offsets": [4, 8], "dtype": "F32"},
      "a": {"dtype": "F32", "data_offsets": [0, 4], "shape": [1, 1]},
      "__metadata__": {"k": "v"} }   )";
  const float values[2] = {1.0F, 2.0F};
  const TensorFile file =
      ParseTensors(Compose(header, {reinterpret_cast<const char*>(values), 8}), "test");
  EXPECT_EQ(FloatsOf(file.tensors.at("a")), std::vector<float>{1.0F});
  EXPECT_EQ(FloatsOf(file.tensors.at("b")), std::vector<float>{2.0F});
  EXPECT_EQ(file.metadata.at("k"), "v");
}

TEST(Safetensors, MalformedFilesAreRefusedNamingFileAndFault) {
  const std::string four(4, 'x');
  const std::string huge = "9223372036854775807";
  struct Case {
    std::string bytes;
    const char* fault;
  };
  const Case cases[] = {
      {"", "shorter than 8"},
      {std::string(7, '\0'), "shorter than 8"},
      {std::string(8, '\0'), "does not begin with '{'"},
      {std::string(8, '\xff') + "{}", "header should have 18446744073709551615 bytes"},
      {Compose("{}").substr(0, 9), "header should have 2 bytes"},
      {Compose(" {}"), "does not begin with '{'"},
      {Compose("{"), "not valid JSON"},
      {Compose("{}x"), "not valid JSON"},
      {Compose("{\"\xff\": 1}"), "not valid JSON"},
      {Compose("[]"), "does not begin"},
      {Compose("{" + std::string(200'000, '[')), "not valid JSON"},
      {Compose(R"({"a":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}"),
       "not valid JSON"},
      {Compose("{}", "x"), "its arrays end at byte 0"},
      {Compose(R"({"a":1})"), "lacks dtype"},
      {Compose(R"({"a":{"dtype":"F32","shape":[1]}})", four), "lacks dtype"},
      {Compose(R"({"a":)" + Entry("F64", "[1]", "[0,4]") + "}", four), "dtype"},
      {Compose(R"({"a":{"dtype":3,"shape":[1],"data_offsets":[0,4]}})", four), "dtype"},
      {Compose(R"({"a":)" + Entry("F32", "1", "[0,4]") + "}", four), "no list"},
      {Compose(R"({"a":)" + Entry("F32", "[-1]", "[0,4]") + "}", four), "whole number"},
      {Compose(R"({"a":)" + Entry("F32", "[1.0]", "[0,4]") + "}", four), "whole number"},
      {Compose(R"({"a":)" + Entry("F32", "[2]", "[0,4]") + "}", four), "does not fit"},
      {Compose(R"({"a":)" + Entry("F32", "[" + huge + "," + huge + "]", "[0,4]") + "}", four),
       "does not fit"},
      {Compose(R"({"a":)" + Entry("F32", "[18446744073709551615]", "[0,4]") + "}", four),
       "out of range"},
      // 2^32 x 2^30 x 4 bytes is 2^64: 0 in 64 bits.
      {Compose(R"({"a":)" + Entry("F32", "[4294967296,1073741824]", "[0,0]") + "}"),
       "does not fit"},
      {Compose(R"({"a":)" + Entry("F32", "[1]", "[0,4,8]") + "}", four), "no pair"},
      {Compose(R"({"a":)" + Entry("F32", "[1]", "[4,0]") + "}", four), "lies at bytes 4 to 0"},
      {Compose(R"({"a":)" + Entry("F32", "[2]", "[0,8]") + "}", four), "lies at bytes 0 to 8"},
      {Compose(R"({"a":)" + Entry("U8", "[3]", "[1,4]") + "}", four), "begins at byte 1"},
      {Compose(R"({"a":)" + Entry("U8", "[3]", "[0,3]") + "}", four), "end at byte 3"},
      {Compose(R"({"a":)" + Entry("U8", "[3]", "[0,3]") + R"(,"b":)" + Entry("U8", "[2]", "[2,4]") +
                   "}",
               four),
       "begins at byte 2"},
      {Compose(R"({"__metadata__":[]})"), "__metadata__"},
      {Compose(R"({"__metadata__":{"a":1}})"), "__metadata__ 'a'"},
  };
  for (const Case& c : cases) {
    EXPECT_THROWS_WITH(ParseTensors(c.bytes, "model.safetensors"), InputError, c.fault);
    EXPECT_THROWS_WITH(ParseTensors(c.bytes, "model.safetensors"), InputError,
                       "model.safetensors is not a valid");
  }
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string bytes = SerializeTensors(Example());
  for (size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THROW(ParseTensors(std::string_view(bytes).substr(0, n), "test"), InputError) << n;
  }
}

TEST(Safetensors, RandomDamageIsRefusedOrRead) {
  const std::string good = SerializeTensors(Example());
  Random random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good;
    const uint64_t changes = 1 + random.Below(3);
    for (uint64_t k = 0; k < changes; ++k) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Below(256));
    }
    try {
      ParseTensors(bytes, "test");
    } catch (const InputError&) {
    }
  }
}

}  // namespace
}  // namespace khanzero
