// SPDX-License-Identifier: GPL-3.0-or-later
//
// "Did you mean ...?": the known name nearest to a misspelt one, for keys, commands and flags.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace khanzero {

// The number of single-letter insertions, deletions, replacements and swaps of neighbours between
// two names (optimal string alignment).
int EditDistance(std::string_view a, std::string_view b);

// The name of `known` nearest to `name`; nothing when none is near enough to be meant (about one
// letter in three may differ). Of equally near ones, the first.
std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& known);

}  // namespace khanzero
