// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/openings.h"

#include <filesystem>

#include "model/files.h"

namespace khanzero {

OpeningSettings ParseOpenings(const std::string& text) {
  if (text == "none") return {.source = OpeningSource::kNone};
  if (text == "random") return {.source = OpeningSource::kRandom};
  if (text == "balanced") return {.source = OpeningSource::kBalanced};
  if (!std::filesystem::exists(text)) {
    throw InputError("the openings '" + text +
                     "' are none of none, random and balanced, and there is no such file");
  }
  return {.source = OpeningSource::kFile, .file = text};
}

std::string OpeningsText(const OpeningSettings& settings) {
  const std::string plies = std::to_string(settings.plies);
  switch (settings.source) {
    case OpeningSource::kNone:
      return "no openings";
    case OpeningSource::kRandom:
      return plies + " random plies";
    case OpeningSource::kBalanced:
      return plies + " balanced random plies";
    case OpeningSource::kFile:
      break;
  }
  return std::filesystem::path(settings.file).filename().string();
}

void CheckOpenings(const OpeningSettings& settings) {
  if (settings.plies < 0) throw InputError("match: the opening plies must not be negative");
  if (settings.balance_bound < 1) {
    throw InputError("match: the bound of balanced openings must be at least 1");
  }
}

std::string ReadOpeningsFile(const std::string& path) { return ReadFile(path); }

}  // namespace khanzero
