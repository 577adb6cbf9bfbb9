// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which arrays there are and how large they are follows from the description, which is held to the
// limits of the settings; the file must have these and no others.
#include "model/network_file.h"

#include <Eigen/Core>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "env/error.h"
#include "model/files.h"
#include "model/safetensors.h"
#include "model/version.h"

namespace khanzero {
namespace {

StoredTensor Store(std::span<const float> values, std::vector<int64_t> shape,
                   ModelPrecision precision) {
  StoredTensor tensor = StoreFloats(values, std::move(shape));
  if (precision == ModelPrecision::kFp32) return tensor;
  tensor.type = TensorType::kF16;
  std::vector<Eigen::half> halves(values.begin(), values.end());
  tensor.bytes.assign(reinterpret_cast<const char*>(halves.data()),
                      halves.size() * sizeof(halves[0]));
  return tensor;
}

std::vector<float> Floats(const StoredTensor& tensor) {
  if (tensor.type == TensorType::kF32) return FloatsOf(tensor);
  std::vector<Eigen::half> halves(tensor.bytes.size() / sizeof(Eigen::half));
  std::memcpy(halves.data(), tensor.bytes.data(), halves.size() * sizeof(Eigen::half));
  return {halves.begin(), halves.end()};
}

// Calls visit(name, values, shape) for every array of the network, which may be constant or not.
template <class Network, class Visit>
void ForEachArray(Network& network, Visit&& visit) {
  for (const auto& [name, conv] : network.convolutions()) {
    visit(name + ".weight", conv->weight,
          std::vector<int64_t>{conv->out_channels, conv->in_channels, conv->kernel, conv->kernel});
    visit(name + ".bias", conv->bias, std::vector<int64_t>{conv->out_channels});
  }
  for (const auto& [name, linear] : network.linears()) {
    visit(name + ".weight", linear->weight,
          std::vector<int64_t>{linear->out_features, linear->in_features});
    visit(name + ".bias", linear->bias, std::vector<int64_t>{linear->out_features});
  }
}

ModelDescription DescriptionIn(const std::map<std::string, std::string>& metadata,
                               const std::string& source) {
  const auto found = metadata.find(kDescriptionName);
  if (found == metadata.end()) {
    throw InputError(source +
                     " is a safetensors file, but no network that 'khanzero export' wrote");
  }
  return ParseModelDescription(found->second, source);
}

}  // namespace

std::string SerializeNetwork(const FoldedNetwork& network, const ModelDescription& description) {
  Check(
      network.shape == description.info.game.shape && network.settings == description.info.network,
      "description of an exported network");
  TensorFile file;
  file.metadata = {{kDescriptionName, SerializeModelDescription(description)},
                   {"game", description.info.game.name},
                   {"licence", "GPL-3.0-or-later"},
                   {"program", "khanzero " + std::string(ProgramVersion())}};
  ForEachArray(network, [&](const std::string& name, const std::vector<float>& values,
                            std::vector<int64_t> shape) {
    file.tensors[name] = Store(values, std::move(shape), description.precision);
  });
  return SerializeTensors(file);
}

StoredNetwork ParseNetwork(std::string_view bytes, const std::string& source) {
  const TensorFile file = ParseTensors(bytes, source);
  StoredNetwork stored{.description = DescriptionIn(file.metadata, source), .network = nullptr};
  const CheckpointInfo& info = stored.description.info;
  const TensorType type =
      stored.description.precision == ModelPrecision::kFp32 ? TensorType::kF32 : TensorType::kF16;
  auto network = std::make_shared<FoldedNetwork>(EmptyNetwork(info.game.shape, info.network));
  size_t count = 0;
  ForEachArray(*network, [&](const std::string& name, std::vector<float>& values,
                             const std::vector<int64_t>& shape) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end()) throw InputError(source + " lacks the array '" + name + "'");
    if (found->second.shape != shape || found->second.type != type) {
      throw InputError(source + " has an array '" + name +
                       "' of another shape or type than its description says");
    }
    values = Floats(found->second);
    ++count;
  });
  if (count != file.tensors.size()) {
    throw InputError(source + " has arrays that its description says nothing of");
  }
  stored.network = std::move(network);
  return stored;
}

ModelDescription ReadNetworkDescription(const std::filesystem::path& path) {
  const std::string start = ReadFileStart(path, kMostTensorHeaderBytes + 8);
  return DescriptionIn(ParseTensorMetadata(start, path.string()), path.string());
}

}  // namespace khanzero
