// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a file or folder says of itself when it is a network of this program: a checkpoint or an
// export of any format. Nothing of it is run, and no LibTorch reads it: of a TorchScript module
// only one file of its zip archive is looked at, of an ONNX model only its metadata.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/model_description.h"

namespace khanzero {

enum class ModelKind { kCheckpoint, kSafetensors, kTorchScript, kOnnx };
inline constexpr ChoiceNames<4> kModelKindNames = {"checkpoint", "safetensors", "torchscript",
                                                   "onnx"};

struct ModelFile {
  ModelKind kind = ModelKind::kCheckpoint;
  std::string description;  // of an export: JSON, for ParseModelDescription; it has been checked
};

// Throws InputError saying why `path` is no network of this program. Of a checkpoint only the kind
// is seen here.
ModelFile ReadModelFile(const std::filesystem::path& path);

// The text of the description in a TorchScript module or an ONNX model; none when the file is of
// the format but has none. Throws InputError when it is damaged or of another format.
std::optional<std::string> ReadTorchScriptDescription(const std::filesystem::path& path);
std::optional<std::string> ReadOnnxDescription(const std::filesystem::path& path);

}  // namespace khanzero
