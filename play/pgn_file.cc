// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/pgn_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "env/error.h"
#include "model/files.h"

namespace khanzero {

namespace {

constexpr std::chrono::seconds kSyncInterval{2};

}  // namespace

PgnFile::PgnFile(const std::string& path, Use use) : path_(path) {
  const int make = use == Use::kAppend ? O_CREAT : 0;
  file_ = ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | make, 0666);
  if (file_ < 0) {
    throw InputError("the PGN file '" + path +
                     "' cannot be opened for writing: " + std::strerror(errno));
  }
  // File systems that know no locks are not a reason to stop.
  const int kind = use == Use::kAppend ? LOCK_SH : LOCK_EX;
  if (::flock(file_, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(file_);
    throw InputError("the PGN file '" + path + "' is in use by another match" +
                     (use == Use::kAppend ? " that is resumed" : "") +
                     "; wait for its end, or write to another file");
  }
}

PgnFile::~PgnFile() {
  if (!synced_) ::fsync(file_);
  ::close(file_);
}

void PgnFile::Fail(const std::string& doing, int error) const {
  throw RuntimeFailure(doing + " the PGN file '" + path_ + "' failed: " + std::strerror(error));
}

std::string PgnFile::Read() const { return ReadFile(path_); }

void PgnFile::CutTo(size_t bytes) {
  if (::ftruncate(file_, static_cast<off_t>(bytes)) != 0) Fail("shortening", errno);
  synced_ = false;
  Sync();
}

void PgnFile::Append(const std::string& game) {
  struct stat before = {};
  if (::fstat(file_, &before) != 0) Fail("looking at", errno);
  // What stands before may have lost its end.
  std::array<char, 2> tail = {'\n', '\n'};
  const off_t tail_size = std::min<off_t>(2, before.st_size);
  if (::pread(file_, tail.data() + 2 - tail_size, static_cast<size_t>(tail_size),
              before.st_size - tail_size) != tail_size) {
    Fail("reading", errno);
  }
  const std::string text = (tail[1] != '\n' ? "\n\n" : tail[0] != '\n' ? "\n" : "") + game;
  synced_ = false;
  const ssize_t written = ::write(file_, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    const int error = written < 0 ? errno : ENOSPC;  // the disk took only a part
    if (written > 0 && ::ftruncate(file_, before.st_size) != 0) Fail("shortening", errno);
    Fail("writing to", error);
  }
  if (Clock::now() - last_sync_ >= kSyncInterval) Sync();
}

void PgnFile::Sync() {
  // Some files, such as pipes, cannot be synced and say EINVAL.
  if (!synced_ && ::fsync(file_) != 0 && errno != EINVAL) Fail("syncing", errno);
  synced_ = true;
  last_sync_ = Clock::now();
}

}  // namespace khanzero
