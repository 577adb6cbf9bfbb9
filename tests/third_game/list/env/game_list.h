// SPDX-License-Identifier: GPL-3.0-or-later
//
// The list of games with a third one. The programs of tests/third_game find this header before the
// real one, so that they are KhanZero as it would be with that line in the list.
#pragma once

#include <tuple>

#include "env/khans.h"
#include "env/serbest.h"
#include "tests/third_game/minikhans.h"

namespace khanzero {

using Games = std::tuple<Khans, Serbest, Minikhans>;

}  // namespace khanzero
