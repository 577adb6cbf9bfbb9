// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every number of the header is checked before it is used: a file may hold any bytes.
#include "model/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "env/error.h"
#include "model/foreign_json.h"

namespace khanzero {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "arrays are stored as they lie");

constexpr size_t kLengthBytes = 8;
static_assert(kMostTensorHeaderBytes <= kMostJsonBytes);
constexpr std::string_view kMetadataKey = "__metadata__";

struct TypeName {
  TensorType type;
  std::string_view name;
  size_t bytes;
};
constexpr std::array<TypeName, 5> kTypes = {{{TensorType::kF32, "F32", 4},
                                             {TensorType::kBf16, "BF16", 2},
                                             {TensorType::kF16, "F16", 2},
                                             {TensorType::kI64, "I64", 8},
                                             {TensorType::kU8, "U8", 1}}};

const TypeName& NameOf(TensorType type) { return kTypes[static_cast<size_t>(type)]; }

[[noreturn]] void Refuse(const std::string& source, const std::string& fault) {
  throw InputError(source + " is not a valid safetensors file: " + fault);
}

// Product of `shape` times `bytes`, unless it exceeds `most`.
std::optional<uint64_t> BytesOf(const std::vector<int64_t>& shape, size_t bytes, uint64_t most) {
  uint64_t product = bytes;
  for (const int64_t n : shape) {
    if (n == 0) return 0;
  }
  for (const int64_t n : shape) {
    if (static_cast<uint64_t>(n) > most / product) return std::nullopt;
    product *= static_cast<uint64_t>(n);
  }
  return product;
}

struct Range {
  uint64_t begin;
  uint64_t end;
  std::string name;
};

uint64_t Natural(const Json& value, const std::string& source, const std::string& what) {
  if (!value.is_number_unsigned()) Refuse(source, what + " is not a whole number from 0");
  return value.get<uint64_t>();
}

// Reads one entry of the header; returns the tensor without its bytes, and their range.
std::pair<StoredTensor, Range> ParseEntry(const std::string& name, const Json& entry,
                                          uint64_t data_bytes, const std::string& source) {
  const std::string where = "array '" + Printable(name) + "'";
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets")) {
    Refuse(source, where + " lacks dtype, shape or data_offsets");
  }
  StoredTensor tensor;
  const Json& dtype = entry["dtype"];
  const auto type = std::ranges::find_if(
      kTypes, [&](const TypeName& t) { return dtype.is_string() && dtype == t.name; });
  if (type == kTypes.end()) Refuse(source, where + " has a dtype this program does not read");
  tensor.type = type->type;
  if (!entry["shape"].is_array()) Refuse(source, where + " has a shape that is no list");
  for (const Json& n : entry["shape"]) {
    const uint64_t size = Natural(n, source, "the shape of " + where);
    if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      Refuse(source, where + " has a size out of range");
    }
    tensor.shape.push_back(static_cast<int64_t>(size));
  }
  const Json& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2) {
    Refuse(source, where + " has data_offsets that are no pair");
  }
  const Range range = {Natural(offsets[0], source, "the begin of " + where),
                       Natural(offsets[1], source, "the end of " + where), name};
  if (range.begin > range.end || range.end > data_bytes) {
    Refuse(source, where + " lies at bytes " + std::to_string(range.begin) + " to " +
                       std::to_string(range.end) + " of data that has " +
                       std::to_string(data_bytes));
  }
  if (BytesOf(tensor.shape, type->bytes, data_bytes) != range.end - range.begin) {
    Refuse(source, where + " has a shape that does not fit its bytes");
  }
  return {std::move(tensor), range};
}

void CheckCoverage(std::vector<Range> ranges, uint64_t data_bytes, const std::string& source) {
  std::ranges::sort(ranges, {}, [](const Range& r) { return std::pair(r.begin, r.end); });
  uint64_t covered = 0;
  for (const Range& range : ranges) {
    if (range.begin != covered) {
      Refuse(source, "array '" + Printable(range.name) + "' begins at byte " +
                         std::to_string(range.begin) + " of the data, " + std::to_string(covered) +
                         " was expected");
    }
    covered = range.end;
  }
  if (covered != data_bytes) {
    Refuse(source, "its arrays end at byte " + std::to_string(covered) + " of data that has " +
                       std::to_string(data_bytes));
  }
}

Json ParseHeader(std::string_view bytes, const std::string& source) {
  if (bytes.size() < kLengthBytes) Refuse(source, "it is shorter than 8 bytes");
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMostTensorHeaderBytes || length > bytes.size() - kLengthBytes) {
    Refuse(source, "its header should have " + std::to_string(length) + " bytes, the file has " +
                       std::to_string(bytes.size()));
  }
  const std::string_view text = bytes.substr(kLengthBytes, length);
  if (!text.starts_with('{')) Refuse(source, "its header does not begin with '{'");
  Json header = ParseForeignJson(text);
  if (!header.is_object()) Refuse(source, "its header is not valid JSON, or nested too deep");
  return header;
}

std::map<std::string, std::string> MetadataIn(const Json& header, const std::string& source) {
  std::map<std::string, std::string> metadata;
  const auto found = header.find(kMetadataKey);
  if (found == header.end()) return metadata;
  if (!found->is_object()) Refuse(source, "__metadata__ is no map of texts");
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) Refuse(source, "__metadata__ '" + Printable(key) + "' is no text");
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

}  // namespace

size_t SizeOf(TensorType type) { return NameOf(type).bytes; }

int64_t StoredTensor::count() const {
  // The other sizes of an empty array may be of any size, and their product too large.
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  int64_t product = 1;
  for (const int64_t n : shape) product *= n;
  return product;
}

StoredTensor StoreFloats(std::span<const float> values, std::vector<int64_t> shape) {
  StoredTensor tensor{.type = TensorType::kF32, .shape = std::move(shape), .bytes = {}};
  Check(static_cast<size_t>(tensor.count()) == values.size(), "shape of stored floats");
  tensor.bytes.assign(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return tensor;
}

std::vector<float> FloatsOf(const StoredTensor& tensor) {
  Check(tensor.type == TensorType::kF32, "type of stored floats");
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), values.size() * sizeof(float));
  return values;
}

std::string SerializeTensors(const TensorFile& file) {
  Json header = Json::object();
  if (!file.metadata.empty()) header[kMetadataKey] = file.metadata;
  // Wide elements first, so that each array lies at a multiple of its element's size.
  std::vector<const std::pair<const std::string, StoredTensor>*> order;
  for (const auto& entry : file.tensors) order.push_back(&entry);
  std::ranges::stable_sort(order, std::greater<>{},
                           [](const auto* entry) { return SizeOf(entry->second.type); });
  uint64_t offset = 0;
  for (const auto* entry : order) {
    const auto& [name, tensor] = *entry;
    Check(name != kMetadataKey, "name of a stored array");
    Check(static_cast<size_t>(tensor.count()) * SizeOf(tensor.type) == tensor.bytes.size(),
          "bytes of a stored array");
    const uint64_t end = offset + tensor.bytes.size();
    header[name] = {{"dtype", NameOf(tensor.type).name},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  const uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), kLengthBytes);
  bytes.reserve(kLengthBytes + text.size() + offset);
  bytes += text;
  for (const auto* entry : order) bytes += entry->second.bytes;
  return bytes;
}

std::map<std::string, std::string> ParseTensorMetadata(std::string_view start,
                                                       const std::string& source) {
  return MetadataIn(ParseHeader(start, source), source);
}

TensorFile ParseTensors(std::string_view bytes, const std::string& source) {
  const Json header = ParseHeader(bytes, source);
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  const std::string_view data = bytes.substr(kLengthBytes + length);
  TensorFile file{.tensors = {}, .metadata = MetadataIn(header, source)};
  std::vector<Range> ranges;
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadataKey) continue;
    auto [tensor, range] = ParseEntry(name, entry, data.size(), source);
    ranges.push_back(range);
    file.tensors.emplace(name, std::move(tensor));
  }
  CheckCoverage(ranges, data.size(), source);
  for (const Range& range : ranges) {
    file.tensors[range.name].bytes = data.substr(range.begin, range.end - range.begin);
  }
  return file;
}

}  // namespace khanzero
