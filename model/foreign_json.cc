// SPDX-License-Identifier: GPL-3.0-or-later
//
// nlohmann's parser needs no stack for nested values, but copying and printing them does: so the
// depth is counted first.
#include "model/foreign_json.h"

#include <algorithm>
#include <utility>

#include "env/error.h"

namespace khanzero {
namespace {

using Json = nlohmann::json;

// How deep brackets are nested at most, those in strings aside.
int DepthOf(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      deepest = std::max(deepest, ++depth);
    } else if (!quoted && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

Json ParseForeignJson(std::string_view text) {
  if (text.size() > kMostJsonBytes || DepthOf(text) > kMostJsonDepth) {
    return Json(Json::value_t::discarded);
  }
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

ForeignJson::ForeignJson(Json value, std::string source)
    : value_(std::move(value)), source_(std::move(source)) {
  Check(value_.is_object(), "kind of a JSON value");
}

int64_t ForeignJson::Integer(const char* name, int64_t least, int64_t most) const {
  const Json& field = Field(name);
  // A number above the signed range is stored unsigned and would turn negative.
  const bool fits = field.is_number_integer() &&
                    (!field.is_number_unsigned() || field.get<uint64_t>() <= uint64_t{INT64_MAX});
  const int64_t number = fits ? field.get<int64_t>() : 0;
  if (!fits || number < least || number > most) {
    Refuse(std::string("'") + name + "' is no whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
  }
  return number;
}

double ForeignJson::Number(const char* name) const {
  const Json& field = Field(name);
  if (!field.is_number()) Refuse(std::string("'") + name + "' is no number");
  return field.get<double>();
}

bool ForeignJson::Flag(const char* name) const {
  const Json& field = Field(name);
  if (!field.is_boolean()) Refuse(std::string("'") + name + "' is neither true nor false");
  return field.get<bool>();
}

std::string ForeignJson::Text(const char* name) const {
  const Json& field = Field(name);
  if (!field.is_string()) Refuse(std::string("'") + name + "' is no text");
  return field.get<std::string>();
}

ForeignJson ForeignJson::Object(const char* name) const {
  const Json& field = Field(name);
  if (!field.is_object()) Refuse(std::string("'") + name + "' is no object");
  return {field, source_};
}

const Json& ForeignJson::Field(const char* name) const {
  const auto field = value_.find(name);
  if (field == value_.end()) Refuse(std::string("it lacks '") + name + "'");
  return *field;
}

void ForeignJson::Refuse(const std::string& fault) const {
  throw InputError(source_ + " is damaged: " + fault);
}

}  // namespace khanzero
