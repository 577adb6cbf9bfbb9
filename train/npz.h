// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes NPZ files, which numpy.load reads: a zip archive of arrays, each in NPY format 1.0,
// deflated. Arrays are written one after another as streams, so that no array needs to fit in
// memory. The zip container is minizip's, with 64-bit sizes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace khanzero {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie");

// The NPY name of an element type: "<f4", "<i8", ...
template <class T>
constexpr std::string_view NpyType();
template <>
constexpr std::string_view NpyType<float>() {
  return "<f4";
}
template <>
constexpr std::string_view NpyType<int32_t>() {
  return "<i4";
}
template <>
constexpr std::string_view NpyType<int64_t>() {
  return "<i8";
}
template <>
constexpr std::string_view NpyType<uint64_t>() {
  return "<u8";
}
template <>
constexpr std::string_view NpyType<bool>() {
  return "|b1";
}

class NpzWriter {
 public:
  // Creates the file. Throws RuntimeFailure, here and below, when it cannot be written.
  explicit NpzWriter(const std::filesystem::path& path);
  ~NpzWriter();
  NpzWriter(const NpzWriter&) = delete;
  NpzWriter& operator=(const NpzWriter&) = delete;

  // Begins the array `name` of `type`, for example "<f2", in C order.
  void Begin(const std::string& name, std::string_view type, const std::vector<int64_t>& shape);
  // The next bytes of its elements.
  void Write(std::span<const std::byte> bytes);
  // Ends it. REQUIRES: exactly the bytes of its shape were written.
  void End();

  // A single text, a 0-dimensional array of type <U. REQUIRES: ASCII.
  void AddText(const std::string& name, std::string_view text);

  // Completes the archive.
  void Close();

 private:
  void Verify(int status) const;

  std::filesystem::path path_;
  void* zip_ = nullptr;
  int64_t bytes_due_ = 0;
};

// Elements that wait on the disk until their number is known: an unnamed file in `folder`, which
// goes away with this object or its process. Throws RuntimeFailure when it cannot be written.
template <class T>
class ArraySpool {
 public:
  explicit ArraySpool(const std::filesystem::path& folder);

  void Append(T element) { Append(std::span<const T>(&element, 1)); }
  void Append(std::span<const T> elements);
  int64_t size() const { return size_; }

  // Writes all of them as the array `name`, in rows of `columns` elements; one-dimensional when
  // that is 1.
  void WriteTo(NpzWriter& npz, const std::string& name, int columns = 1);

 private:
  std::filesystem::path folder_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  int64_t size_ = 0;
};

}  // namespace khanzero
