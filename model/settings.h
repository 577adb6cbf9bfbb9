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

enum class Precision { kAuto, kFp32, kBf16 };
inline constexpr ChoiceNames<3> kPrecisionNames = {"auto", "fp32", "bf16"};

struct InferenceSettings {
  Precision precision = Precision::kAuto;
  std::string device = "auto";

  template <class V>
  static void Fields(InferenceSettings& s, V& visit) {
    visit.Choice("precision", s.precision, kPrecisionNames,
                 "arithmetic of the network in play: auto takes bf16 where the processor has it");
    visit.Text("device", s.device, "auto, cpu, cuda or cuda:N");
  }
  friend bool operator==(const InferenceSettings&, const InferenceSettings&) = default;
};

}  // namespace khanzero
