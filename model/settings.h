// SPDX-License-Identifier: GPL-3.0-or-later
//
// Settings of the network and of running it. No LibTorch here.
#pragma once

#include <string>

#include "env/settings.h"

namespace khanzero {

// The last input planes of every game are the squares that each side attacks (env/encoder.h).
inline constexpr int kAttackPlanes = 2;

// The size and the parts of the residual tower. Part of every checkpoint.
struct NetworkSettings {
  int blocks = 6;
  int channels = 64;
  int value_hidden = 64;
  int pooling_every = 0;
  bool attack_planes = true;

  // How many of the input planes the network sees.
  int SeenPlanes(int input_planes) const {
    return attack_planes ? input_planes : input_planes - kAttackPlanes;
  }
  // Whether a block, counted from 0, ends with global pooling.
  bool PoolsAfter(int block) const { return pooling_every > 0 && (block + 1) % pooling_every == 0; }

  template <class V>
  static void Fields(NetworkSettings& s, V& visit) {
    visit.Number("blocks", s.blocks, 1, 80, "residual blocks");
    visit.Number("channels", s.channels, 8, 1024, "channels of the tower");
    visit.Number("value_hidden", s.value_hidden, 8, 1024, "hidden units of the value head");
    visit.Number(
        "pooling_every", s.pooling_every, 0, 80,
        "global pooling at the end of every so many-th block: what is seen anywhere on the "
        "board reaches every square; 0: none");
    visit.Flag("attack_planes", s.attack_planes,
               "whether the network sees which squares each side attacks");
  }
  friend bool operator==(const NetworkSettings&, const NetworkSettings&) = default;
};

// "6 blocks x 64 channels, value_hidden 64, pooling_every 2"
inline std::string Text(const NetworkSettings& settings) {
  std::string text = std::to_string(settings.blocks) + " blocks x " +
                     std::to_string(settings.channels) + " channels, value_hidden " +
                     std::to_string(settings.value_hidden);
  if (settings.pooling_every > 0) {
    text += ", pooling_every " + std::to_string(settings.pooling_every);
  }
  if (!settings.attack_planes) text += ", no attack_planes";
  return text;
}

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
