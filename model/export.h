// SPDX-License-Identifier: GPL-3.0-or-later
//
// Models for elsewhere: one file that says what it is, compared with the checkpoint before it gets
// its name.
#pragma once

#include <filesystem>
#include <memory>

#include "model/export_check.h"
#include "model/folded_network.h"
#include "model/model_description.h"

namespace khanzero {

enum class ExportFormat { kTorchScript, kOnnx, kSafetensors };
inline constexpr ChoiceNames<3> kExportFormatNames = {"torchscript", "onnx", "safetensors"};

// What is exported, and what the exported model must compute on `positions`.
struct ExportSource {
  std::shared_ptr<const FoldedNetwork> network;
  ModelDescription description;
  ExportPositions positions;
  ModelOutputs reference;
};

// The source for a checkpoint's folder, its reference being the outputs of the network as it is
// trained, with batch norm not yet folded; or for a safetensors export. Throws InputError as
// LoadFoldedNetwork, and for a game this program does not know.
ExportSource LoadExportSource(const std::filesystem::path& path, int positions);

// Writes the file: aside, then read back and run, compared with the reference, and only then
// renamed. Throws RuntimeFailure when writing fails or the outputs differ; nothing is left then,
// and a file that was there is as before. `torchscript_program` runs a written TorchScript module
// (see run_program.h); when it is empty, that is khanzero-torchscript-run beside this program.
ExportReport ExportModel(const ExportSource& source, ExportFormat format,
                         const std::filesystem::path& path,
                         const std::filesystem::path& torchscript_program = {});

}  // namespace khanzero
