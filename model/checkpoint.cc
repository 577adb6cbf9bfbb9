// SPDX-License-Identifier: GPL-3.0-or-later
//
// checkpoint.json lists every file with its size and checksum, and carries a checksum of itself.
#include "model/checkpoint.h"

#include <torch/torch.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "env/error.h"
#include "model/files.h"
#include "model/network.h"
#include "model/safetensors.h"
#include "model/version.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kInfoFile = "checkpoint.json";
constexpr const char* kWeightsFile = "weights.safetensors";
constexpr const char* kFormatName = "khanzero checkpoint";
constexpr int kFormatVersion = 1;

std::string NowUtc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[32];
  const size_t n = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, n};
}

// --- checkpoint.json ---

Json ToJson(const CheckpointInfo& info) {
  const EncodingShape& shape = info.game.shape;
  return {{"format", kFormatName},
          {"format_version", kFormatVersion},
          {"game", info.game.name},
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
          {"config", info.config_yaml},
          {"program_version", info.program_version},
          {"date", info.date}};
}

CheckpointInfo FromJson(const Json& json) {
  CheckpointInfo info;
  json.at("game").get_to(info.game.name);
  json.at("rules_version").get_to(info.game.rules_version);
  json.at("encoding_version").get_to(info.game.encoding_version);
  const Json& shape = json.at("shape");
  shape.at("files").get_to(info.game.shape.files);
  shape.at("ranks").get_to(info.game.shape.ranks);
  shape.at("input_planes").get_to(info.game.shape.input_planes);
  shape.at("policy_planes").get_to(info.game.shape.policy_planes);
  const Json& network = json.at("network");
  network.at("blocks").get_to(info.network.blocks);
  network.at("channels").get_to(info.network.channels);
  network.at("value_hidden").get_to(info.network.value_hidden);
  json.at("step").get_to(info.step);
  json.at("games").get_to(info.games);
  json.at("positions").get_to(info.positions);
  json.at("config").get_to(info.config_yaml);
  json.at("program_version").get_to(info.program_version);
  json.at("date").get_to(info.date);
  return info;
}

// Throws InputError for a field outside the limits that the settings' own list gives, so that a
// forged description cannot make a network of absurd size.
class LimitChecker {
 public:
  explicit LimitChecker(std::string where) : where_(std::move(where)) {}

  void Number(const char* name, int value, int least, int most, const char* /*meaning*/) const {
    if (value < least || value > most) {
      throw InputError(where_ + ": " + name + " is " + std::to_string(value) + ", outside " +
                       std::to_string(least) + " to " + std::to_string(most));
    }
  }

 private:
  std::string where_;
};

void CheckLimits(CheckpointInfo& info, const std::string& where) {
  LimitChecker limits(where);
  NetworkSettings::Fields(info.network, limits);
  const EncodingShape& shape = info.game.shape;
  limits.Number("shape files", shape.files, 1, 26, "");
  limits.Number("shape ranks", shape.ranks, 1, 26, "");
  limits.Number("shape input_planes", shape.input_planes, 1, 4096, "");
  limits.Number("shape policy_planes", shape.policy_planes, 1, 65536 / shape.squares(), "");
}

struct Description {
  CheckpointInfo info;
  Json files;  // name -> {bytes, checksum}
};

Description ReadDescription(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError("there is no checkpoint at " + path.string());
  if (!fs::is_directory(status)) {
    throw InputError(path.string() + " is not a checkpoint: a checkpoint is a folder with a " +
                     kInfoFile);
  }
  const fs::path file = path / kInfoFile;
  if (!fs::exists(file, error)) {
    throw InputError(path.string() + " is not a checkpoint: it has no " + kInfoFile);
  }
  Json json = Json::parse(ReadFile(file), nullptr, false);
  if (!json.is_object() || json.value("format", Json()) != kFormatName) {
    throw InputError(file.string() + " is damaged, or not the description of a checkpoint");
  }
  try {
    const int version = json.at("format_version").get<int>();
    if (version != kFormatVersion) {
      throw InputError(file.string() + " has format version " + std::to_string(version) +
                       ", this program (" + std::string(ProgramVersion()) + ") reads version " +
                       std::to_string(kFormatVersion));
    }
    const std::string checksum = json.at("checksum").get<std::string>();
    json.erase("checksum");
    if (ChecksumOf(json.dump()) != checksum) {
      throw InputError(file.string() + " was altered: its checksum does not fit its content");
    }
    Description description{.info = FromJson(json), .files = json.at("files")};
    CheckLimits(description.info, file.string());
    return description;
  } catch (const Json::exception& e) {
    throw InputError(file.string() + " is damaged: " + e.what());
  }
}

// --- the files ---

std::string Seal(const CheckpointInfo& info, const ExtraFiles& files) {
  Json json = ToJson(info);
  json["files"] = Json::object();
  for (const auto& [name, bytes] : files) {
    json["files"][name] = {{"bytes", bytes.size()}, {"checksum", ChecksumOf(bytes)}};
  }
  json["checksum"] = ChecksumOf(json.dump());
  return json.dump(2) + "\n";
}

std::string ReadVerified(const fs::path& folder, const std::string& name, const Json& expected) {
  const fs::path path = folder / name;
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw InputError("checkpoint " + folder.string() + " lacks its file " + name);
  }
  std::string bytes = ReadFile(path);
  const auto size = expected.at("bytes").get<uint64_t>();
  if (bytes.size() != size) {
    throw InputError(path.string() + " has " + std::to_string(bytes.size()) + " bytes, " +
                     std::to_string(size) + " were written: it is truncated or was altered");
  }
  if (ChecksumOf(bytes) != expected.at("checksum").get<std::string>()) {
    throw InputError(path.string() + " was altered: its checksum is not the one written");
  }
  return bytes;
}

bool IsPlainName(const std::string& name) {
  return !name.empty() && name[0] != '.' && name.find('/') == std::string::npos &&
         name != kInfoFile;
}

void CheckReplaceable(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return;
  const bool ours = fs::is_directory(status) &&
                    (fs::exists(path / kInfoFile, error) || fs::is_empty(path, error));
  if (!ours) {
    throw InputError(path.string() + " exists and is not a checkpoint: it is not replaced");
  }
}

// --- weights ---

std::string NameOf(const std::string& key, const std::vector<int64_t>& shape) {
  std::string text = "'" + key + "' [";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

// Parameters and buffers by name.
std::map<std::string, torch::Tensor> StateOf(const NetworkImpl& network) {
  std::map<std::string, torch::Tensor> state;
  for (const auto& item : network.named_parameters()) state[item.key()] = item.value();
  for (const auto& item : network.named_buffers()) state[item.key()] = item.value();
  return state;
}

StoredTensor ToStored(const torch::Tensor& tensor) {
  const torch::Tensor plain =
      tensor.detach().to(torch::kCPU).contiguous(torch::MemoryFormat::Contiguous);
  Check(plain.scalar_type() == torch::kFloat || plain.scalar_type() == torch::kLong,
        "type of a network's array");
  return {.type = plain.scalar_type() == torch::kFloat ? TensorType::kF32 : TensorType::kI64,
          .shape = plain.sizes().vec(),
          .bytes = std::string(static_cast<const char*>(plain.data_ptr()), plain.nbytes())};
}

}  // namespace

std::string SerializeWeights(const NetworkImpl& network) {
  TensorFile file;
  for (const auto& [name, tensor] : StateOf(network)) file.tensors[name] = ToStored(tensor);
  file.metadata["format"] = "pt";
  file.metadata["program"] = "khanzero " + std::string(ProgramVersion());
  return SerializeTensors(file);
}

namespace {

// Heads that only training uses: a file of before they were there, or without them, is as good.
bool IsAuxiliary(const std::string& name) { return name.starts_with("auxiliary."); }

}  // namespace

void RestoreWeights(NetworkImpl& network, const std::string& bytes, const std::string& source) {
  const TensorFile file = ParseTensors(bytes, source);
  const std::map<std::string, torch::Tensor> state = StateOf(network);
  for (const auto& [name, tensor] : state) {
    const auto stored = file.tensors.find(name);
    if (stored == file.tensors.end() && IsAuxiliary(name)) continue;
    const std::vector<int64_t> shape = tensor.sizes().vec();
    if (stored == file.tensors.end()) {
      throw InputError(source + " lacks the array " + NameOf(name, shape));
    }
    const TensorType type =
        tensor.scalar_type() == torch::kLong ? TensorType::kI64 : TensorType::kF32;
    if (stored->second.shape != shape || stored->second.type != type) {
      throw InputError(source + " has the array " + NameOf(name, stored->second.shape) +
                       " where the network has " + NameOf(name, shape));
    }
  }
  for (const auto& [name, stored] : file.tensors) {
    if (!state.contains(name)) {
      throw InputError(source + " has the array " + NameOf(name, stored.shape) +
                       ", which this network has not");
    }
  }
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : state) {
    if (!file.tensors.contains(name)) continue;
    const StoredTensor& stored = file.tensors.at(name);
    torch::Tensor target = tensor;
    target.copy_(torch::from_blob(const_cast<char*>(stored.bytes.data()), stored.shape,
                                  tensor.scalar_type()));
  }
}

void CheckSameGame(const GameInfo& found, const GameInfo& expected, const std::string& what) {
  const auto differ = [&](const std::string& of, const auto& theirs, const auto& ours) {
    std::string text = what + " is for " + found.name + " with " + of + " " + theirs;
    throw InputError(text + "; this program plays " + expected.name + " with " + of + " " + ours);
  };
  if (found.name != expected.name) {
    throw InputError(what + " is for the game " + found.name + "; " + expected.name +
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

void SaveCheckpoint(const fs::path& path, const CheckpointInfo& info, const NetworkImpl& network,
                    const ExtraFiles& extra) {
  Check(network.shape() == info.game.shape && network.settings() == info.network,
        "description of a checkpoint's network");
  CheckReplaceable(path);
  ExtraFiles files = extra;
  for (const auto& [name, bytes] : extra) {
    Check(IsPlainName(name) && name != kWeightsFile, "name of a checkpoint's further file");
  }
  files[kWeightsFile] = SerializeWeights(network);
  CheckpointInfo complete = info;
  if (complete.program_version.empty()) complete.program_version = ProgramVersion();
  if (complete.date.empty()) complete.date = NowUtc();

  const fs::path aside = NameAside(path);
  try {
    fs::create_directories(aside);
    for (const auto& [name, bytes] : files) WriteNewFile(aside / name, bytes);
    WriteNewFile(aside / kInfoFile, Seal(complete, files));
    ReplaceFolder(aside, path);
  } catch (const fs::filesystem_error& e) {
    throw RuntimeFailure("writing checkpoint " + path.string() + " failed: " + e.what());
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(aside, ignored);
    throw;
  }
}

CheckpointInfo ReadCheckpointInfo(const fs::path& path) { return ReadDescription(path).info; }

Checkpoint LoadCheckpoint(const fs::path& path, const GameInfo* expected) {
  const Description description = ReadDescription(path);
  Checkpoint checkpoint{.info = description.info, .network = nullptr, .extra = {}};
  if (expected != nullptr) {
    CheckSameGame(checkpoint.info.game, *expected, "checkpoint " + path.string());
  }
  std::string weights;
  try {
    for (const auto& [name, entry] : description.files.items()) {
      if (!IsPlainName(name)) throw InputError(path.string() + " lists a file outside itself");
      std::string bytes = ReadVerified(path, name, entry);
      if (name == kWeightsFile) {
        weights = std::move(bytes);
      } else {
        checkpoint.extra[name] = std::move(bytes);
      }
    }
  } catch (const Json::exception& e) {
    throw InputError((path / kInfoFile).string() + " is damaged: " + e.what());
  }
  checkpoint.network =
      std::make_shared<NetworkImpl>(checkpoint.info.game.shape, checkpoint.info.network);
  RestoreWeights(*checkpoint.network, weights, (path / kWeightsFile).string());
  return checkpoint;
}

}  // namespace khanzero
