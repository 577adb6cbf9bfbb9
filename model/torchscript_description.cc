// SPDX-License-Identifier: GPL-3.0-or-later
//
// A TorchScript module is a zip archive, and the description one of its files, stored as it is:
// ARCHIVE/extra/khanzero.json.
#include <minizip/unzip.h>

#include <array>
#include <memory>
#include <string>

#include "env/error.h"
#include "model/foreign_json.h"
#include "model/model_file.h"

namespace khanzero {
namespace {

constexpr int kMostEntries = 4096;
const std::string kSuffix = std::string("/extra/") + kDescriptionName;

struct CloseZip {
  void operator()(void* zip) const { unzClose(zip); }
};
using Zip = std::unique_ptr<void, CloseZip>;

// The current file of the archive. Throws InputError unless it is whole and small.
std::string ReadEntry(const Zip& zip, const std::string& source) {
  unz_file_info64 info = {};
  if (unzGetCurrentFileInfo64(zip.get(), &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK ||
      info.uncompressed_size > kMostJsonBytes || unzOpenCurrentFile(zip.get()) != UNZ_OK) {
    throw InputError(source + " is damaged: its description cannot be read");
  }
  std::string text(info.uncompressed_size, '\0');
  size_t done = 0;
  while (done < text.size()) {
    const int n = unzReadCurrentFile(zip.get(), text.data() + done,
                                     static_cast<unsigned>(text.size() - done));
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  // Closing says whether the checksum is right.
  if (unzCloseCurrentFile(zip.get()) != UNZ_OK || done != text.size()) {
    throw InputError(source + " is damaged: its description is not what was written");
  }
  return text;
}

}  // namespace

std::optional<std::string> ReadTorchScriptDescription(const std::filesystem::path& path) {
  const std::string source = path.string();
  const Zip zip(unzOpen64(source.c_str()));
  if (zip == nullptr) {
    throw InputError(source + " is damaged, or no TorchScript module: it is no zip archive");
  }
  int status = unzGoToFirstFile(zip.get());
  for (int i = 0; status == UNZ_OK && i < kMostEntries; ++i) {
    std::array<char, 256> name = {};
    if (unzGetCurrentFileInfo64(zip.get(), nullptr, name.data(), name.size() - 1, nullptr, 0,
                                nullptr, 0) != UNZ_OK) {
      throw InputError(source + " is damaged: its list of files cannot be read");
    }
    if (std::string(name.data()).ends_with(kSuffix)) return ReadEntry(zip, source);
    status = unzGoToNextFile(zip.get());
  }
  return std::nullopt;
}

}  // namespace khanzero
