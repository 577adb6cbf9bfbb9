// SPDX-License-Identifier: GPL-3.0-or-later
//
// POSIX calls, because the standard library can neither sync nor say why writing failed.
#include "model/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "env/error.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAsideMark = ".writing-";

[[noreturn]] void Fail(const std::string& doing, const fs::path& path, int error) {
  throw RuntimeFailure(doing + " " + path.string() + " failed: " + std::strerror(error));
}

class FileDescriptor {
 public:
  FileDescriptor(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags, 0666)) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }
  // Reports what a delayed write met; the destructor could not.
  int Close() {
    const int result = ::close(fd_);
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

// A regular file open for reading.
class RegularFile {
 public:
  // Without O_NONBLOCK, opening a pipe would wait for somebody who writes to it.
  explicit RegularFile(const fs::path& path)
      : path_(path), file_(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) {
    if (!file_.ok()) {
      if (errno == ENOENT || errno == ENOTDIR) {
        throw InputError("there is no file " + path.string());
      }
      throw InputError("cannot open " + path.string() + ": " + std::strerror(errno));
    }
    struct stat info = {};
    if (::fstat(file_.get(), &info) != 0) Fail("reading", path, errno);
    if (!S_ISREG(info.st_mode)) throw InputError(path.string() + " is not a regular file");
    size_ = static_cast<uint64_t>(info.st_size);
  }

  uint64_t size() const { return size_; }
  // The first `count` bytes; fewer when it was shortened meanwhile.
  std::string Read(uint64_t count) const {
    std::string bytes(count, '\0');
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::read(file_.get(), bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) Fail("reading", path_, errno);
      if (n == 0) break;
      done += static_cast<size_t>(n);
    }
    bytes.resize(done);
    return bytes;
  }

 private:
  fs::path path_;
  FileDescriptor file_;
  uint64_t size_ = 0;
};

void Sync(const fs::path& path, int flags) {
  const FileDescriptor file(path, flags | O_CLOEXEC);
  if (!file.ok()) Fail("opening", path, errno);
  // Some file systems cannot sync a folder and say EINVAL.
  if (::fsync(file.get()) != 0 && errno != EINVAL) Fail("syncing", path, errno);
}

void SyncFolder(const fs::path& folder) {
  Sync(folder.empty() ? fs::path(".") : folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace

std::string ReadFile(const fs::path& path, uint64_t most) {
  const RegularFile file(path);
  if (file.size() > most) {
    throw InputError(path.string() + " has " + std::to_string(file.size()) + " bytes; at most " +
                     std::to_string(most) + " are read");
  }
  return file.Read(file.size());
}

std::string ReadFileStart(const fs::path& path, uint64_t most) {
  const RegularFile file(path);
  return file.Read(std::min(file.size(), most));
}

void WriteNewFile(const fs::path& path, std::string_view bytes) {
  FileDescriptor file(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
  if (!file.ok()) Fail("creating", path, errno);
  while (!bytes.empty()) {
    const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Fail("writing", path, errno);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  if (::fsync(file.get()) != 0) Fail("syncing", path, errno);
  if (file.Close() != 0) Fail("closing", path, errno);
}

void WriteFileDurably(const fs::path& path, std::string_view bytes) {
  const fs::path aside = NameAside(path);
  try {
    WriteNewFile(aside, bytes);
    PublishFile(aside, path);
  } catch (...) {
    ::unlink(aside.c_str());
    throw;
  }
}

void PublishFile(const fs::path& written, const fs::path& path) {
  Sync(written, O_RDONLY);
  if (::rename(written.c_str(), path.c_str()) != 0) Fail("renaming to", path, errno);
  SyncFolder(path.parent_path());
}

void ReplaceFolder(const fs::path& written, const fs::path& path) {
  const fs::path target = WithoutSlash(path);
  SyncFolder(written);
  if (::rename(written.c_str(), target.c_str()) == 0) {
    SyncFolder(target.parent_path());
    return;
  }
  if (errno != ENOTEMPTY && errno != EEXIST) Fail("renaming to", target, errno);
  // A folder with content cannot be renamed over: exchange the two names in one step, or, on a
  // file system that cannot, in two.
  fs::path old = written;
#ifdef RENAME_EXCHANGE
  const bool exchanged =
      ::renameat2(AT_FDCWD, written.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0;
#else
  const bool exchanged = false;
#endif
  if (!exchanged) {
    old = NameAside(target);
    if (::rename(target.c_str(), old.c_str()) != 0) Fail("renaming", target, errno);
    if (::rename(written.c_str(), target.c_str()) != 0) {
      const int error = errno;
      ::rename(old.c_str(), target.c_str());
      Fail("renaming to", target, error);
    }
  }
  SyncFolder(target.parent_path());
  std::error_code ignored;  // the new folder is in place; the old one is only litter
  fs::remove_all(old, ignored);
}

fs::path WithoutSlash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

fs::path NameAside(const fs::path& path) {
  static std::atomic<uint64_t> counter = 0;
  const fs::path target = WithoutSlash(path);
  std::string name = "." + target.filename().string();
  name += kAsideMark;
  name += std::to_string(::getpid()) + "-" + std::to_string(counter++);
  return target.parent_path() / name;
}

void RemoveUnfinished(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') && name.find(kAsideMark) != std::string::npos) {
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
    }
  }
}

std::string ChecksumOf(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  const uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(hash >> shift) & 15];
  return text;
}

fs::path PathBesideProgram(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) throw RuntimeFailure("this program's folder is not known: " + error.message());
  return self.parent_path() / name;
}

}  // namespace khanzero
