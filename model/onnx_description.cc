// SPDX-License-Identifier: GPL-3.0-or-later
//
// An ONNX model is one protobuf message. Its fields are passed over one by one, and only entries of
// metadata_props are looked at: so a file of any size takes no memory, and no tree is built of a
// stranger's bytes.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>

#include <fstream>
#include <limits>

#include "env/error.h"
#include "model/foreign_json.h"
#include "model/model_file.h"

namespace khanzero {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// Field numbers of onnx.proto: ModelProto.metadata_props, StringStringEntryProto.key and .value.
constexpr int kMetadataField = 14;
constexpr int kKeyField = 1;
constexpr int kValueField = 2;

bool IsText(uint32_t tag) {
  return WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
}

// Reads a length and as many bytes, at most what a description may have.
bool ReadText(CodedInputStream& in, std::string& text) {
  uint32_t length = 0;
  return in.ReadVarint32(&length) && length <= 2 * kMostJsonBytes &&
         in.ReadString(&text, static_cast<int>(length));
}

// The value of an entry of metadata_props, when it is the description.
std::optional<std::string> DescriptionIn(const std::string& entry) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(entry.data()),
                      static_cast<int>(entry.size()));
  std::string key;
  std::string value;
  while (const uint32_t tag = in.ReadTag()) {
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    const bool wanted = IsText(tag) && (field == kKeyField || field == kValueField);
    if (wanted ? !ReadText(in, field == kKeyField ? key : value)
               : !WireFormatLite::SkipField(&in, tag)) {
      return std::nullopt;
    }
  }
  return key == kDescriptionName ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::string> ReadOnnxDescription(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError("cannot open " + path.string());
  google::protobuf::io::IstreamInputStream stream(&file);
  CodedInputStream in(&stream);
  in.SetTotalBytesLimit(std::numeric_limits<int>::max());
  while (const uint32_t tag = in.ReadTag()) {
    if (WireFormatLite::GetTagFieldNumber(tag) != kMetadataField || !IsText(tag)) {
      if (!WireFormatLite::SkipField(&in, tag)) break;
      continue;
    }
    std::string entry;
    if (!ReadText(in, entry)) break;
    if (auto description = DescriptionIn(entry)) return description;
  }
  if (!in.ConsumedEntireMessage()) {
    throw InputError(path.string() + " is damaged, or no ONNX model");
  }
  return std::nullopt;
}

}  // namespace khanzero
