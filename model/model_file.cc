// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kind is seen from the first bytes.
#include "model/model_file.h"

#include <map>
#include <system_error>

#include "env/error.h"
#include "model/files.h"
#include "model/safetensors.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;

constexpr const char* kZipMagic = "PK\x03\x04";
// Field 1 of an ONNX model, its version, comes first in what every writer makes.
constexpr char kOnnxFirstByte = 0x08;

std::optional<std::string> DescriptionIn(const std::map<std::string, std::string>& metadata) {
  const auto found = metadata.find(kDescriptionName);
  return found == metadata.end() ? std::nullopt : std::optional(found->second);
}

std::string Checked(const std::optional<std::string>& description, const fs::path& path,
                    const char* what) {
  if (!description) {
    throw InputError(path.string() + " is " + what + ", but not one that 'khanzero export' wrote");
  }
  ParseModelDescription(*description, path.string());
  return *description;
}

}  // namespace

ModelFile ReadModelFile(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError("'" + path.string() + "' does not exist");
  if (fs::is_directory(status)) return {.kind = ModelKind::kCheckpoint, .description = {}};
  const std::string start = ReadFileStart(path, 16);
  if (start.starts_with(kZipMagic)) {
    return {.kind = ModelKind::kTorchScript,
            .description = Checked(ReadTorchScriptDescription(path), path, "a zip archive")};
  }
  if (LooksLikeTensors(start)) {
    const std::string header = ReadFileStart(path, kMostTensorHeaderBytes + 8);
    return {.kind = ModelKind::kSafetensors,
            .description = Checked(DescriptionIn(ParseTensorMetadata(header, path.string())), path,
                                   "a safetensors file")};
  }
  if (start.starts_with(kOnnxFirstByte)) {
    return {.kind = ModelKind::kOnnx,
            .description = Checked(ReadOnnxDescription(path), path, "perhaps an ONNX model")};
  }
  throw InputError(path.string() +
                   " is no network of this program: that is a checkpoint's folder, or a "
                   "safetensors, TorchScript or ONNX file of 'khanzero export'");
}

}  // namespace khanzero
