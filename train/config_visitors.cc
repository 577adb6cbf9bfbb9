// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/config_visitors.h"

#include <array>
#include <utility>

#include "env/error.h"
#include "train/nearest_name.h"

namespace khanzero {
namespace {

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// What stands in the file where something else is expected.
std::string FoundText(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return node.Tag() == "!" ? "the text \"" + node.Scalar() + "\"" : Quoted(node.Scalar());
    case YAML::NodeType::Sequence:
      return "a list";
    case YAML::NodeType::Map:
      return "a section";
    default:
      return "nothing";
  }
}

}  // namespace

std::string NumberText(double value) {
  std::array<char, 400> text{};
  char* const end = text.data() + text.size();
  // Both forms are the shortest that read back exactly; plain digits read better while few.
  constexpr ptrdiff_t kLongestPlain = 12;
  auto written = std::to_chars(text.data(), end, value, std::chars_format::fixed);
  if (written.ec != std::errc{} || written.ptr - text.data() > kLongestPlain) {
    written = std::to_chars(text.data(), end, value);
  }
  return {text.data(), written.ptr};
}

std::string SettingsSource::PlaceOf(const YAML::Node& node) const {
  if (!has_lines) return "setting " + Quoted(name);
  return name + ", line " + std::to_string(node.Mark().line + 1);
}

SettingsReader::SettingsReader(const YAML::Node& map, const std::string& section,
                               SettingsSource& source)
    : section_(section), source_(source) {
  if (map.IsNull()) return;
  for (const auto& pair : map) {
    if (!pair.first.IsScalar()) {
      throw InputError(source_.PlaceOf(pair.first) + ": a key must be a plain name, found " +
                       FoundText(pair.first));
    }
    const std::string& key = pair.first.Scalar();
    for (const Entry& earlier : entries_) {
      if (earlier.key != key) continue;
      throw InputError(source_.PlaceOf(pair.first) + ": key " + Quoted(PathOf(key)) +
                       " is given twice (first on line " +
                       std::to_string(earlier.key_node.Mark().line + 1) + ")");
    }
    entries_.push_back({.key = key, .key_node = pair.first, .value = pair.second});
  }
}

void SettingsReader::Flag(std::string_view name, bool& value, std::string_view /*meaning*/) {
  const YAML::Node* const node = Take(name);
  if (node == nullptr) return;
  if (!IsPlain(*node) || (node->Scalar() != "true" && node->Scalar() != "false")) {
    Refuse(name, *node, "true or false");
  }
  value = node->Scalar() == "true";
}

void SettingsReader::Text(std::string_view name, std::string& value, std::string_view /*meaning*/) {
  const YAML::Node* const node = Take(name);
  if (node == nullptr) return;
  if (!node->IsScalar()) Refuse(name, *node, "a text");
  value = node->Scalar();
}

void SettingsReader::RefuseUnknownKeys() const {
  for (const Entry& entry : entries_) {
    if (entry.known) continue;
    std::string text = source_.PlaceOf(entry.key_node) + ": unknown key " + Quoted(entry.key);
    if (!section_.empty()) text += " in section " + Quoted(section_);
    if (const auto nearest = NearestName(entry.key, known_keys_)) {
      throw InputError(text + "; did you mean " + Quoted(*nearest) + "?");
    }
    std::string elsewhere;
    for (const std::string& path : source_.all_keys) {
      if (!path.ends_with("." + entry.key)) continue;
      elsewhere += (elsewhere.empty() ? "" : " or ") + Quoted(path);
    }
    if (!elsewhere.empty()) throw InputError(text + "; did you mean " + elsewhere + "?");
    std::string known;
    for (const std::string& key : known_keys_) known += (known.empty() ? "" : ", ") + key;
    throw InputError(text + "; known keys: " + known);
  }
}

const YAML::Node* SettingsReader::Take(std::string_view name) {
  known_keys_.emplace_back(name);
  for (Entry& entry : entries_) {
    if (entry.key != name) continue;
    entry.known = true;
    source_.places[PathOf(name)] = source_.PlaceOf(entry.key_node);
    return &entry.value;
  }
  return nullptr;
}

std::string SettingsReader::PathOf(std::string_view name) const {
  return section_.empty() ? std::string(name) : section_ + "." + std::string(name);
}

void SettingsReader::Refuse(std::string_view name, const YAML::Node& node,
                            const std::string& expected) const {
  // A list or a section begins below its key, so the key's line is the one to name.
  throw InputError(source_.places.at(PathOf(name)) + ": " + PathOf(name) + " must be " + expected +
                   ", found " + FoundText(node));
}

void SettingsLister::Text(std::string_view name, const std::string& value,
                          std::string_view meaning) {
  YAML::Emitter quoted_where_needed;
  quoted_where_needed << value;
  Add(name, quoted_where_needed.c_str(), "", meaning);
}

void SettingsLister::Add(std::string_view name, std::string value, std::string limits,
                         std::string_view meaning) {
  fields_.push_back({.path = prefix_ + std::string(name),
                     .name = std::string(name),
                     .value = std::move(value),
                     .limits = std::move(limits),
                     .meaning = std::string(meaning)});
}

}  // namespace khanzero
