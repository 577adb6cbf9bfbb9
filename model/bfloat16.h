// SPDX-License-Identifier: GPL-3.0-or-later
//
// bf16: the upper half of a float.
#pragma once

#include <bit>
#include <cstdint>

namespace khanzero {

// Round to nearest, ties to even. REQUIRES: no NaN.
inline uint16_t ToBf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}
inline float FromBf16(uint16_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value) << 16);
}

}  // namespace khanzero
