// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a settings struct states its fields. Each struct has one function
//
//   template <class V> static void Fields(SearchSettings& s, V& visit);
//
// that lists every field once, with its limits and meaning; loading, printing, help and errors all
// go through that list. A visitor offers:
//
//   visit.Number(name, value, least, most, meaning)     int, int64_t, uint64_t, double
//   visit.Flag(name, value, meaning)                    bool
//   visit.Choice(name, value, names, meaning)           enum class, names indexed by its value
//   visit.Text(name, value, meaning)                    std::string
//   visit.Section(name, settings, meaning)              another settings struct
//
// The default of a field is what the struct's initialiser says.
#pragma once

#include <array>
#include <string_view>

namespace khanzero {

template <size_t kCount>
using ChoiceNames = std::array<std::string_view, kCount>;

}  // namespace khanzero
