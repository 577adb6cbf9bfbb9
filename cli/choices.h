// SPDX-License-Identifier: GPL-3.0-or-later
//
// Options that take one of the names of an enum.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "env/settings.h"

namespace khanzero {

// Lets an option take these names alone.
template <size_t kCount>
CLI::IsMember OneOf(const ChoiceNames<kCount>& names) {
  return CLI::IsMember(std::vector<std::string>(names.begin(), names.end()));
}

// The enumerator called `name`. REQUIRES: it is one of `names`.
template <class Choice, size_t kCount>
Choice ChoiceOf(const std::string& name, const ChoiceNames<kCount>& names) {
  return static_cast<Choice>(std::ranges::find(names, name) - names.begin());
}

}  // namespace khanzero
