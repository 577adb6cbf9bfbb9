// SPDX-License-Identifier: GPL-3.0-or-later
//
// The way back from a network for inference to one that can be trained: its convolutions get their
// batch norms again. What was folded cannot be told from the arrays, so each norm takes the mean
// and variance that its channels have on given positions, and the scale and bias that leave the
// outputs what they were. A filter before a norm has no size that matters to the outputs; it gets
// that of a fresh network's, so that learning rates mean what they do there.
#pragma once

#include <cstdint>
#include <span>

#include "model/folded_network.h"
#include "model/network.h"

namespace khanzero {

// A network that computes what `folded` does, in evaluation and, on positions like `planes`
// ([position][square][plane]), in training. The auxiliary heads, which no folded network has, are
// fresh; `seed` makes them. REQUIRES: at least one position.
Network Unfold(const FoldedNetwork& folded, std::span<const float> planes, uint64_t seed);

}  // namespace khanzero
