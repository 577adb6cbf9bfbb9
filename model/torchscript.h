// SPDX-License-Identifier: GPL-3.0-or-later
//
// The TorchScript export. It is only written here: loading a module runs code of the file, so none
// of our commands does (khanzero-torchscript-run does, on the file just written).
#pragma once

#include <string>

#include "model/folded_network.h"
#include "model/model_description.h"

namespace khanzero {

// The bytes of a module: forward(planes [B, planes, ranks, files]) gives the policy logits [B,
// policy_size] (index = plane * squares + square) and the win/draw/loss probabilities [B, 3], any
// B, in the type of `planes`. With fp16 the weights are stored as such and take the type of the
// input when they are used. The description is the extra file "khanzero.json".
std::string SerializeTorchScript(const FoldedNetwork& network, const ModelDescription& description);

}  // namespace khanzero
