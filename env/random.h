// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random numbers that are the same on every platform for a seed: SplitMix64 for hashing and
// seeding, and xoshiro256** (Blackman and Vigna, 2018) as the stream. The standard library's
// distributions differ between implementations, so the few that are needed are written here.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace khanzero {

// One step of SplitMix64: a well-mixed 64-bit value for any input.
constexpr uint64_t Mix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

class Random {
 public:
  using State = std::array<uint64_t, 4>;

  explicit constexpr Random(uint64_t seed) {
    for (uint64_t& word : state_) word = seed = Mix64(seed);
  }

  // An independent stream for part `index` of the work that `seed` stands for.
  static constexpr Random Stream(uint64_t seed, uint64_t index) {
    return Random(Mix64(seed) ^ Mix64(~index));
  }

  constexpr uint64_t Next() {
    const uint64_t result = Rotl(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = Rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, 1).
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

  // Uniform in [0, bound). REQUIRES: bound > 0. Unbiased (Lemire 2019).
  uint64_t Below(uint64_t bound) {
    for (;;) {
      const unsigned __int128 product = static_cast<unsigned __int128>(Next()) * bound;
      if (static_cast<uint64_t>(product) >= -bound % bound) {
        return static_cast<uint64_t>(product >> 64);
      }
    }
  }

  // Standard Gumbel(0, 1).
  double Gumbel() { return -std::log(-std::log(OpenUniform())); }

  // Standard normal (Box-Muller, one value a call).
  double Normal() {
    const double radius = std::sqrt(-2.0 * std::log(OpenUniform()));
    return radius * std::cos(2.0 * 3.14159265358979323846 * Uniform());
  }

  // Gamma(shape, 1) (Marsaglia and Tsang 2000). REQUIRES: shape > 0.
  double Gamma(double shape) {
    if (shape < 1.0) return Gamma(shape + 1.0) * std::pow(OpenUniform(), 1.0 / shape);
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
      const double x = Normal();
      const double cube = 1.0 + c * x;
      if (cube <= 0.0) continue;
      const double v = cube * cube * cube;
      if (std::log(OpenUniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

  // Fills `out` with a symmetric Dirichlet(alpha) sample.
  void Dirichlet(double alpha, std::span<float> out) {
    double sum = 0.0;
    for (float& x : out) sum += x = static_cast<float>(Gamma(alpha));
    for (float& x : out) {
      x = sum > 0.0 ? static_cast<float>(x / sum) : 1.0F / static_cast<float>(out.size());
    }
  }

  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  static constexpr uint64_t Rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  // Uniform in (0, 1): safe under a logarithm.
  double OpenUniform() { return (static_cast<double>(Next() >> 11) + 0.5) * 0x1.0p-53; }

  State state_{};
};

}  // namespace khanzero
