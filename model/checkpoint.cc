// SPDX-License-Identifier: GPL-3.0-or-later
//
// A checkpoint's network; model/checkpoint_files.cc has the files.
#include "model/checkpoint.h"

#include <torch/torch.h>

#include <utility>

#include "env/error.h"
#include "model/network.h"
#include "model/safetensors.h"
#include "model/version.h"

namespace khanzero {
namespace {

std::string NameOf(const std::string& key, const std::vector<int64_t>& shape) {
  std::string text = "'" + key + "' [";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

// Parameters and buffers by name.
std::map<std::string, torch::Tensor> StateOf(const NetworkImpl& network) {
  std::map<std::string, torch::Tensor> state;
  for (const auto& item : network.named_parameters()) state[item.key()] = item.value();
  for (const auto& item : network.named_buffers()) state[item.key()] = item.value();
  return state;
}

StoredTensor ToStored(const torch::Tensor& tensor) {
  const torch::Tensor plain =
      tensor.detach().to(torch::kCPU).contiguous(torch::MemoryFormat::Contiguous);
  Check(plain.scalar_type() == torch::kFloat || plain.scalar_type() == torch::kLong,
        "type of a network's array");
  return {.type = plain.scalar_type() == torch::kFloat ? TensorType::kF32 : TensorType::kI64,
          .shape = plain.sizes().vec(),
          .bytes = std::string(static_cast<const char*>(plain.data_ptr()), plain.nbytes())};
}

}  // namespace

std::string SerializeWeights(const NetworkImpl& network) {
  TensorFile file;
  for (const auto& [name, tensor] : StateOf(network)) file.tensors[name] = ToStored(tensor);
  file.metadata["format"] = "pt";
  file.metadata["program"] = "khanzero " + std::string(ProgramVersion());
  return SerializeTensors(file);
}

namespace {

// Heads that only training uses: a file of before they were there, or without them, is as good.
bool IsAuxiliary(const std::string& name) { return name.starts_with("auxiliary."); }

}  // namespace

void RestoreWeights(NetworkImpl& network, const std::string& bytes, const std::string& source) {
  const TensorFile file = ParseTensors(bytes, source);
  const std::map<std::string, torch::Tensor> state = StateOf(network);
  for (const auto& [name, tensor] : state) {
    const auto stored = file.tensors.find(name);
    if (stored == file.tensors.end() && IsAuxiliary(name)) continue;
    const std::vector<int64_t> shape = tensor.sizes().vec();
    if (stored == file.tensors.end()) {
      throw InputError(source + " lacks the array " + NameOf(name, shape));
    }
    const TensorType type =
        tensor.scalar_type() == torch::kLong ? TensorType::kI64 : TensorType::kF32;
    if (stored->second.shape != shape || stored->second.type != type) {
      throw InputError(source + " has the array " + NameOf(name, stored->second.shape) +
                       " where the network has " + NameOf(name, shape));
    }
  }
  for (const auto& [name, stored] : file.tensors) {
    if (!state.contains(name)) {
      throw InputError(source + " has the array " + NameOf(name, stored.shape) +
                       ", which this network has not");
    }
  }
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : state) {
    if (!file.tensors.contains(name)) continue;
    const StoredTensor& stored = file.tensors.at(name);
    torch::Tensor target = tensor;
    target.copy_(torch::from_blob(const_cast<char*>(stored.bytes.data()), stored.shape,
                                  tensor.scalar_type()));
  }
}

void SaveCheckpoint(const std::filesystem::path& path, const CheckpointInfo& info,
                    const NetworkImpl& network, const ExtraFiles& extra) {
  Check(network.shape() == info.game.shape && network.settings() == info.network,
        "description of a checkpoint's network");
  Check(!extra.contains(kWeightsFile), "name of a checkpoint's further file");
  ExtraFiles files = extra;
  files[kWeightsFile] = SerializeWeights(network);
  WriteCheckpointFiles(path, info, files);
}

Checkpoint LoadCheckpoint(const std::filesystem::path& path, const GameInfo* expected) {
  CheckpointFiles read = ReadCheckpointFiles(path, expected);
  const std::string weights = std::move(read.files.extract(kWeightsFile).mapped());
  Checkpoint checkpoint{
      .info = read.info,
      .network = std::make_shared<NetworkImpl>(read.info.game.shape, read.info.network),
      .extra = std::move(read.files)};
  RestoreWeights(*checkpoint.network, weights, (path / kWeightsFile).string());
  return checkpoint;
}

}  // namespace khanzero
