// SPDX-License-Identifier: GPL-3.0-or-later
//
// The safetensors format: named arrays, no code. A file is the length of its header (8 bytes,
// little endian), the header (JSON: name -> dtype, shape, data_offsets; "__metadata__" -> texts)
// and the data, which the arrays cover without gap or overlap.
// https://github.com/huggingface/safetensors
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace khanzero {

enum class TensorType { kF32, kBf16, kF16, kI64, kU8 };

// Bytes of one element.
size_t SizeOf(TensorType type);

// An array in row-major order, little endian.
struct StoredTensor {
  TensorType type = TensorType::kF32;
  std::vector<int64_t> shape;
  std::string bytes;

  // Number of elements: the product of `shape`.
  int64_t count() const;
  friend bool operator==(const StoredTensor&, const StoredTensor&) = default;
};

StoredTensor StoreFloats(std::span<const float> values, std::vector<int64_t> shape);
// REQUIRES: tensor.type == kF32.
std::vector<float> FloatsOf(const StoredTensor& tensor);

struct TensorFile {
  std::map<std::string, StoredTensor> tensors;
  std::map<std::string, std::string> metadata;

  friend bool operator==(const TensorFile&, const TensorFile&) = default;
};

// The bytes of a safetensors file; equal input gives equal bytes.
std::string SerializeTensors(const TensorFile& file);

// Reads what SerializeTensors, or any other writer of the format, has written. Throws InputError,
// naming `source` and the fault, for bytes that are not a valid file of the types above.
TensorFile ParseTensors(std::string_view bytes, const std::string& source);

// Whether a file that begins so can be of this format: its ninth byte opens the header.
inline bool LooksLikeTensors(std::string_view start) { return start.size() > 8 && start[8] == '{'; }

// The longest header that is read; the networks of this program have a tenth of it.
inline constexpr uint64_t kMostTensorHeaderBytes = 1 << 20;

// The metadata alone. `start` is the file, or at least its length and header. Throws likewise.
std::map<std::string, std::string> ParseTensorMetadata(std::string_view start,
                                                       const std::string& source);

}  // namespace khanzero
