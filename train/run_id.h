// SPDX-License-Identifier: GPL-3.0-or-later
//
// What names a run to actors on other machines: the file run-id in its folder.
#pragma once

#include <string>

#include "train/run_folder.h"

namespace khanzero {

// The run's random name, 16 hexadecimal digits, that no other run has; made when there is none yet.
// Throws RuntimeFailure, or InputError for a damaged one.
std::string RunId(const RunFolder& run);

}  // namespace khanzero
