// SPDX-License-Identifier: GPL-3.0-or-later
//
// checkpoint.json lists every file with its size and checksum, and carries a checksum of itself.
#include "model/checkpoint_info.h"

#include <limits>
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

// Reads the settings that a struct's own list names, within their limits.
class NumberReader {
 public:
  explicit NumberReader(const ForeignJson& json) : json_(json) {}

  void Number(const char* name, int& value, int least, int most, const char* /*meaning*/) const {
    value = static_cast<int>(json_.Integer(name, least, most));
  }

 private:
  const ForeignJson& json_;
};

}  // namespace

Json ToJson(const CheckpointInfo& info) {
  const EncodingShape& shape = info.game.shape;
  return {{"game", info.game.name},
          {"rules_version", info.game.rules_version},
          {"encoding_version", info.game.encoding_version},
          {"shape",
           {{"files", shape.files},
            {"ranks", shape.ranks},
            {"input_planes", shape.input_planes},
            {"policy_planes", shape.policy_planes}}},
          {"network",
           {{"blocks", info.network.blocks},
            {"channels", info.network.channels},
            {"value_hidden", info.network.value_hidden}}},
          {"step", info.step},
          {"games", info.games},
          {"positions", info.positions},
          {"program_version", info.program_version},
          {"date", info.date}};
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
  NumberReader reader(network);
  NetworkSettings::Fields(info.network, reader);
  info.step = json.Integer("step", 0, kAnyCount);
  info.games = json.Integer("games", 0, kAnyCount);
  info.positions = json.Integer("positions", 0, kAnyCount);
  info.program_version = json.Text("program_version");
  info.date = json.Text("date");
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
