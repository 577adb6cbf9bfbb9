// SPDX-License-Identifier: GPL-3.0-or-later
#include "mcts/softmax.h"

#include <Eigen/Core>

namespace khanzero {

void Softmax(std::span<const float> logits, std::vector<float>& out) {
  out.resize(logits.size());
  if (logits.empty()) return;
  const auto size = static_cast<Eigen::Index>(logits.size());
  // In an array of Eigen's own, which is aligned: where a vector happens to lie would decide which
  // elements go through vector instructions and in which order they are summed, and with that the
  // last bits of the result.
  Eigen::ArrayXf p = Eigen::Map<const Eigen::ArrayXf>(logits.data(), size);
  p = (p - p.maxCoeff()).exp();
  Eigen::Map<Eigen::ArrayXf>(out.data(), size) = p * (1.0F / p.sum());
}

}  // namespace khanzero
