// SPDX-License-Identifier: GPL-3.0-or-later
//
// A checkpoint's files; model/checkpoint_info.cc has their list.
#include "model/checkpoint.h"

#include <torch/torch.h>

#include <ctime>
#include <set>
#include <system_error>
#include <utility>

#include "env/error.h"
#include "model/files.h"
#include "model/foreign_json.h"
#include "model/network.h"
#include "model/safetensors.h"
#include "model/version.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInfoFile = "checkpoint.json";
constexpr const char* kWeightsFile = "weights.safetensors";

std::string NowUtc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[32];
  const size_t n = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, n};
}

CheckpointDescription ReadDescription(const fs::path& path) {
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
  return ParseDescription(ReadFile(file, kMostJsonBytes), file.string());
}

// --- the files ---

std::string ReadVerified(const fs::path& folder, const std::string& name,
                         const FileEntry& expected) {
  const fs::path path = folder / name;
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw InputError("checkpoint " + folder.string() + " lacks its file " + name);
  }
  // Before it is read: memory is only taken for what is there and was written.
  const uintmax_t size = fs::file_size(path, error);
  if (!error && size != expected.bytes) {
    throw InputError(path.string() + " has " + std::to_string(size) + " bytes, " +
                     std::to_string(expected.bytes) +
                     " were written: it is truncated or was altered");
  }
  std::string bytes = ReadFile(path);
  if (ChecksumOf(bytes) != expected.checksum) {
    throw InputError(path.string() + " was altered: its checksum is not the one written");
  }
  return bytes;
}

std::map<std::string, FileEntry> EntriesOf(const ExtraFiles& files) {
  std::map<std::string, FileEntry> entries;
  for (const auto& [name, bytes] : files) entries[name] = {bytes.size(), ChecksumOf(bytes)};
  return entries;
}

// Before a network is made: its description may be forged, and a network of the largest size takes
// gigabytes.
void CheckHolds(const std::string& weights, const CheckpointInfo& info, const fs::path& path) {
  const int64_t least =
      EmptyNetwork(info.game.shape, info.network).parameter_count() * int64_t{sizeof(float)};
  if (weights.size() < static_cast<uint64_t>(least)) {
    throw InputError(path.string() + " has " + std::to_string(weights.size()) +
                     " bytes, too few for the network that " + kInfoFile + " describes");
  }
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
    WriteNewFile(aside / kInfoFile, SerializeDescription({complete, EntriesOf(files)}));
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
  const CheckpointDescription description = ReadDescription(path);
  Checkpoint checkpoint{.info = description.info, .network = nullptr, .extra = {}};
  if (expected != nullptr) {
    CheckSameGame(checkpoint.info.game, *expected, "checkpoint " + path.string());
  }
  std::string weights;
  for (const auto& [name, entry] : description.files) {
    if (!IsPlainName(name)) throw InputError(path.string() + " lists a file outside itself");
    std::string bytes = ReadVerified(path, name, entry);
    if (name == kWeightsFile) {
      weights = std::move(bytes);
    } else {
      checkpoint.extra[name] = std::move(bytes);
    }
  }
  CheckHolds(weights, checkpoint.info, path / kWeightsFile);
  checkpoint.network =
      std::make_shared<NetworkImpl>(checkpoint.info.game.shape, checkpoint.info.network);
  RestoreWeights(*checkpoint.network, weights, (path / kWeightsFile).string());
  return checkpoint;
}

std::shared_ptr<const FoldedNetwork> LoadCheckpointNetwork(const fs::path& path,
                                                           const GameInfo* expected) {
  return Fold(*LoadCheckpoint(path, expected).network);
}

}  // namespace khanzero
