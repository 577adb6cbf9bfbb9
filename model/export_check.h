// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether a written model computes what the checkpoint does: on positions of the game, rare ones
// included, every output of the file that was written and read back is compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/game_info.h"
#include "model/model_description.h"

namespace khanzero {

struct FoldedNetwork;

// Encoded positions, [position][square][plane], and the policy indices of their legal moves.
struct ExportPositions {
  std::vector<float> planes;
  std::vector<std::vector<uint16_t>> legal;

  int count() const { return static_cast<int>(legal.size()); }
};

// `count` positions of the game, the same each time: special ones first (promotions, castling,
// checks, full and empty hands, counters near their end, goals next move), then random games.
// Throws InputError for a game that is not known or has another encoding.
ExportPositions PositionsOf(const GameInfo& game, int count);

// The planes as models for elsewhere take them: [position][plane][square].
std::vector<float> ChannelsFirst(const std::vector<float>& planes, const EncodingShape& shape);

// Of one model on all positions.
struct ModelOutputs {
  std::vector<float> policy;  // logits, [position][policy index]
  std::vector<float> wdl;     // probabilities, [position][win, draw, loss]
};

// The outputs of our fp32 evaluator.
ModelOutputs OutputsOf(const FoldedNetwork& network, const ExportPositions& positions);

// How well a written model, read back, agrees with the checkpoint.
struct ExportReport {
  int positions = 0;
  double max_policy_difference = 0.0;  // of logits, in units of the logit where that exceeds 1
  double max_wdl_difference = 0.0;     // of probabilities
  double top1_agreement = 0.0;         // share of positions with the same best legal move
  uintmax_t bytes = 0;                 // size of the file
};

// The most that an export may differ and still be reported as good.
struct ExportLimits {
  double policy_difference;
  double wdl_difference;
  double top1_agreement;
};
ExportLimits LimitsOf(ModelPrecision precision);

// Throws RuntimeFailure where `found` is of another size, not finite, or beyond the limits.
ExportReport CompareOutputs(const ModelOutputs& reference, const ModelOutputs& found,
                            const ExportPositions& positions, ModelPrecision precision);

}  // namespace khanzero
