// SPDX-License-Identifier: GPL-3.0-or-later
//
// TensorBoard's event files: numbers over steps, as `tensorboard --logdir runs` plots them.
//
// A file is a row of TFRecords, each holding one Event (event.proto): 8 bytes length, the masked
// CRC32C of these, the message, its masked CRC32C; numbers with the least byte first. A record is
// added by one write at the file's end, so that a killed process leaves whole records and at most
// one cut-off at the end, which every reader passes over.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace khanzero {

// CRC32C (Castagnoli), as in RFC 3720.
uint32_t Crc32c(std::string_view bytes);

// `message` framed as a TFRecord.
std::string FrameRecord(std::string_view message);

class EventFile {
 public:
  // Makes a new file in `folder`, which is made when it is not there. Its name sorts after those of
  // earlier starts: TensorBoard reads them in that order. Throws RuntimeFailure.
  explicit EventFile(const std::filesystem::path& folder);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  // Adds one event with all of `scalars` (tag, number), or nothing at all. Throws RuntimeFailure
  // (a full disk, say).
  void Add(int64_t step, const std::map<std::string, double>& scalars);

  const std::filesystem::path& path() const { return path_; }

 private:
  void Append(const std::string& record);

  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace khanzero
