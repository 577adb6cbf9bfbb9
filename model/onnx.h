// SPDX-License-Identifier: GPL-3.0-or-later
//
// The ONNX export, written by ONNX's own protobuf classes: opset 13, IR version 7, float32 inputs
// and outputs, a batch of any size.
#pragma once

#include <string>
#include <string_view>

#include "model/export_check.h"
#include "model/folded_network.h"
#include "model/model_description.h"

namespace khanzero {

// The bytes of a model: input "planes" [batch, planes, ranks, files], outputs "policy" [batch,
// policy_size], logits with index = plane * squares + square, and "wdl" [batch, 3], probabilities.
// With fp16 the weights are stored as such, and Cast operators make them float32 before they are
// used. The description is the metadata property "khanzero.json". Throws RuntimeFailure for a
// network above protobuf's limit of 2 GiB.
std::string SerializeOnnx(const FoldedNetwork& network, const ModelDescription& description);

// What the model in `bytes` computes on all positions, the first one alone: its graph is read back
// and run operator by operator, by the few operators that SerializeOnnx uses. Throws RuntimeFailure
// for a graph that is not as SerializeOnnx makes it.
ModelOutputs RunOnnx(std::string_view bytes, const EncodingShape& shape,
                     const ExportPositions& positions);

}  // namespace khanzero
