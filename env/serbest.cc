// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/serbest.h"

#include "env/fen.h"
#include "env/position_impl.h"

namespace khanzero {

template class Position<SerbestSpec>;

}  // namespace khanzero
