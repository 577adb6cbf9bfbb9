// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/run_id.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <random>

#include "env/error.h"
#include "model/files.h"

namespace khanzero {

std::string RunId(const RunFolder& run) {
  const std::filesystem::path file = run.path() / "run-id";
  if (!std::filesystem::exists(file)) {
    std::random_device device;
    const uint64_t id = (static_cast<uint64_t>(device()) << 32) | device();
    WriteFileDurably(file, fmt::format("{:016x}\n", id));
  }
  constexpr size_t kDigits = 16;
  const std::string text = ReadFile(file, kDigits + 1);
  const std::string id = text.substr(0, kDigits);
  if (id.size() != kDigits || id.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw InputError("'" + file.string() +
                     "' is damaged: it holds 16 hexadecimal digits; delete it, and the run gets a "
                     "new name, which actors that play for it have to be started for again");
  }
  return id;
}

}  // namespace khanzero
