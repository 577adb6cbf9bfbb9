// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner_optimizer.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace khanzero {

std::unique_ptr<torch::optim::Optimizer> MakeOptimizer(const LearnerSettings& settings,
                                                       NetworkImpl& network) {
  std::vector<torch::Tensor> decayed;
  std::vector<torch::Tensor> free;
  for (const torch::Tensor& parameter : network.parameters()) {
    (parameter.dim() > 1 ? decayed : free).push_back(parameter);
  }
  const auto build = [&]<class Optimizer, class Options>(Options with_decay, Options without) {
    std::vector<torch::optim::OptimizerParamGroup> groups;
    groups.emplace_back(decayed, std::make_unique<Options>(with_decay));
    groups.emplace_back(free, std::make_unique<Options>(without));
    return std::make_unique<Optimizer>(std::move(groups), without);
  };
  const double rate = settings.learning_rate;
  if (settings.optimizer == OptimizerKind::kSgd) {
    const auto options = torch::optim::SGDOptions(rate)
                             .momentum(settings.momentum)
                             .nesterov(settings.momentum > 0.0);
    auto with_decay = options;
    with_decay.weight_decay(settings.weight_decay);
    return build.template operator()<torch::optim::SGD>(with_decay, options);
  }
  const auto options = torch::optim::AdamWOptions(rate).weight_decay(0.0);
  auto with_decay = options;
  with_decay.weight_decay(settings.weight_decay);
  return build.template operator()<torch::optim::AdamW>(with_decay, options);
}

std::string SerializeOptimizer(const torch::optim::Optimizer& optimizer) {
  std::ostringstream stream;
  torch::save(optimizer, stream);
  return stream.str();
}

void RestoreOptimizer(torch::optim::Optimizer& optimizer, const std::string& bytes) {
  std::istringstream stream(bytes);
  torch::load(optimizer, stream);
}

std::string GrownOptimizer(const LearnerSettings& settings, NetworkImpl& network,
                           const std::string& bytes, NetworkImpl& grown) {
  const auto before = MakeOptimizer(settings, network);
  const auto after = MakeOptimizer(settings, grown);
  // LibTorch keeps the state of a parameter under the address of its tensor.
  const auto key_of = [](const torch::Tensor& parameter) {
    return c10::guts::to_string(parameter.unsafeGetTensorImpl());
  };
  try {
    RestoreOptimizer(*before, bytes);
  } catch (const c10::Error&) {
    return SerializeOptimizer(*after);
  }
  const auto known = network.named_parameters();
  for (const auto& item : grown.named_parameters()) {
    const torch::Tensor* const old = known.find(item.key());
    if (old == nullptr || old->sizes() != item.value().sizes()) continue;
    const auto state = before->state().find(key_of(*old));
    if (state == before->state().end()) continue;
    after->state()[key_of(item.value())] = state->second->clone();
  }
  return SerializeOptimizer(*after);
}

void SetLearningRate(torch::optim::Optimizer& optimizer, double rate) {
  for (auto& group : optimizer.param_groups()) group.options().set_lr(rate);
}

double LearningRate(const LearnerSettings& settings, int64_t step, double progress) {
  constexpr double kPi = 3.14159265358979323846;
  const double spent = std::clamp(progress, 0.0, 1.0);
  double left = 1.0;  // of the way down to the final rate
  if (settings.schedule == Schedule::kCosine) left = 0.5 * (1.0 + std::cos(kPi * spent));
  if (settings.schedule == Schedule::kLinear) left = 1.0 - spent;
  const double rate =
      settings.final_learning_rate + (settings.learning_rate - settings.final_learning_rate) * left;
  if (step >= settings.warmup_steps) return rate;
  return rate * static_cast<double>(step + 1) / static_cast<double>(settings.warmup_steps);
}

}  // namespace khanzero
