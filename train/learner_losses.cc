// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner_losses.h"

#include <algorithm>

namespace khanzero {

namespace {

// This learner's part of a mean over the whole batch, whose weights sum to `total`.
torch::Tensor WeightedMean(const torch::Tensor& each, const torch::Tensor& weight, double total) {
  return (each * weight).sum() / std::max(1.0, total);
}

torch::Tensor LogPolicy(const torch::Tensor& logits, const MoveTargets& targets) {
  return torch::log_softmax(
      logits.to(torch::kFloat32).gather(1, targets.indices).masked_fill(targets.padding, -1e9), 1);
}

torch::Tensor PolicyLoss(const torch::Tensor& log_policy, const MoveTargets& targets,
                         double total) {
  return WeightedMean(-(targets.policy * log_policy).sum(1), targets.weight, total);
}

double Number(const torch::Tensor& loss) { return loss.defined() ? loss.item<double>() : 0.0; }

}  // namespace

Losses ComputeLosses(const NetworkOutput& output, const LearnerBatch& batch,
                     const LearnerSettings& settings) {
  Losses losses;
  losses.log_policy = LogPolicy(output.policy, batch.moves);
  losses.policy = PolicyLoss(losses.log_policy, batch.moves, batch.totals.moves);
  const torch::Tensor wdl = torch::log_softmax(output.wdl.to(torch::kFloat32), 1);
  losses.value = WeightedMean(-(batch.wdl * wdl).sum(1), batch.value_weight, batch.totals.value);
  losses.total = settings.policy_weight * losses.policy + settings.value_weight * losses.value;
  const torch::Tensor detached = losses.log_policy.detach();
  losses.entropy = -(detached.exp() * detached).sum() / batch.totals.samples;
  if (!output.reply.defined()) return losses;

  namespace f = torch::nn::functional;
  losses.reply =
      PolicyLoss(LogPolicy(output.reply, batch.replies), batch.replies, batch.totals.replies);
  losses.survival =
      WeightedMean(f::binary_cross_entropy_with_logits(
                       output.survival.to(torch::kFloat32), batch.survival,
                       f::BinaryCrossEntropyWithLogitsFuncOptions().reduction(torch::kNone)),
                   batch.survival_weight, batch.totals.survival);
  losses.moves_left =
      WeightedMean(f::huber_loss(output.moves_left.to(torch::kFloat32), batch.moves_left,
                                 f::HuberLossFuncOptions().reduction(torch::kNone)),
                   batch.moves_left_weight, batch.totals.moves_left);
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
