// SPDX-License-Identifier: GPL-3.0-or-later
//
// The visitors (see env/settings.h) behind train/config.h: one reads a settings struct from a YAML
// map, one describes its fields as text.
#pragma once

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "env/settings.h"

namespace khanzero {

// Text of a number that reads back to the same value.
std::string NumberText(double value);
std::string NumberText(std::integral auto value) { return std::to_string(value); }

template <class T>
std::string LimitsText(T least, T most) {
  return NumberText(least) + " to " + NumberText(most);
}

// "gumbel, puct"
template <size_t kCount>
std::string ChoicesText(const ChoiceNames<kCount>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

// Reads all of `text` as a number within the limits; nothing when it is not one.
template <class T>
std::optional<T> ReadNumber(std::string_view text, T least, T most) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::floating_point<T>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  if (value < least || value > most) return std::nullopt;
  return value;
}

// What is read, and where each value was found.
struct SettingsSource {
  std::string name;                   // the file, or the text of an override
  bool has_lines = true;              // false for an override
  std::vector<std::string> all_keys;  // every key of the configuration, as "section.key"
  // From a key ("search.simulations") to where it was given, for checks that come later.
  std::map<std::string, std::string> places;

  // "run.yaml, line 3" of a node, or the override.
  std::string PlaceOf(const YAML::Node& node) const;
};

// Reads the fields of one settings struct from one YAML map; fields that the map lacks keep their
// values. Every function throws InputError that names the place, the key, what was found and what
// is expected.
class SettingsReader {
 public:
  // `map` may be null (an empty section). `section` is empty for the whole configuration.
  SettingsReader(const YAML::Node& map, const std::string& section, SettingsSource& source);

  template <class T>
  void Number(std::string_view name, T& value, std::type_identity_t<T> least,
              std::type_identity_t<T> most, std::string_view /*meaning*/) {
    const YAML::Node* const node = Take(name);
    if (node == nullptr) return;
    const std::optional<T> read =
        IsPlain(*node) ? ReadNumber<T>(node->Scalar(), least, most) : std::nullopt;
    constexpr std::string_view kKind = std::integral<T> ? "a whole number" : "a number";
    if (!read) Refuse(name, *node, std::string(kKind) + " from " + LimitsText<T>(least, most));
    value = *read;
  }

  void Flag(std::string_view name, bool& value, std::string_view meaning);
  void Text(std::string_view name, std::string& value, std::string_view meaning);

  template <class E, size_t kCount>
  void Choice(std::string_view name, E& value, const ChoiceNames<kCount>& names,
              std::string_view /*meaning*/) {
    const YAML::Node* const node = Take(name);
    if (node == nullptr) return;
    for (size_t i = 0; i < kCount; ++i) {
      if (node->IsScalar() && node->Scalar() == names[i]) {
        value = static_cast<E>(i);
        return;
      }
    }
    Refuse(name, *node, "one of " + ChoicesText(names));
  }

  template <class S>
  void Section(std::string_view name, S& settings, std::string_view /*meaning*/) {
    const YAML::Node* const node = Take(name);
    if (node == nullptr) return;
    if (!node->IsMap() && !node->IsNull()) {
      Refuse(name, *node, "a section, with its keys indented below it");
    }
    SettingsReader reader(*node, PathOf(name), source_);
    S::Fields(settings, reader);
    reader.RefuseUnknownKeys();
  }

  // Call it after the fields were visited.
  void RefuseUnknownKeys() const;

 private:
  struct Entry {
    std::string key;
    YAML::Node key_node;
    YAML::Node value;
    bool known = false;
  };

  // The value given for a field, or null; remembers the field's name and place.
  const YAML::Node* Take(std::string_view name);
  std::string PathOf(std::string_view name) const;
  // A scalar without quotes: what may be a number or a flag.
  static bool IsPlain(const YAML::Node& node) { return node.IsScalar() && node.Tag() != "!"; }
  [[noreturn]] void Refuse(std::string_view name, const YAML::Node& node,
                           const std::string& expected) const;

  std::string section_;
  SettingsSource& source_;
  std::vector<Entry> entries_;
  std::vector<std::string> known_keys_;
};

// One field, or the head of a section, as text.
struct FieldText {
  std::string path;  // "search.simulations"
  std::string name;  // "simulations"
  std::string value;
  std::string limits;  // "1 to 1000", "gumbel, puct"; empty for a text
  std::string meaning;
  bool is_section = false;
};

// Lists the fields of a settings struct and of its sections, in order.
class SettingsLister {
 public:
  template <class T>
  void Number(std::string_view name, const T& value, std::type_identity_t<T> least,
              std::type_identity_t<T> most, std::string_view meaning) {
    Add(name, NumberText(value), LimitsText<T>(least, most), meaning);
  }
  void Flag(std::string_view name, bool value, std::string_view meaning) {
    Add(name, value ? "true" : "false", "true or false", meaning);
  }
  template <class E, size_t kCount>
  void Choice(std::string_view name, const E& value, const ChoiceNames<kCount>& names,
              std::string_view meaning) {
    Add(name, std::string(names[static_cast<size_t>(value)]), ChoicesText(names), meaning);
  }
  void Text(std::string_view name, const std::string& value, std::string_view meaning);

  template <class S>
  void Section(std::string_view name, S& settings, std::string_view meaning) {
    Add(name, "", "", meaning);
    fields_.back().is_section = true;
    const std::string outer = prefix_;
    prefix_ += std::string(name) + ".";
    S::Fields(settings, *this);
    prefix_ = outer;
  }

  const std::vector<FieldText>& fields() const { return fields_; }

 private:
  void Add(std::string_view name, std::string value, std::string limits, std::string_view meaning);

  std::string prefix_;
  std::vector<FieldText> fields_;
};

}  // namespace khanzero
