// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/game_spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "env/error.h"
#include "model/files.h"

namespace khanzero {

namespace {

constexpr size_t kMostGames = 64;  // a batch
constexpr int64_t kMostBatchBytes = int64_t{256} << 10;
constexpr std::chrono::seconds kLongestWait(2);
constexpr const char* kBatchEnding = ".games";
constexpr size_t kLengthBytes = 4;

std::string LengthBytes(size_t length) {
  std::string bytes;
  for (size_t i = 0; i < kLengthBytes; ++i) bytes += static_cast<char>(length >> (8 * i));
  return bytes;
}

// The records of a file; a last one that is not whole is left out.
std::vector<std::string> RecordsIn(const std::string& bytes) {
  std::vector<std::string> records;
  for (size_t at = 0; at + kLengthBytes <= bytes.size();) {
    size_t length = 0;
    for (size_t i = 0; i < kLengthBytes; ++i) {
      length |= static_cast<size_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    }
    at += kLengthBytes;
    if (length == 0 || length > bytes.size() - at) break;
    records.push_back(bytes.substr(at, length));
    at += length;
  }
  return records;
}

}  // namespace

GameSpool::GameSpool(std::filesystem::path folder, int64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) {
    throw RuntimeFailure("cannot make the folder '" + folder_.string() + "': " + error.message());
  }
  Lock();
  Load();
}

GameSpool::~GameSpool() {
  Close();
  if (lock_ >= 0) ::close(lock_);
}

void GameSpool::Lock() {
  const std::string path = (folder_ / "lock").string();
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) throw RuntimeFailure("cannot open '" + path + "': " + std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  ::close(std::exchange(lock_, -1));
  if (error != EWOULDBLOCK) {
    throw RuntimeFailure("cannot lock '" + path + "': " + std::strerror(error));
  }
  throw InputError("the spool '" + folder_.string() +
                   "' belongs to another actor that runs; give each its own --spool");
}

void GameSpool::Load() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (entry.path().extension() == kBatchEnding) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    Batch batch{.records = RecordsIn(ReadFile(file)), .file = file, .closed = true};
    next_file_ =
        std::max<uint64_t>(next_file_, std::strtoull(file.stem().c_str(), nullptr, 10) + 1);
    if (batch.records.empty()) {
      std::filesystem::remove(file);
      continue;
    }
    for (const std::string& record : batch.records) {
      batch.bytes += static_cast<int64_t>(record.size());
    }
    games_ += static_cast<int64_t>(batch.records.size());
    bytes_ += batch.bytes;
    batches_.push_back(std::move(batch));
  }
}

void GameSpool::BelongTo(const std::string& run_id) {
  if (folder_.empty()) return;
  const std::filesystem::path file = folder_ / "run";
  if (std::filesystem::exists(file)) {
    std::string before = ReadFile(file);
    while (!before.empty() && before.back() == '\n') before.pop_back();
    if (before == run_id) return;
    if (games_ > 0) {
      throw InputError(fmt::format(
          "the spool '{}' holds {} games of run {}, but this is run {}; let an actor of that run "
          "deliver them, or delete the folder, or take another --spool",
          folder_.string(), games_, Printable(before), run_id));
    }
  }
  WriteFileDurably(file, run_id + "\n");
}

void GameSpool::Add(const std::string& record) {
  if (batches_.empty() || batches_.back().closed) {
    batches_.emplace_back();
    if (!folder_.empty()) {
      batches_.back().file = folder_ / fmt::format("{:012}{}", next_file_++, kBatchEnding);
      const std::string path = batches_.back().file.string();
      open_file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
      if (open_file_ < 0) {
        throw RuntimeFailure("cannot write '" + path + "': " + std::strerror(errno));
      }
    }
  }
  Batch& batch = batches_.back();
  if (open_file_ >= 0) Append(batch, record);
  batch.records.push_back(record);
  batch.bytes += static_cast<int64_t>(record.size());
  bytes_ += static_cast<int64_t>(record.size());
  ++games_;
  if (batch.records.size() >= kMostGames || batch.bytes >= kMostBatchBytes) Close();
}

void GameSpool::Append(Batch& batch, const std::string& record) {
  const std::string bytes = LengthBytes(record.size()) + record;
  const ssize_t written = ::write(open_file_, bytes.data(), bytes.size());
  if (written == static_cast<ssize_t>(bytes.size())) return;
  throw RuntimeFailure("cannot write '" + batch.file.string() +
                       "': " + (written < 0 ? std::strerror(errno) : "the disk is full"));
}

void GameSpool::Close() {
  if (!batches_.empty()) batches_.back().closed = true;
  if (open_file_ >= 0) ::close(std::exchange(open_file_, -1));
}

bool GameSpool::ready() const {
  if (batches_.empty()) return false;
  const Batch& oldest = batches_.front();
  return oldest.closed || Clock::now() - oldest.begun >= kLongestWait;
}

const std::vector<std::string>& GameSpool::Oldest() {
  Check(!batches_.empty(), "an empty spool has no oldest batch");
  if (batches_.size() == 1) Close();
  return batches_.front().records;
}

void GameSpool::DropOldest() {
  Check(!batches_.empty() && batches_.front().closed, "a batch that was not looked at is dropped");
  const Batch& oldest = batches_.front();
  games_ -= static_cast<int64_t>(oldest.records.size());
  bytes_ -= oldest.bytes;
  if (!oldest.file.empty()) {
    std::error_code ignored;  // it would be delivered again, and be a duplicate
    std::filesystem::remove(oldest.file, ignored);
  }
  batches_.pop_front();
}

void GameSpool::Sync() {
  if (folder_.empty()) return;
  for (Batch& batch : batches_) {
    if (batch.synced || !batch.closed) continue;
    PublishFile(batch.file, batch.file);
    batch.synced = true;
  }
}

}  // namespace khanzero
