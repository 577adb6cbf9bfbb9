// SPDX-License-Identifier: GPL-3.0-or-later
//
// The ends of both heads on the CPU, in fp32: logits of the moves asked for only, and the chances
// of win, draw and loss.
#pragma once

#include <span>

#include "mcts/evaluator.h"
#include "model/folded_network.h"

namespace khanzero {

// Fills the logits of position `i` from its policy features, [square][channel].
void FillLogits(const ConvLayer& policy_out, std::span<const float> features, int i,
                EvaluationBatch& batch);

// From the value's hidden units.
Wdl WdlOf(const LinearLayer& value_out, std::span<const float> hidden);

}  // namespace khanzero
