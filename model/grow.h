// SPDX-License-Identifier: GPL-3.0-or-later
//
// A larger network that computes what a smaller one does, to go on training with. New blocks come
// last and begin as nothing: the norm at their end is 0 (Goyal et al. 2017; growing without a
// change of function: Chen, Goodfellow, Shlens, Net2Net, 2016). New channels and hidden units begin
// with random weights that lead to them, and none from them into what was there before.
#pragma once

#include <cstdint>
#include <string>

#include "model/network.h"

namespace khanzero {

// Throws InputError naming `what` unless a network of settings `from` can grow into one of `to`:
// no number smaller, no block that loses its pooling, no input planes that are no longer seen.
void CheckGrows(const NetworkSettings& from, const NetworkSettings& to, const std::string& what);

// The grown network. Outputs are equal to rounding in training and in evaluation. `seed` makes the
// new weights: networks that are grown with the same seed have the same ones. Throws as CheckGrows.
Network Grow(const NetworkImpl& network, const NetworkSettings& settings, uint64_t seed);

}  // namespace khanzero
