// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/web_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "env/error.h"

namespace khanzero {

namespace {

using Json = nlohmann::json;

// "a string", as messages call a value.
std::string KindOf(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "true or false";
    case Json::value_t::string:
      return "a text";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::number_float:
      return "a number with a fraction";
    default:
      return "a number";
  }
}

[[noreturn]] void Refuse(const std::string& name, const std::string& needed, const Json& value) {
  throw InputError("the field '" + name + "' must be " + needed + " and is " + KindOf(value));
}

std::string TextOf(const std::string& name, const Json& value, size_t most) {
  if (!value.is_string()) Refuse(name, "a text", value);
  const std::string& text = value.get_ref<const std::string&>();
  if (text.size() > most) {
    throw InputError("the field '" + name + "' is " + std::to_string(text.size()) +
                     " bytes long; at most " + std::to_string(most) + " are allowed");
  }
  return text;
}

int NumberOf(const std::string& name, const Json& value, int least, int most) {
  const std::string needed =
      "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  if (!value.is_number_integer()) Refuse(name, needed, value);
  // An unsigned number may be too large for int64_t.
  const bool too_large = value.is_number_unsigned() &&
                         value.get<uint64_t>() > static_cast<uint64_t>(std::max(most, 0));
  if (too_large || value.get<int64_t>() < least || value.get<int64_t>() > most) {
    throw InputError("the field '" + name + "' must be " + needed + " and is " + value.dump());
  }
  return static_cast<int>(value.get<int64_t>());
}

}  // namespace

WebFields::WebFields(std::string_view body) {
  object_ = std::make_unique<Json>(Json::object());
  if (body.empty()) return;
  // Fields are values and lists of values. Before more is built: each level takes memory.
  constexpr int kDeepest = 8;
  const auto not_deep = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest) throw InputError("the body is nested too deep");
    return true;
  };
  try {
    *object_ = Json::parse(body, not_deep);
  } catch (const Json::exception& error) {
    constexpr size_t kMost = 200;
    throw InputError("the body is no JSON: " + Printable(error.what()).substr(0, kMost));
  }
  if (!object_->is_object()) {
    throw InputError("the body must be a JSON object and is " + KindOf(*object_));
  }
}

WebFields::~WebFields() = default;

const Json* WebFields::Find(const std::string& name) {
  read_.push_back(name);
  const auto found = object_->find(name);
  return found == object_->end() ? nullptr : &*found;
}

const Json& WebFields::Need(const std::string& name) {
  const Json* const value = Find(name);
  if (value == nullptr) throw InputError("the field '" + name + "' is missing");
  return *value;
}

std::string WebFields::Text(const std::string& name, size_t most) {
  return TextOf(name, Need(name), most);
}

std::string WebFields::Text(const std::string& name, size_t most, const std::string& without) {
  const Json* const value = Find(name);
  return value == nullptr ? without : TextOf(name, *value, most);
}

int WebFields::Number(const std::string& name, int least, int most) {
  return NumberOf(name, Need(name), least, most);
}

int WebFields::Number(const std::string& name, int least, int most, int without) {
  const Json* const value = Find(name);
  return value == nullptr ? without : NumberOf(name, *value, least, most);
}

bool WebFields::Flag(const std::string& name, bool without) {
  const Json* const value = Find(name);
  if (value == nullptr) return without;
  if (!value->is_boolean()) Refuse(name, "true or false", *value);
  return value->get<bool>();
}

std::vector<std::string> WebFields::Texts(const std::string& name, size_t most_items, size_t most) {
  const Json* const value = Find(name);
  if (value == nullptr) return {};
  if (!value->is_array()) Refuse(name, "an array of texts", *value);
  if (value->size() > most_items) {
    throw InputError("the field '" + name + "' has " + std::to_string(value->size()) +
                     " entries; at most " + std::to_string(most_items) + " are allowed");
  }
  std::vector<std::string> texts;
  for (const Json& entry : *value) {
    texts.push_back(TextOf(name + "[" + std::to_string(texts.size()) + "]", entry, most));
  }
  return texts;
}

void WebFields::RefuseOthers() const {
  for (const auto& [name, value] : object_->items()) {
    if (std::ranges::find(read_, name) != read_.end()) continue;
    std::string known;
    for (const std::string& other : read_) known += (known.empty() ? "" : ", ") + other;
    throw InputError("unknown field '" + Printable(name.substr(0, 60)) + "'; there " +
                     (known.empty() ? "are none here" : "are " + known));
  }
}

}  // namespace khanzero
