// SPDX-License-Identifier: GPL-3.0-or-later
//
// The loops are plain, for the compiler to turn into vector instructions; they are compiled twice,
// for any processor and for AVX2, because the program itself is built for any.
#include "model/global_pooling.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "env/error.h"
#include "model/bfloat16.h"
#include "model/cpu_features.h"

namespace khanzero {
namespace {

// Outputs whose sums stay in registers while all features pass by.
constexpr size_t kGroup = 16;

// A position's map, and what belongs to it.
template <class T>
struct Board {
  T* map;
  size_t squares;
  size_t channels;
};

float ToReal(float value) { return value; }
float ToReal(uint16_t value) { return FromBf16(value); }

// The sum of each channel over the board, then the largest value of each.
template <class T>
[[gnu::always_inline]] inline void SumUp(const Board<T>& board, float* __restrict features,
                                         uint16_t* /*sums*/) {
  float* __restrict const most = features + board.channels;
  std::fill_n(features, 2 * board.channels, 0.0F);  // nothing is below 0 after a ReLU
  for (size_t s = 0; s < board.squares; ++s) {
    const T* __restrict const row = board.map + s * board.channels;
    for (size_t c = 0; c < board.channels; ++c) {
      const float value = ToReal(row[c]);
      features[c] += value;
      most[c] = most[c] < value ? value : most[c];
    }
  }
}

[[gnu::always_inline]] inline void SumUp(const Board<uint8_t>& board, float* __restrict features,
                                         uint16_t* __restrict sums) {
  std::fill_n(sums, 2 * board.channels, uint16_t{0});
  uint16_t* __restrict const most = sums + board.channels;
  for (size_t s = 0; s < board.squares; ++s) {
    const uint8_t* __restrict const row = board.map + s * board.channels;
    for (size_t c = 0; c < board.channels; ++c) {
      const uint16_t value = row[c];
      sums[c] = static_cast<uint16_t>(sums[c] + value);
      most[c] = most[c] < value ? value : most[c];
    }
  }
  for (size_t i = 0; i < 2 * board.channels; ++i) features[i] = sums[i];
}

// added = bias + weight * features for kRows positions at once, which share the reading of the
// weights. Each sum is made in the same order whatever kRows is.
template <size_t kRows>
[[gnu::always_inline]] inline void Multiply(const float* __restrict weight,
                                            const float* __restrict bias,
                                            const float* __restrict features, size_t inputs,
                                            size_t outputs, float* __restrict added) {
  for (size_t o = 0; o < outputs; o += kGroup, weight += inputs * kGroup) {
    std::array<std::array<float, kGroup>, kRows> sums;
    for (size_t r = 0; r < kRows; ++r) std::copy_n(bias + o, kGroup, sums[r].begin());
    for (size_t k = 0; k < inputs; ++k) {
      for (size_t r = 0; r < kRows; ++r) {
        const float feature = features[r * inputs + k];
        for (size_t i = 0; i < kGroup; ++i) sums[r][i] += feature * weight[k * kGroup + i];
      }
    }
    for (size_t r = 0; r < kRows; ++r) {
      std::copy_n(sums[r].begin(), kGroup, added + r * outputs + o);
    }
  }
}

// x = ReLU(x + added).
[[gnu::always_inline]] inline void AddUp(const Board<float>& board, const float* __restrict added,
                                         uint16_t* /*scratch*/) {
  for (size_t s = 0; s < board.squares; ++s) {
    float* __restrict const row = board.map + s * board.channels;
    for (size_t c = 0; c < board.channels; ++c) row[c] = std::max(row[c] + added[c], 0.0F);
  }
}
[[gnu::always_inline]] inline void AddUp(const Board<uint16_t>& board,
                                         const float* __restrict added, uint16_t* /*scratch*/) {
  for (size_t s = 0; s < board.squares; ++s) {
    uint16_t* __restrict const row = board.map + s * board.channels;
    for (size_t c = 0; c < board.channels; ++c) {
      row[c] = ToBf16(std::max(FromBf16(row[c]) + added[c], 0.0F));
    }
  }
}
// In whole steps, in bytes throughout: up to the largest step, down to 0. What is added to a
// channel has one sign, so that one of the two does nothing.
[[gnu::always_inline]] inline void AddUp(const Board<uint8_t>& board, const float* __restrict added,
                                         uint16_t* __restrict scratch) {
  auto* __restrict const up = reinterpret_cast<uint8_t*>(scratch);
  uint8_t* __restrict const down = up + board.channels;
  for (size_t c = 0; c < board.channels; ++c) {
    const float steps = std::min(std::max(added[c], -255.0F), 255.0F);
    up[c] = static_cast<uint8_t>(std::max(steps, 0.0F) + 0.5F);
    down[c] = static_cast<uint8_t>(std::max(-steps, 0.0F) + 0.5F);
  }
  for (size_t s = 0; s < board.squares; ++s) {
    uint8_t* __restrict const row = board.map + s * board.channels;
    for (size_t c = 0; c < board.channels; ++c) {
      const auto room = static_cast<uint8_t>(255 - up[c]);
      const auto raised = static_cast<uint8_t>((row[c] < room ? row[c] : room) + up[c]);
      row[c] = static_cast<uint8_t>((raised < down[c] ? down[c] : raised) - down[c]);
    }
  }
}

// What all positions of a run take.
struct Arrays {
  const float* weight;
  const float* bias;
  size_t outputs;  // filled up to whole groups
  float* features;
  float* added;
  uint16_t* scratch;
};

template <class T>
[[gnu::always_inline]] inline void RunOn(T* map, size_t positions, size_t squares, size_t channels,
                                         const Arrays& arrays) {
  constexpr size_t kRows = 4;
  const size_t inputs = 2 * channels;
  const size_t size = squares * channels;
  for (size_t p = 0; p < positions; ++p) {
    SumUp(Board<T>{map + p * size, squares, channels}, arrays.features + p * inputs,
          arrays.scratch);
  }
  size_t p = 0;
  for (; p + kRows <= positions; p += kRows) {
    Multiply<kRows>(arrays.weight, arrays.bias, arrays.features + p * inputs, inputs,
                    arrays.outputs, arrays.added + p * arrays.outputs);
  }
  for (; p < positions; ++p) {
    Multiply<1>(arrays.weight, arrays.bias, arrays.features + p * inputs, inputs, arrays.outputs,
                arrays.added + p * arrays.outputs);
  }
  for (p = 0; p < positions; ++p) {
    AddUp(Board<T>{map + p * size, squares, channels}, arrays.added + p * arrays.outputs,
          arrays.scratch);
  }
}

template <class T>
void RunPlain(T* map, size_t positions, size_t squares, size_t channels, const Arrays& arrays) {
  RunOn(map, positions, squares, channels, arrays);
}
#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2,fma")]] void RunWide(T* map, size_t positions, size_t squares, size_t channels,
                                         const Arrays& arrays) {
  RunOn(map, positions, squares, channels, arrays);
}
#endif

}  // namespace

GlobalPooling::GlobalPooling(const LinearLayer& layer, int squares, std::span<const float> scales)
    : channels_(static_cast<size_t>(layer.out_features)),
      squares_(static_cast<size_t>(squares)),
      wide_(ThisCpu().avx2),
      sums_(2 * channels_) {
  Check(layer.in_features == 2 * layer.out_features && squares <= kMostSquares &&
            (scales.empty() || scales.size() == channels_),
        "sizes of global pooling");
  const size_t inputs = 2 * channels_;
  const size_t outputs = (channels_ + kGroup - 1) / kGroup * kGroup;
  weight_.assign(outputs * inputs, 0.0F);
  bias_.assign(outputs, 0.0F);
  const auto scale = [&](size_t channel) { return scales.empty() ? 1.0F : scales[channel]; };
  for (size_t o = 0; o < channels_; ++o) {
    bias_[o] = layer.bias[o] / scale(o);
    for (size_t k = 0; k < inputs; ++k) {
      const float share = k < channels_ ? 1.0F / static_cast<float>(squares) : 1.0F;
      weight_[(o / kGroup * inputs + k) * kGroup + o % kGroup] =
          layer.weight[o * inputs + k] * share * scale(k % channels_) / scale(o);
    }
  }
}

template <class T>
void GlobalPooling::RunAny(T* map, int positions) {
  const auto count = static_cast<size_t>(positions);
  features_.resize(count * 2 * channels_);
  added_.resize(count * bias_.size());
  const Arrays arrays = {.weight = weight_.data(),
                         .bias = bias_.data(),
                         .outputs = bias_.size(),
                         .features = features_.data(),
                         .added = added_.data(),
                         .scratch = sums_.data()};
#if defined(__x86_64__)
  if (wide_) {
    RunWide(map, count, squares_, channels_, arrays);
    return;
  }
#endif
  RunPlain(map, count, squares_, channels_, arrays);
}

void GlobalPooling::Run(float* map, int positions) { RunAny(map, positions); }
void GlobalPooling::Run(uint16_t* map, int positions) { RunAny(map, positions); }
void GlobalPooling::Run(uint8_t* map, int positions) { RunAny(map, positions); }

}  // namespace khanzero
