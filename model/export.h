// SPDX-License-Identifier: GPL-3.0-or-later
//
// Models for elsewhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "model/checkpoint.h"
#include "model/folded_network.h"

namespace khanzero {

// The description that goes with every exported model: JSON text with game, versions, shapes, the
// meaning of inputs and outputs, plane names, step, licence and program version.
std::string ExportMetadata(const CheckpointInfo& info);

// How well a written model, loaded back, agrees with the fp32 evaluator.
struct ExportReport {
  int positions = 0;
  double max_policy_difference = 0.0;  // of logits
  double max_wdl_difference = 0.0;     // of probabilities
  uintmax_t bytes = 0;                 // size of the file
};

// The largest differences an export may have and still be reported as good.
inline constexpr double kMaxPolicyDifference = 1e-3;
inline constexpr double kMaxWdlDifference = 1e-4;

// Writes a TorchScript module: input [B, planes, ranks, files] fp32, any B; outputs the policy
// logits [B, policy_size] (index = plane * squares + square) and the win/draw/loss probabilities
// [B, 3]. The metadata is its extra file "khanzero.json". Before the file gets its name it is
// loaded back and compared on `positions` ([position][square][plane], any number), and on random
// inputs besides. Throws RuntimeFailure when writing fails or the outputs differ; nothing is left
// then.
ExportReport ExportTorchScript(const FoldedNetwork& network, const CheckpointInfo& info,
                               const std::filesystem::path& path,
                               std::span<const float> positions = {});

// The metadata of an exported TorchScript file. Throws InputError when it has none or is damaged.
std::string ReadTorchScriptMetadata(const std::filesystem::path& path);

}  // namespace khanzero
