// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace khanzero {

// exp(logits) divided by their sum, into `out`, which gets their size. In fp32, by vector
// instructions: of hundreds of moves a position, this was a fifth of all that the trees cost. The
// same logits give the same bits, wherever they lie.
// REQUIRES: logits are finite.
void Softmax(std::span<const float> logits, std::vector<float>& out);

}  // namespace khanzero
