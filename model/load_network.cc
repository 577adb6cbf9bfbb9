// SPDX-License-Identifier: GPL-3.0-or-later
//
// A folder is a checkpoint, a file is an export.
#include "model/load_network.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include "env/error.h"
#include "model/checkpoint_files.h"
#include "model/files.h"
#include "model/folded_network.h"
#include "model/network_file.h"
#include "model/parse_network.h"
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

// Infinities and NaNs in a layer would be played with all the same: every move would be as good as
// the other.
void CheckNumbers(const FoldedNetwork& network, const std::string& path) {
  const auto check = [&](const std::string& layer, const std::vector<float>& values) {
    if (std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) return;
    throw InputError(path + " is damaged: layer '" + layer + "' has numbers that are not finite");
  };
  const auto check_all = [&](const auto& layers) {
    for (const auto& [name, layer] : layers) {
      check(name, layer->weight);
      check(name, layer->bias);
    }
  };
  check_all(network.convolutions());
  check_all(network.linears());
}

}  // namespace

std::shared_ptr<const FoldedNetwork> ParseNetworkForPlay(std::string_view bytes,
                                                         const std::string& source,
                                                         const GameInfo* expected) {
  StoredNetwork stored = ParseNetwork(bytes, source);
  if (expected != nullptr) CheckSameGame(stored.description.info.game, *expected, source);
  CheckNumbers(*stored.network, source);
  return std::move(stored.network);
}

std::shared_ptr<const FoldedNetwork> LoadFoldedNetwork(const std::string& path,
                                                       const GameInfo* expected) {
  if (IsExport(path)) {
    RefuseOtherFormats(path);
    return ParseNetworkForPlay(ReadFile(path), path, expected);
  }
  auto network = LoadCheckpointNetwork(path, expected);
  CheckNumbers(*network, path);
  return network;
}

CheckpointInfo ReadNetworkInfo(const fs::path& path) {
  if (!IsExport(path)) return ReadCheckpointInfo(path);
  RefuseOtherFormats(path);
  return ReadNetworkDescription(path).info;
}

}  // namespace khanzero
