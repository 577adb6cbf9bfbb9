// SPDX-License-Identifier: GPL-3.0-or-later
//
// checkpoint.json lists every file with its size and checksum, and carries a checksum of itself.
#include "model/checkpoint_info.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "env/error.h"
#include "model/files.h"
#include "model/foreign_json.h"
#include "model/version.h"

namespace khanzero {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormatName = "khanzero checkpoint";
constexpr int kFormatVersion = 1;
constexpr int64_t kAnyCount = std::numeric_limits<int64_t>::max();
constexpr int kMostVersion = 1'000'000;

// Settings that came later: a description of before means their defaults.
constexpr std::array<std::string_view, 2> kLaterSettings = {"pooling_every", "attack_planes"};

// Reads the settings that a struct's own list names, within their limits.
class JsonReader {
 public:
  explicit JsonReader(const ForeignJson& json) : json_(json) {}

  void Number(const char* name, int& value, int least, int most, const char* /*meaning*/) const {
    if (Expects(name)) value = static_cast<int>(json_.Integer(name, least, most));
  }
  void Flag(const char* name, bool& value, const char* /*meaning*/) const {
    if (Expects(name)) value = json_.Flag(name);
  }

 private:
  bool Expects(const char* name) const {
    return std::ranges::find(kLaterSettings, name) == kLaterSettings.end() ||
           json_.value().contains(name);
  }

  const ForeignJson& json_;
};

// Writes them.
struct JsonWriter {
  Json json = Json::object();

  void Number(const char* name, int value, int, int, const char* /*meaning*/) {
    json[name] = value;
  }
  void Flag(const char* name, bool value, const char* /*meaning*/) { json[name] = value; }
};

Json ToJson(const NetworkSettings& settings) {
  JsonWriter writer;
  NetworkSettings copy = settings;
  NetworkSettings::Fields(copy, writer);
  return std::move(writer.json);
}

}  // namespace

Json ToJson(const CheckpointInfo& info) {
  const EncodingShape& shape = info.game.shape;
  Json json = {{"game", info.game.name},
               {"rules_version", info.game.rules_version},
               {"encoding_version", info.game.encoding_version},
               {"shape",
                {{"files", shape.files},
                 {"ranks", shape.ranks},
                 {"input_planes", shape.input_planes},
                 {"policy_planes", shape.policy_planes}}},
               {"network", ToJson(info.network)},
               {"step", info.step},
               {"games", info.games},
               {"positions", info.positions},
               {"program_version", info.program_version},
               {"date", info.date}};
  if (!info.origin.empty()) json["origin"] = info.origin;
  return json;
}

CheckpointInfo InfoFrom(const ForeignJson& json) {
  CheckpointInfo info;
  info.game.name = json.Text("game");
  info.game.rules_version = static_cast<int>(json.Integer("rules_version", 0, kMostVersion));
  info.game.encoding_version = static_cast<int>(json.Integer("encoding_version", 0, kMostVersion));
  const ForeignJson sizes = json.Object("shape");
  EncodingShape& shape = info.game.shape;
  shape.files = static_cast<int>(sizes.Integer("files", 1, 26));
  shape.ranks = static_cast<int>(sizes.Integer("ranks", 1, 26));
  shape.input_planes = static_cast<int>(sizes.Integer("input_planes", 1, 4096));
  shape.policy_planes =
      static_cast<int>(sizes.Integer("policy_planes", 1, 65536 / shape.squares()));
  const ForeignJson network = json.Object("network");
  JsonReader reader(network);
  NetworkSettings::Fields(info.network, reader);
  if (info.network.SeenPlanes(shape.input_planes) < 1) {
    throw InputError(json.source() + " is damaged: its network sees no input planes");
  }
  info.step = json.Integer("step", 0, kAnyCount);
  info.games = json.Integer("games", 0, kAnyCount);
  info.positions = json.Integer("positions", 0, kAnyCount);
  info.program_version = json.Text("program_version");
  info.date = json.Text("date");
  if (json.value().contains("origin")) info.origin = json.Text("origin");
  return info;
}

std::string SerializeDescription(const CheckpointDescription& description) {
  Json json = ToJson(description.info);
  json["format"] = kFormatName;
  json["format_version"] = kFormatVersion;
  json["config"] = description.info.config_yaml;
  json["files"] = Json::object();
  for (const auto& [name, entry] : description.files) {
    json["files"][name] = {{"bytes", entry.bytes}, {"checksum", entry.checksum}};
  }
  json["checksum"] = ChecksumOf(json.dump());
  return json.dump(2) + "\n";
}

CheckpointDescription ParseDescription(std::string_view text, const std::string& source) {
  Json json = ParseForeignJson(text);
  if (!json.is_object() || json.value("format", Json()) != kFormatName) {
    throw InputError(source + " is damaged, or not the description of a checkpoint");
  }
  const ForeignJson whole(json, source);
  const int64_t version = whole.Integer("format_version", 0, kMostVersion);
  if (version != kFormatVersion) {
    throw InputError(source + " has format version " + std::to_string(version) +
                     ", this program (" + std::string(ProgramVersion()) + ") reads version " +
                     std::to_string(kFormatVersion));
  }
  const std::string checksum = whole.Text("checksum");
  json.erase("checksum");
  if (ChecksumOf(json.dump()) != checksum) {
    throw InputError(source + " was altered: its checksum does not fit its content");
  }
  CheckpointDescription description{.info = InfoFrom(whole), .files = {}};
  description.info.config_yaml = whole.Text("config");
  const ForeignJson files = whole.Object("files");
  for (const auto& item : files.value().items()) {
    const ForeignJson entry = files.Object(item.key().c_str());
    description.files[item.key()] = {
        .bytes = static_cast<uint64_t>(entry.Integer("bytes", 0, kAnyCount)),
        .checksum = entry.Text("checksum")};
  }
  return description;
}

void CheckSameGame(const GameInfo& found, const GameInfo& expected, const std::string& what) {
  const auto differ = [&](const std::string& of, const auto& theirs, const auto& ours) {
    std::string text = what + " is for " + Printable(found.name) + " with " + of + " " + theirs;
    throw InputError(text + "; this program plays " + expected.name + " with " + of + " " + ours);
  };
  if (found.name != expected.name) {
    throw InputError(what + " is for the game " + Printable(found.name) + "; " + expected.name +
                     " was asked for");
  }
  if (found.rules_version != expected.rules_version) {
    differ("rules version", std::to_string(found.rules_version),
           std::to_string(expected.rules_version));
  }
  if (found.encoding_version != expected.encoding_version) {
    differ("encoding version", std::to_string(found.encoding_version),
           std::to_string(expected.encoding_version));
  }
  const auto text = [](const EncodingShape& s) {
    return std::to_string(s.files) + "x" + std::to_string(s.ranks) + ", " +
           std::to_string(s.input_planes) + " input and " + std::to_string(s.policy_planes) +
           " policy planes";
  };
  if (found.shape != expected.shape) differ("shape", text(found.shape), text(expected.shape));
}

}  // namespace khanzero
