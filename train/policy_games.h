// SPDX-License-Identifier: GPL-3.0-or-later
//
// Games that a network plays by drawing each move from its policy, without search: positions like
// those of its self-play, in seconds.
#pragma once

#include <cstdint>
#include <vector>

#include "env/types.h"
#include "mcts/evaluator.h"
#include "train/config.h"

namespace khanzero {

// `count` encoded positions, [position][square][plane], of games of config.game that end by its
// rules or at selfplay.max_plies. The same evaluator and seed give the same ones.
std::vector<float> PolicyGamePositions(const Config& config, Evaluator& evaluator, int count);

}  // namespace khanzero
