// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs a model that was just written, in a program of its own: khanzero-torchscript-run for
// TorchScript, since loading a module can run code of its file and no command of ours loads one.
// Tests run ONNX models in a runtime likewise.
#pragma once

#include <filesystem>

#include "model/export_check.h"

namespace khanzero {

// khanzero-torchscript-run beside this program.
std::filesystem::path TorchScriptProgram();

// Starts `program MODEL INPUT OUTPUT` and returns what the model computes. INPUT and OUTPUT are
// safetensors files beside `model`, which are deleted: "planes" [B, planes, ranks, files] in,
// "policy" [B, policy_size] and "wdl" [B, 3] out. Throws RuntimeFailure when the program is missing
// or fails.
ModelOutputs RunByProgram(const std::filesystem::path& program, const std::filesystem::path& model,
                          const EncodingShape& shape, const ExportPositions& positions);

}  // namespace khanzero
