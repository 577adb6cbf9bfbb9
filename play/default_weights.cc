// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/default_weights.h"

#include <string_view>
#include <system_error>

#include "model/files.h"
#include "play/player_spec.h"

namespace khanzero {

std::filesystem::path FindWeights(const std::string& text) {
  constexpr std::string_view kLatest = "latest:";
  constexpr std::string_view kBest = "best:";
  if (text.starts_with(kLatest)) return LatestCheckpoint(text.substr(kLatest.size()));
  if (text.starts_with(kBest)) return BestCheckpoint(text.substr(kBest.size()));
  return WithoutSlash(text);
}

std::vector<std::filesystem::path> ModelFolders() {
  // build/release/khanzero lies two folders below the repository's root.
  constexpr int kFoldersAbove = 3;
  std::vector<std::filesystem::path> folders;
  std::error_code error;
  std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (!error) {
    const std::filesystem::path prefix = folder.parent_path();
    for (int i = 0; i < kFoldersAbove && folder.has_relative_path(); ++i) {
      folders.push_back(folder / "models");
      folder = folder.parent_path();
    }
    folders.push_back(prefix / "share" / "khanzero" / "models");
  }
  folders.emplace_back("models");
  return folders;
}

std::optional<std::filesystem::path> DefaultWeights(
    const std::string& game, const std::vector<std::filesystem::path>& folders) {
  for (const std::filesystem::path& folder : folders) {
    std::filesystem::path file = folder / (game + ".safetensors");
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error)) return file;
  }
  return std::nullopt;
}

}  // namespace khanzero
