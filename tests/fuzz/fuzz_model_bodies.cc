// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/mman.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "env/error.h"
#include "model/checkpoint_info.h"
#include "model/files.h"
#include "model/foreign_json.h"
#include "model/model_description.h"
#include "model/model_file.h"
#include "model/network_file.h"
#include "model/safetensors.h"
#include "tests/fuzz/fuzz_bodies.h"

namespace khanzero {
namespace {

// What `read` returns, or nothing when it refuses the input in a readable way.
template <class Read>
auto ReadOrRefuse(const std::string& start, Read&& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const InputError& error) {
    DemandReadable(error.what(), start);
    return std::nullopt;
  }
}

// Without the arrays' bytes: a claim costs nothing.
void TryNetwork(const std::string& bytes) {
  const auto stored = ReadOrRefuse("input", [&] { return ParseNetwork(bytes, "input"); });
  if (!stored) return;
  const std::string again = SerializeNetwork(*stored->network, stored->description);
  const StoredNetwork second = ParseNetwork(again, "again");
  DemandThat(second.network->parameter_count() == stored->network->parameter_count(),
             "a network that was written and read is another");
}

// A file in memory that has a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const uint8_t> bytes) : fd_(::memfd_create("input", 0)) {
    DemandThat(
        fd_ >= 0 && ::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
        "no memory file could be made");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace

InputWorth FuzzTensors(std::span<const uint8_t> input) {
  const std::string bytes(input.begin(), input.end());
  const auto file = ReadOrRefuse("input is not a valid safetensors file: ",
                                 [&] { return ParseTensors(bytes, "input"); });
  if (!file) return bytes.size() < 9 ? InputWorth::kForget : InputWorth::kKeep;
  DemandThat(ParseTensors(SerializeTensors(*file), "again") == *file,
             "arrays that were written and read are others");
  DemandThat(ParseTensorMetadata(bytes, "input") == file->metadata, "the metadata differ");
  TryNetwork(bytes);
  return InputWorth::kKeep;
}

InputWorth FuzzCheckpoint(std::span<const uint8_t> input) {
  const std::string text(input.begin(), input.end());
  ReadOrRefuse("input", [&] { return ParseDescription(text, "input"); });
  nlohmann::json json = ParseForeignJson(text);
  if (!json.is_object()) return InputWorth::kKeep;
  json.erase("checksum");
  json["checksum"] = ChecksumOf(json.dump());
  const auto description =
      ReadOrRefuse("input", [&] { return ParseDescription(json.dump(), "input"); });
  if (!description) return InputWorth::kKeep;
  const CheckpointDescription again = ParseDescription(SerializeDescription(*description), "again");
  DemandThat(again.info == description->info && again.files.size() == description->files.size(),
             "a description that was written and read is another");
  return InputWorth::kKeep;
}

InputWorth FuzzModel(std::span<const uint8_t> input) {
  if (input.empty()) return InputWorth::kForget;
  const MemoryFile file(input);
  const auto model = ReadOrRefuse("", [&] { return ReadModelFile(file.path()); });
  if (!model) return InputWorth::kKeep;
  const ModelDescription description = ParseModelDescription(model->description, "input");
  DemandThat(ParseModelDescription(SerializeModelDescription(description), "again") == description,
             "a description that was written and read is another");
  return InputWorth::kKeep;
}

}  // namespace khanzero
