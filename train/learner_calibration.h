// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether a network's chances are those that come true.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace khanzero {

// How far the chances of win, draw and loss are from what happened: positions in ten bins by the
// score that the network expects, the mean distance of each bin's expectation from its result.
class Calibration {
 public:
  void Add(const torch::Tensor& wdl, const torch::Tensor& result) {
    const torch::Tensor weights = torch::tensor({1.0F, 0.5F, 0.0F});
    const torch::Tensor expected = wdl.matmul(weights).contiguous();
    const torch::Tensor scored = result.matmul(weights).contiguous();
    for (int64_t i = 0; i < expected.size(0); ++i) {
      const double e = expected.data_ptr<float>()[i];
      Bin& bin = bins_[static_cast<size_t>(std::clamp(static_cast<int>(e * kBins), 0, kBins - 1))];
      bin.expected += e;
      bin.scored += static_cast<double>(scored.data_ptr<float>()[i]);
      ++count_;
    }
  }
  double error() const {
    double sum = 0.0;
    for (const Bin& bin : bins_) sum += std::abs(bin.expected - bin.scored);
    return count_ > 0 ? sum / static_cast<double>(count_) : 0.0;
  }

 private:
  static constexpr int kBins = 10;
  struct Bin {
    double expected = 0.0;
    double scored = 0.0;
  };
  std::array<Bin, kBins> bins_{};
  int64_t count_ = 0;
};

}  // namespace khanzero
