// SPDX-License-Identifier: GPL-3.0-or-later
//
// The version of the program, as every file it writes states it.
#pragma once

#include <string_view>

namespace khanzero {

// "0.1.0"
std::string_view ProgramVersion();

}  // namespace khanzero
