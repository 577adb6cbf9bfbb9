// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/web_fields.h"

#include <gtest/gtest.h>

#include <functional>

#include "env/error.h"

namespace khanzero {
namespace {

// What `read` says of a body, or nothing when it takes it.
std::string Refusal(const std::string& body, const std::function<void(WebFields&)>& read) {
  try {
    WebFields fields(body);
    read(fields);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void ExpectRefused(const std::string& body, const std::function<void(WebFields&)>& read,
                   const std::string& what) {
  const std::string refusal = Refusal(body, read);
  EXPECT_NE(refusal.find(what), std::string::npos) << body << ": " << refusal;
}

TEST(WebFields, ReadsWhatIsThere) {
  WebFields fields(R"({"a": "text", "b": 7, "c": true, "d": ["x", "y"]})");
  EXPECT_EQ(fields.Text("a", 10), "text");
  EXPECT_EQ(fields.Number("b", 0, 10), 7);
  EXPECT_TRUE(fields.Flag("c", false));
  EXPECT_EQ(fields.Texts("d", 5, 5), (std::vector<std::string>{"x", "y"}));
  fields.RefuseOthers();
}

TEST(WebFields, AnEmptyBodyHasDefaultsOnly) {
  WebFields fields("");
  EXPECT_EQ(fields.Text("a", 10, "none"), "none");
  EXPECT_EQ(fields.Number("b", 0, 10, 3), 3);
  EXPECT_FALSE(fields.Flag("c", false));
  EXPECT_TRUE(fields.Texts("d", 5, 5).empty());
  fields.RefuseOthers();
  ExpectRefused(
      "", [](WebFields& f) { f.Text("a", 10); }, "the field 'a' is missing");
}

TEST(WebFields, RefusesWhatIsNoObject) {
  const auto nothing = [](WebFields&) {};
  for (const char* const body : {"{", "{\"a\":}", "\xff\xfe", "nope", "{} {}"}) {
    ExpectRefused(body, nothing, "no JSON");
  }
  ExpectRefused("[]", nothing, "must be a JSON object and is an array");
  ExpectRefused("3", nothing, "must be a JSON object and is a number");
  ExpectRefused("null", nothing, "must be a JSON object and is null");
}

TEST(WebFields, RefusesDeepNesting) {
  const auto read = [](WebFields& f) { f.Number("a", 0, 1); };
  const auto nested = [](size_t depth) {
    return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  ExpectRefused(nested(5), read, "and is an array");
  for (const size_t depth : {20U, 50'000U}) ExpectRefused(nested(depth), read, "nested too deep");
  // Before the end is seen.
  ExpectRefused("{\"a\":" + std::string(1'000'000, '['), read, "nested too deep");
}

TEST(WebFields, NamesTheFieldThatIsOfAnotherType) {
  const auto number = [](WebFields& f) { f.Number("n", -2, 9); };
  const std::string needed = "the field 'n' must be a whole number from -2 to 9 and is ";
  ExpectRefused(R"({"n": "3"})", number, needed + "a text");
  ExpectRefused(R"({"n": 3.5})", number, needed + "a number with a fraction");
  ExpectRefused(R"({"n": true})", number, needed + "true or false");
  ExpectRefused(R"({"n": null})", number, needed + "null");
  ExpectRefused(R"({"n": {}})", number, needed + "an object");
  ExpectRefused(R"({"n": 10})", number, needed + "10");
  ExpectRefused(R"({"n": -3})", number, needed + "-3");
  ExpectRefused(R"({"n": 18446744073709551615})", number, needed + "18446744073709551615");
  ExpectRefused(R"({"n": 1e400})", number, "no JSON");
  EXPECT_EQ(Refusal(R"({"n": -2})", number), "");
  ExpectRefused(R"({"t": 1})", [](WebFields& f) { f.Text("t", 5); }, "must be a text");
  ExpectRefused(R"({"t": "123456"})", [](WebFields& f) { f.Text("t", 5); }, "at most 5");
  ExpectRefused(R"({"f": 1})", [](WebFields& f) { f.Flag("f", true); }, "must be true or false");
}

TEST(WebFields, NamesTheEntryOfAnArrayThatIsWrong) {
  const auto texts = [](WebFields& f) { f.Texts("m", 2, 3); };
  ExpectRefused(R"({"m": "x"})", texts, "must be an array of texts");
  ExpectRefused(R"({"m": ["a", 2]})", texts, "the field 'm[1]' must be a text");
  ExpectRefused(R"({"m": ["a", "b", "c"]})", texts, "has 3 entries; at most 2");
  ExpectRefused(R"({"m": ["long text"]})", texts, "'m[0]' is 9 bytes long");
}

TEST(WebFields, RefusesAFieldThatNobodyReads) {
  const auto read = [](WebFields& f) {
    f.Flag("play", false);
    f.Number("lines", 1, 3, 1);
    f.RefuseOthers();
  };
  ExpectRefused(R"({"pley": true})", read, "unknown field 'pley'; there are play, lines");
}

}  // namespace
}  // namespace khanzero
