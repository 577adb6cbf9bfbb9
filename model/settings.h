// SPDX-License-Identifier: GPL-3.0-or-later
//
// Settings of the network and of running it. No LibTorch here.
#pragma once

#include <string>

#include "env/settings.h"

namespace khanzero {

// The size of the residual tower. Part of every checkpoint.
struct NetworkSettings {
  int blocks = 6;
  int channels = 64;
  int value_hidden = 64;

  template <class V>
  static void Fields(NetworkSettings& s, V& visit) {
    visit.Number("blocks", s.blocks, 1, 80, "residual blocks");
    visit.Number("channels", s.channels, 8, 1024, "channels of the tower");
    visit.Number("value_hidden", s.value_hidden, 8, 1024, "hidden units of the value head");
  }
  friend bool operator==(const NetworkSettings&, const NetworkSettings&) = default;
};

enum class Precision { kAuto, kFp32, kBf16, kInt8 };
inline constexpr ChoiceNames<4> kPrecisionNames = {"auto", "fp32", "bf16", "int8"};
// Those that a network can be trained in.
inline constexpr ChoiceNames<3> kTrainingPrecisionNames = {"auto", "fp32", "bf16"};

// What computes a network in play.
enum class InferenceBackend { kAuto, kTorch, kOneDnn };
inline constexpr ChoiceNames<3> kInferenceBackendNames = {"auto", "torch", "onednn"};

struct InferenceSettings {
  InferenceBackend backend = InferenceBackend::kAuto;
  Precision precision = Precision::kAuto;
  std::string device = "auto";

  template <class V>
  static void Fields(InferenceSettings& s, V& visit) {
    visit.Choice("backend", s.backend, kInferenceBackendNames,
                 "what computes the network in play: onednn (the processor only), torch, or auto: "
                 "onednn unless there is a GPU");
    visit.Choice("precision", s.precision, kPrecisionNames,
                 "arithmetic of the network in play: auto takes the fastest that the processor has "
                 "instructions for, int8 (onednn only), bf16, then fp32");
    visit.Text("device", s.device, "auto, cpu, cuda or cuda:N");
  }
  friend bool operator==(const InferenceSettings&, const InferenceSettings&) = default;
};

}  // namespace khanzero
