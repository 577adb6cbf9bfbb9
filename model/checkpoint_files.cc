// SPDX-License-Identifier: GPL-3.0-or-later
//
// model/checkpoint_info.cc has the list of the files.
#include "model/checkpoint_files.h"

#include <ctime>
#include <system_error>
#include <utility>

#include "env/error.h"
#include "model/activation_ranges.h"
#include "model/files.h"
#include "model/fold.h"
#include "model/foreign_json.h"
#include "model/safetensors.h"
#include "model/version.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInfoFile = "checkpoint.json";

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
  // Of the shape that the stem of the file has.
  EncodingShape seen = info.game.shape;
  seen.input_planes = info.network.SeenPlanes(seen.input_planes);
  const int64_t least = EmptyNetwork(seen, info.network).parameter_count() * int64_t{sizeof(float)};
  if (weights.size() < static_cast<uint64_t>(least)) {
    throw InputError(path.string() + " has " + std::to_string(weights.size()) +
                     " bytes, too few for the network that " + kInfoFile + " describes");
  }
}

// Printable, too: messages name the files.
bool IsPlainName(const std::string& name) {
  return !name.empty() && name[0] != '.' && name.find('/') == std::string::npos &&
         name != kInfoFile && Printable(name) == name;
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

}  // namespace

void WriteCheckpointFiles(const fs::path& path, const CheckpointInfo& info,
                          const ExtraFiles& files) {
  CheckReplaceable(path);
  for (const auto& [name, bytes] : files) {
    Check(IsPlainName(name), "name of a checkpoint's file");
  }
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

CheckpointFiles ReadCheckpointFiles(const fs::path& path, const GameInfo* expected) {
  const CheckpointDescription description = ReadDescription(path);
  CheckpointFiles checkpoint{.info = description.info, .files = {}};
  if (expected != nullptr) {
    CheckSameGame(checkpoint.info.game, *expected, "checkpoint " + path.string());
  }
  for (const auto& [name, entry] : description.files) {
    if (!IsPlainName(name))
      throw InputError(path.string() + " lists a file outside itself, or one with an odd name");
    checkpoint.files[name] = ReadVerified(path, name, entry);
  }
  CheckHolds(checkpoint.files[kWeightsFile], checkpoint.info, path / kWeightsFile);
  return checkpoint;
}

std::shared_ptr<const FoldedNetwork> LoadCheckpointNetwork(const fs::path& path,
                                                           const GameInfo* expected) {
  const CheckpointFiles checkpoint = ReadCheckpointFiles(path, expected);
  const std::string source = (path / kWeightsFile).string();
  const std::shared_ptr<FoldedNetwork> network =
      FoldWeights(ParseTensors(checkpoint.files.at(kWeightsFile), source), checkpoint.info, source);
  const auto ranges = checkpoint.files.find(kActivationRangesFile);
  if (ranges != checkpoint.files.end()) {
    ParseActivationRanges(ranges->second, (path / kActivationRangesFile).string(), *network);
  }
  return network;
}

}  // namespace khanzero
