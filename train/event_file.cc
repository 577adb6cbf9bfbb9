// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/event_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "env/error.h"
#include "event.pb.h"

namespace khanzero {

namespace {

constexpr std::array<uint32_t, 256> MakeCrcTable() {
  constexpr uint32_t kReversedPolynomial = 0x82F63B78;
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReversedPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

// The checksum of bytes that hold checksums themselves would be weak; TFRecord therefore stores it
// turned and shifted.
uint32_t MaskedCrc32c(std::string_view bytes) {
  const uint32_t crc = Crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

template <class Number>
std::string LeastByteFirst(Number number) {
  std::string bytes;
  for (size_t i = 0; i < sizeof(Number); ++i) {
    bytes += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
  }
  return bytes;
}

double SecondsSince1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

RuntimeFailure Failure(const std::string& doing, const std::filesystem::path& path) {
  return RuntimeFailure("cannot " + doing + " '" + path.string() + "': " + std::strerror(errno));
}

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = MakeCrcTable();
  uint32_t crc = ~0U;
  for (const char c : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 255U];
  return ~crc;
}

std::string FrameRecord(std::string_view message) {
  const std::string length = LeastByteFirst(static_cast<uint64_t>(message.size()));
  std::string record = length + LeastByteFirst(MaskedCrc32c(length));
  record += message;
  return record + LeastByteFirst(MaskedCrc32c(message));
}

EventFile::EventFile(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw RuntimeFailure("cannot make the folder '" + folder.string() + "': " + error.message());
  }
  const double now = SecondsSince1970();
  for (auto second = static_cast<long long>(now); file_ < 0; ++second) {
    std::array<char, 64> name{};
    std::snprintf(name.data(), name.size(), "events.out.tfevents.%010lld.khanzero", second);
    path_ = folder / name.data();
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (file_ < 0 && errno != EEXIST) throw Failure("make", path_);
  }
  proto::Event event;
  event.set_wall_time(now);
  event.set_file_version("brain.Event:2");
  try {
    Append(FrameRecord(event.SerializeAsString()));
  } catch (...) {
    ::close(file_);
    ::unlink(path_.c_str());
    throw;
  }
}

EventFile::~EventFile() { ::close(file_); }

void EventFile::Add(int64_t step, const std::map<std::string, double>& scalars) {
  proto::Event event;
  event.set_wall_time(SecondsSince1970());
  event.set_step(step);
  for (const auto& [tag, number] : scalars) {
    proto::Summary::Value& value = *event.mutable_summary()->add_value();
    value.set_tag(tag);
    value.set_simple_value(static_cast<float>(number));
  }
  Append(FrameRecord(event.SerializeAsString()));
}

void EventFile::Append(const std::string& record) {
  struct stat before {};
  if (::fstat(file_, &before) != 0) throw Failure("look at", path_);
  const ssize_t written = ::write(file_, record.data(), record.size());
  if (written == static_cast<ssize_t>(record.size())) return;
  if (written >= 0) errno = ENOSPC;  // the disk took only a part
  const RuntimeFailure failure = Failure("write", path_);
  // Half a record would hide all that follow.
  if (written > 0 && ::ftruncate(file_, before.st_size) != 0) throw Failure("shorten", path_);
  throw failure;
}

}  // namespace khanzero
