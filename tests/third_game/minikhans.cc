// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/third_game/minikhans.h"

#include "env/fen.h"
#include "env/position_impl.h"

namespace khanzero {

template class Position<MinikhansSpec>;

}  // namespace khanzero
