// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner_losses.h"

namespace khanzero {

namespace {

torch::Tensor WeightedMean(const torch::Tensor& each, const torch::Tensor& weight) {
  return (each * weight).sum() / weight.sum().clamp_min(1.0);
}

torch::Tensor LogPolicy(const torch::Tensor& logits, const MoveTargets& targets) {
  return torch::log_softmax(
      logits.to(torch::kFloat32).gather(1, targets.indices).masked_fill(targets.padding, -1e9), 1);
}

torch::Tensor PolicyLoss(const torch::Tensor& log_policy, const MoveTargets& targets) {
  return WeightedMean(-(targets.policy * log_policy).sum(1), targets.weight);
}

double Number(const torch::Tensor& loss) { return loss.defined() ? loss.item<double>() : 0.0; }

}  // namespace

Losses ComputeLosses(const NetworkOutput& output, const LearnerBatch& batch,
                     const LearnerSettings& settings) {
  Losses losses;
  losses.log_policy = LogPolicy(output.policy, batch.moves);
  losses.policy = PolicyLoss(losses.log_policy, batch.moves);
  const torch::Tensor wdl = torch::log_softmax(output.wdl.to(torch::kFloat32), 1);
  losses.value = WeightedMean(-(batch.wdl * wdl).sum(1), batch.value_weight);
  losses.total = settings.policy_weight * losses.policy + settings.value_weight * losses.value;
  const torch::Tensor detached = losses.log_policy.detach();
  losses.entropy = -(detached.exp() * detached).sum(1).mean();
  if (!output.reply.defined()) return losses;

  namespace f = torch::nn::functional;
  losses.reply = PolicyLoss(LogPolicy(output.reply, batch.replies), batch.replies);
  losses.survival =
      WeightedMean(f::binary_cross_entropy_with_logits(
                       output.survival.to(torch::kFloat32), batch.survival,
                       f::BinaryCrossEntropyWithLogitsFuncOptions().reduction(torch::kNone)),
                   batch.survival_weight);
  losses.moves_left =
      WeightedMean(f::huber_loss(output.moves_left.to(torch::kFloat32), batch.moves_left,
                                 f::HuberLossFuncOptions().reduction(torch::kNone)),
                   batch.moves_left_weight);
  losses.total = losses.total + settings.reply_weight * losses.reply +
                 settings.survival_weight * losses.survival +
                 settings.moves_left_weight * losses.moves_left;
  return losses;
}

HeadLosses ToNumbers(const Losses& losses) {
  return {.policy = Number(losses.policy),
          .value = Number(losses.value),
          .reply = Number(losses.reply),
          .survival = Number(losses.survival),
          .moves_left = Number(losses.moves_left)};
}

Heads HeadsFor(const LearnerSettings& settings) {
  const bool any = settings.reply_weight > 0.0 || settings.survival_weight > 0.0 ||
                   settings.moves_left_weight > 0.0;
  return any ? Heads::kAll : Heads::kPlay;
}

}  // namespace khanzero
