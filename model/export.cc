// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/export.h"

#include <torch/torch.h>

#include <span>
#include <system_error>

#include "env/error.h"
#include "model/checkpoint.h"
#include "model/files.h"
#include "model/load_network.h"
#include "model/network.h"
#include "model/network_file.h"
#include "model/onnx.h"
#include "model/run_program.h"
#include "model/torchscript.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;

// The network as it is trained, on all positions.
ModelOutputs OutputsOfModule(NetworkImpl& network, const ExportPositions& positions) {
  const torch::NoGradGuard no_grad;
  network.eval();
  const NetworkOutput output =
      network.forward(InputView(positions.planes.data(), positions.count(), network.shape()));
  const auto values = [](const torch::Tensor& tensor) {
    const torch::Tensor plain = tensor.contiguous();
    return std::vector<float>(plain.data_ptr<float>(), plain.data_ptr<float>() + plain.numel());
  };
  return {.policy = values(output.policy), .wdl = values(output.wdl.softmax(1))};
}

std::string Serialize(const ExportSource& source, ExportFormat format) {
  switch (format) {
    case ExportFormat::kTorchScript:
      return SerializeTorchScript(*source.network, source.description);
    case ExportFormat::kOnnx:
      return SerializeOnnx(*source.network, source.description);
    case ExportFormat::kSafetensors:
      return SerializeNetwork(*source.network, source.description);
  }
  throw InternalError("unknown export format");
}

// What the written file computes.
ModelOutputs RunWritten(const fs::path& file, ExportFormat format, const ExportSource& source,
                        const fs::path& torchscript_program) {
  const ExportPositions& positions = source.positions;
  switch (format) {
    case ExportFormat::kTorchScript:
      return RunByProgram(torchscript_program.empty() ? TorchScriptProgram() : torchscript_program,
                          file, source.network->shape, positions);
    case ExportFormat::kOnnx:
      return RunOnnx(ReadFile(file), source.network->shape, positions);
    case ExportFormat::kSafetensors:
      return OutputsOf(*ParseNetwork(ReadFile(file), file.string()).network, positions);
  }
  throw InternalError("unknown export format");
}

}  // namespace

ExportSource LoadExportSource(const fs::path& path, int positions) {
  ExportSource source;
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) {
    source.network = LoadFoldedNetwork(path.string(), nullptr);
    source.description = ReadNetworkDescription(path);
    source.positions = PositionsOf(source.description.info.game, positions);
    source.reference = OutputsOf(*source.network, source.positions);
  } else {
    const Checkpoint checkpoint = LoadCheckpoint(path, nullptr);
    source.description.info = checkpoint.info;
    source.network = Fold(*checkpoint.network);
    source.positions = PositionsOf(checkpoint.info.game, positions);
    source.reference = OutputsOfModule(*checkpoint.network, source.positions);
  }
  return source;
}

ExportReport ExportModel(const ExportSource& source, ExportFormat format, const fs::path& path,
                         const fs::path& torchscript_program) {
  const fs::path aside = NameAside(path);
  try {
    const std::string bytes = Serialize(source, format);
    WriteNewFile(aside, bytes);
    const ModelOutputs found = RunWritten(aside, format, source, torchscript_program);
    ExportReport report =
        CompareOutputs(source.reference, found, source.positions, source.description.precision);
    report.bytes = bytes.size();
    PublishFile(aside, path);
    return report;
  } catch (...) {
    std::error_code ignored;
    fs::remove(aside, ignored);
    throw;
  }
}

}  // namespace khanzero
