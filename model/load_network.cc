// SPDX-License-Identifier: GPL-3.0-or-later
//
// A folder is a checkpoint, a file is an export.
#include "model/load_network.h"

#include <system_error>
#include <utility>

#include "env/error.h"
#include "model/checkpoint.h"
#include "model/files.h"
#include "model/network_file.h"
#include "model/safetensors.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;

bool IsExport(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_directory(path, error);
}

// TorchScript and ONNX files are for other programs.
void RefuseOtherFormats(const fs::path& path) {
  if (!LooksLikeTensors(ReadFileStart(path, 16))) {
    throw InputError(path.string() +
                     " is no network to play with: that is a checkpoint's folder or a file of "
                     "'khanzero export --format safetensors'");
  }
}

}  // namespace

std::shared_ptr<const FoldedNetwork> LoadFoldedNetwork(const std::string& path,
                                                       const GameInfo* expected) {
  if (!IsExport(path)) return LoadCheckpointNetwork(path, expected);
  RefuseOtherFormats(path);
  StoredNetwork stored = ParseNetwork(ReadFile(path), path);
  if (expected != nullptr) CheckSameGame(stored.description.info.game, *expected, path);
  return std::move(stored.network);
}

CheckpointInfo ReadNetworkInfo(const fs::path& path) {
  if (!IsExport(path)) return ReadCheckpointInfo(path);
  RefuseOtherFormats(path);
  return ReadNetworkDescription(path).info;
}

}  // namespace khanzero
