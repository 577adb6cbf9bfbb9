// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/foreign_json.h"

#include <gtest/gtest.h>

#include <string>

#include "env/error.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

std::string Nested(int depth) {
  return std::string(static_cast<size_t>(depth), '[') +
         std::string(static_cast<size_t>(depth), ']');
}

TEST(ForeignJson, TextThatIsTooDeepOrTooLongIsRefused) {
  EXPECT_FALSE(ParseForeignJson(Nested(kMostJsonDepth)).is_discarded());
  EXPECT_TRUE(ParseForeignJson(Nested(kMostJsonDepth + 1)).is_discarded());
  EXPECT_TRUE(ParseForeignJson(Nested(400'000)).is_discarded());
  EXPECT_TRUE(ParseForeignJson("\"" + std::string(kMostJsonBytes, 'x') + "\"").is_discarded());
  // Brackets in strings are text, also behind escaped quotes.
  EXPECT_FALSE(ParseForeignJson("\"\\\"" + std::string(200, '[') + "\"").is_discarded());
  EXPECT_FALSE(ParseForeignJson("[\"\\\\\", " + Nested(kMostJsonDepth - 1) + "]").is_discarded());
}

TEST(ForeignJson, FieldsAreHeldToTheirTypesAndLimits) {
  const ForeignJson json(ParseForeignJson(R"({"i": 7, "f": 1.5, "t": "x", "o": {"j": -1},
      "big": 9223372036854775808, "huge": 1e300, "bool": true})"),
                         "file");
  EXPECT_EQ(json.Integer("i", 0, 7), 7);
  EXPECT_EQ(json.Text("t"), "x");
  EXPECT_EQ(json.Number("f"), 1.5);
  EXPECT_EQ(json.Object("o").Integer("j", -1, 0), -1);
  EXPECT_THROWS_WITH(json.Integer("i", 0, 6), InputError, "'i' is no whole number from 0 to 6");
  for (const char* const name : {"f", "t", "o", "big", "huge", "bool"}) {
    EXPECT_THROWS_WITH(json.Integer(name, INT64_MIN, INT64_MAX), InputError, "no whole number");
  }
  EXPECT_THROWS_WITH(json.Text("i"), InputError, "file is damaged: 'i' is no text");
  EXPECT_THROWS_WITH(json.Number("t"), InputError, "is no number");
  EXPECT_THROWS_WITH(json.Object("t"), InputError, "is no object");
  EXPECT_THROWS_WITH(json.Text("none"), InputError, "it lacks 'none'");
}

}  // namespace
}  // namespace khanzero
