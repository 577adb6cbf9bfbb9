// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads NPZ files for tests, apart from the code that writes them.
#pragma once

#include <minizip/unzip.h>

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace khanzero {

struct NpyArray {
  std::string type;  // "<f4"
  std::vector<int64_t> shape;
  std::string data;

  template <class T>
  std::vector<T> As() const {
    std::vector<T> elements(data.size() / sizeof(T));
    std::memcpy(elements.data(), data.data(), data.size());
    return elements;
  }
};

inline NpyArray ParseNpy(const std::string& bytes) {
  if (bytes.substr(0, 8) != std::string("\x93NUMPY\x01\x00", 8)) throw std::runtime_error("no NPY");
  const size_t length = static_cast<unsigned char>(bytes.at(8)) +
                        256 * static_cast<size_t>(static_cast<unsigned char>(bytes.at(9)));
  if ((10 + length) % 64 != 0) throw std::runtime_error("NPY data are not aligned");
  const std::string header = bytes.substr(10, length);
  const auto after = [&](const std::string& text) { return header.find(text) + text.size(); };
  NpyArray array;
  const size_t type = after("'descr': '");
  array.type = header.substr(type, header.find('\'', type) - type);
  for (size_t at = after("'shape': ("); header[at] != ')';) {
    size_t used = 0;
    array.shape.push_back(std::stoll(header.substr(at), &used));
    at += used + 1;  // and its comma
  }
  array.data = bytes.substr(10 + length);
  return array;
}

// All arrays by name. minizip checks sizes and CRCs.
inline std::map<std::string, NpyArray> ReadNpz(const std::string& path) {
  const unzFile zip = unzOpen64(path.c_str());
  if (zip == nullptr) throw std::runtime_error("no zip file");
  std::map<std::string, NpyArray> arrays;
  for (int status = unzGoToFirstFile(zip); status == UNZ_OK; status = unzGoToNextFile(zip)) {
    unz_file_info64 info = {};
    char name[256] = {};
    unzGetCurrentFileInfo64(zip, &info, name, sizeof name, nullptr, 0, nullptr, 0);
    std::string bytes(info.uncompressed_size, '\0');
    if (unzOpenCurrentFile(zip) != UNZ_OK ||
        unzReadCurrentFile(zip, bytes.data(), static_cast<unsigned>(bytes.size())) !=
            static_cast<int>(bytes.size()) ||
        unzCloseCurrentFile(zip) != UNZ_OK) {
      throw std::runtime_error("damaged zip file");
    }
    const std::string file = name;
    arrays[file.substr(0, file.rfind(".npy"))] = ParseNpy(bytes);
  }
  unzClose(zip);
  return arrays;
}

}  // namespace khanzero
