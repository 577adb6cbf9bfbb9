// SPDX-License-Identifier: GPL-3.0-or-later
//
// SHA-256 (FIPS 180-4), for the move lists of the test vectors, which are given as hashes. The
// round constants are computed as the standard defines them: the first 32 bits of the fractional
// parts of the cube roots (and, for the start, the square roots) of the first primes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace khanzero {

class Sha256 {
 public:
  // The hash of `text` as 64 lower-case hex digits.
  static std::string Hex(std::string_view text) {
    std::string padded(text);
    padded += static_cast<char>(0x80);
    while (padded.size() % 64 != 56) padded += '\0';
    const uint64_t bits = uint64_t{8} * text.size();
    for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift);

    Words<8> state{};
    for (size_t i = 0; i < 8; ++i) state[i] = FractionOfRoot<2>(Prime(i));
    for (size_t at = 0; at < padded.size(); at += 64) {
      Absorb(std::string_view(padded).substr(at, 64), state);
    }
    std::string hex;
    for (const uint32_t word : state) {
      for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(word >> shift) & 15U];
    }
    return hex;
  }

 private:
  template <size_t kCount>
  using Words = std::array<uint32_t, kCount>;

  static constexpr uint32_t Prime(size_t index) {
    uint32_t n = 2;
    for (size_t found = 0;; ++n) {
      bool prime = true;
      for (uint32_t d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
      if (prime && found++ == index) return n;
    }
  }

  // The first 32 bits of the fractional part of the kPower-th root of n: the largest x with
  // (x / 2^32)^kPower <= n, found bit by bit in whole numbers, less its whole part. Products of 36
  // bits need up to 108 bits.
  template <int kPower>
  static constexpr uint32_t FractionOfRoot(uint32_t n) {
    using Wide = unsigned __int128;
    uint64_t root = 0;
    for (int bit = 36; bit >= 0; --bit) {
      const uint64_t x = root | (uint64_t{1} << bit);
      Wide power = 1;
      for (int i = 0; i < kPower; ++i) power *= x;
      if (power <= Wide{n} << (32 * kPower)) root = x;
    }
    return static_cast<uint32_t>(root);
  }

  static void Absorb(std::string_view block, Words<8>& state) {
    static const Words<64> kRound = [] {
      Words<64> words{};
      for (size_t i = 0; i < 64; ++i) words[i] = FractionOfRoot<3>(Prime(i));
      return words;
    }();
    Words<64> w{};
    for (size_t i = 0; i < 64; ++i) {
      w[i / 4] = (w[i / 4] << 8) | static_cast<uint8_t>(block[i]);
    }
    for (size_t i = 16; i < 64; ++i) {
      const uint32_t a = w[i - 15];
      const uint32_t b = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[i - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
    }
    Words<8> s = state;  // a .. h
    for (size_t i = 0; i < 64; ++i) {
      const uint32_t mix_e = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
      const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const uint32_t first = s[7] + mix_e + choice + kRound[i] + w[i];
      const uint32_t mix_a = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
      const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      s = {first + mix_a + majority, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
    }
    for (size_t i = 0; i < 8; ++i) state[i] += s[i];
  }
};

}  // namespace khanzero
