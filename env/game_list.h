// SPDX-License-Identifier: GPL-3.0-or-later
//
// The list of games: the one place that names them all. To add a game, include its header here and
// put it in the list; docs/add-a-game.md is the whole guide. Everything else includes env/games.h.
#pragma once

#include <tuple>

#include "env/khans.h"
#include "env/serbest.h"

namespace khanzero {

using Games = std::tuple<Khans, Serbest>;

}  // namespace khanzero
