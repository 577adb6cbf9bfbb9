// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/khans.h"

#include "env/fen.h"
#include "env/position_impl.h"

namespace khanzero {

template class Position<KhansSpec>;

}  // namespace khanzero
