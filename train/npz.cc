// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/npz.h"

#include <fcntl.h>
#include <minizip/zip.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "env/error.h"
#include "model/files.h"

namespace khanzero {

namespace {

// Planes are mostly zeros: the fastest level already takes them to a few hundredths.
constexpr int kLevel = 1;
constexpr size_t kHeaderAlignment = 64;

// "\x93NUMPY", version 1.0, the length of the text, and the text, padded with spaces to a multiple
// of 64 bytes and ended by a line feed.
std::string NpyHeader(std::string_view type, const std::vector<int64_t>& shape) {
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (const int64_t size : shape) text += std::to_string(size) + ",";
  text += "), }";
  std::string header = std::string("\x93NUMPY\x01\x00", 8) + std::string(2, '\0');
  const size_t unpadded = header.size() + text.size() + 1;
  text.append((kHeaderAlignment - unpadded % kHeaderAlignment) % kHeaderAlignment, ' ');
  text += '\n';
  header[8] = static_cast<char>(text.size() & 255);
  header[9] = static_cast<char>(text.size() >> 8);
  return header + text;
}

// Bytes of an element of "<f4", "|b1", "<U12", ...
int64_t ElementBytes(std::string_view type) {
  const int64_t count = std::stoll(std::string(type.substr(2)));
  return type[1] == 'U' ? 4 * count : count;
}

}  // namespace

NpzWriter::NpzWriter(const std::filesystem::path& path)
    : path_(path), zip_(zipOpen64(path.c_str(), APPEND_STATUS_CREATE)) {
  if (zip_ == nullptr) {
    throw RuntimeFailure("cannot create '" + path.string() + "': " + std::strerror(errno));
  }
}

NpzWriter::~NpzWriter() {
  if (zip_ != nullptr) zipClose(zip_, nullptr);
}

void NpzWriter::Verify(int status) const {
  if (status == ZIP_OK) return;
  throw RuntimeFailure("cannot write '" + path_.string() +
                       "': " + (errno != 0 ? std::strerror(errno) : "the archive failed"));
}

void NpzWriter::Begin(const std::string& name, std::string_view type,
                      const std::vector<int64_t>& shape) {
  Check(bytes_due_ == 0, "an array begins within another");
  zip_fileinfo info = {};
  info.tmz_date = {
      .tm_sec = 0, .tm_min = 0, .tm_hour = 0, .tm_mday = 1, .tm_mon = 0, .tm_year = 1980};
  errno = 0;
  Verify(zipOpenNewFileInZip64(zip_, (name + ".npy").c_str(), &info, nullptr, 0, nullptr, 0,
                               nullptr, Z_DEFLATED, kLevel, 1));
  const std::string header = NpyHeader(type, shape);
  bytes_due_ = ElementBytes(type);
  for (const int64_t size : shape) bytes_due_ *= size;
  bytes_due_ += static_cast<int64_t>(header.size());
  Write(std::as_bytes(std::span(header)));
}

void NpzWriter::Write(std::span<const std::byte> bytes) {
  bytes_due_ -= static_cast<int64_t>(bytes.size());
  Check(bytes_due_ >= 0, "more elements than the array's shape has");
  errno = 0;
  Verify(zipWriteInFileInZip(zip_, bytes.data(), static_cast<unsigned>(bytes.size())));
}

void NpzWriter::End() {
  Check(bytes_due_ == 0, "fewer elements than the array's shape has");
  errno = 0;
  Verify(zipCloseFileInZip(zip_));
}

void NpzWriter::AddText(const std::string& name, std::string_view text) {
  const std::u32string wide(text.begin(), text.end());
  Begin(name, "<U" + std::to_string(text.size()), {});
  Write(std::as_bytes(std::span(wide)));
  End();
}

void NpzWriter::Close() {
  errno = 0;
  Verify(zipClose(std::exchange(zip_, nullptr), nullptr));
}

namespace {

std::FILE* OpenUnnamed(const std::filesystem::path& folder) {
  std::string name = (folder / ".khanzero-spool-XXXXXX").string();
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) {
    throw RuntimeFailure("cannot write in '" + folder.string() + "': " + std::strerror(errno));
  }
  ::unlink(name.c_str());
  return ::fdopen(file, "w+b");
}

}  // namespace

template <class T>
ArraySpool<T>::ArraySpool(const std::filesystem::path& folder)
    : folder_(folder), file_(OpenUnnamed(folder), &std::fclose) {}

template <class T>
void ArraySpool<T>::Append(std::span<const T> elements) {
  size_ += static_cast<int64_t>(elements.size());
  if (std::fwrite(elements.data(), sizeof(T), elements.size(), file_.get()) != elements.size()) {
    throw RuntimeFailure("cannot write in '" + folder_.string() + "': " + std::strerror(errno));
  }
}

template <class T>
void ArraySpool<T>::WriteTo(NpzWriter& npz, const std::string& name, int columns) {
  std::vector<int64_t> shape = {size_ / columns};
  if (columns > 1) shape.push_back(columns);
  npz.Begin(name, NpyType<T>(), shape);
  if (std::fflush(file_.get()) != 0) {
    throw RuntimeFailure("cannot write in '" + folder_.string() + "': " + std::strerror(errno));
  }
  std::rewind(file_.get());
  std::array<std::byte, 65536> buffer;
  for (size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), file_.get())) > 0;) {
    npz.Write(std::span(buffer).first(n));
  }
  if (std::ferror(file_.get()) != 0) {
    throw RuntimeFailure("cannot read in '" + folder_.string() + "': " + std::strerror(errno));
  }
  npz.End();
}

template class ArraySpool<float>;
template class ArraySpool<int32_t>;
template class ArraySpool<int64_t>;
template class ArraySpool<uint64_t>;
template class ArraySpool<bool>;

}  // namespace khanzero
