// SPDX-License-Identifier: GPL-3.0-or-later
#include "mcts/softmax.h"

#include <Eigen/Core>

namespace khanzero {

void Softmax(std::span<const float> logits, std::vector<float>& out) {
  out.resize(logits.size());
  if (logits.empty()) return;
  const auto size = static_cast<Eigen::Index>(logits.size());
  const Eigen::Map<const Eigen::ArrayXf> in(logits.data(), size);
  Eigen::Map<Eigen::ArrayXf> p(out.data(), size);
  p = (in - in.maxCoeff()).exp();
  p *= 1.0F / p.sum();
}

}  // namespace khanzero
