// SPDX-License-Identifier: GPL-3.0-or-later
//
// The description that every exported model carries, so that whoever has the file alone can use it:
// what goes in, what comes out, which move each policy index stands for, and where it comes from.
// JSON under the name khanzero.json: TorchScript's extra file, ONNX's and safetensors' metadata.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "env/settings.h"
#include "model/checkpoint_info.h"

namespace khanzero {

inline constexpr const char* kDescriptionName = "khanzero.json";

// Arithmetic of an exported model's numbers.
enum class ModelPrecision { kFp32, kFp16 };
inline constexpr ChoiceNames<2> kModelPrecisionNames = {"fp32", "fp16"};

// What a run's ladder says of a checkpoint.
struct ModelRating {
  double elo = 0.0;
  double error = 0.0;  // half of the 95 % interval
  std::string anchor;  // whose rating is 0
  int nodes = 0;       // simulations a move of the rated games

  friend bool operator==(const ModelRating&, const ModelRating&) = default;
};

struct ModelDescription {
  CheckpointInfo info;  // without the configuration
  ModelPrecision precision = ModelPrecision::kFp32;
  std::optional<ModelRating> rating = {};

  friend bool operator==(const ModelDescription&, const ModelDescription&) = default;
};

// JSON text: the fields of ToJson(CheckpointInfo), precision, rating, licence, the names and shapes
// of inputs and outputs, and for a game and version this program knows, the names of the planes and
// what each policy plane means.
std::string SerializeModelDescription(const ModelDescription& description);

// Reads it back. Throws InputError, naming `source`, for text that is no such description or is of
// another format version.
ModelDescription ParseModelDescription(std::string_view json, const std::string& source);

}  // namespace khanzero
