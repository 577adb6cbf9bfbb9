// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner_core.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "env/games.h"
#include "model/checkpoint.h"
#include "model/cpu_features.h"
#include "model/inference.h"
#include "model/torch_compat.h"
#include "model/torch_switches.h"
#include "train/learner_losses.h"
#include "train/learner_optimizer.h"
#include "train/self_play.h"

namespace khanzero {

namespace {

// Moves `average` towards `network` by `share`: parameters and running statistics alike.
void MoveTowards(NetworkImpl& average, const NetworkImpl& network, double share) {
  const torch::NoGradGuard no_grad;
  const auto blend = [&](const std::vector<torch::Tensor>& to,
                         const std::vector<torch::Tensor>& by) {
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i].is_floating_point()) {
        to[i].lerp_(by[i], share);
      } else {
        to[i].copy_(by[i]);
      }
    }
  };
  blend(average.parameters(), network.parameters());
  blend(average.buffers(), network.buffers());
}

// Gradients summed over all learners, in one message.
void SumGradients(const NetworkImpl& network, LearnerGroup& group) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> gradients;
  std::vector<torch::Tensor> flat;
  for (const torch::Tensor& parameter : network.parameters()) {
    if (!parameter.grad().defined()) continue;
    gradients.push_back(parameter.grad());
    flat.push_back(parameter.grad().reshape({-1}));
  }
  torch::Tensor all = torch::cat(flat);
  group.Sum(all);
  int64_t begin = 0;
  for (torch::Tensor& gradient : gradients) {
    gradient.copy_(all.narrow(0, begin, gradient.numel()).view(gradient.sizes()));
    begin += gradient.numel();
  }
}

// Of a step, over the whole batch.
struct StepFigures {
  double total = 0.0;
  HeadLosses loss;
  double entropy = 0.0;
  bool stop = false;  // some learner is asked to stop
};

StepFigures FiguresOf(const Losses& losses, bool stop, LearnerGroup* group) {
  const HeadLosses own = ToNumbers(losses);
  std::array<double, 8> all = {losses.total.item<double>(),
                               own.policy,
                               own.value,
                               own.reply,
                               own.survival,
                               own.moves_left,
                               losses.entropy.item<double>(),
                               stop ? 1.0 : 0.0};
  if (group != nullptr) {
    torch::Tensor sums =
        torch::from_blob(all.data(), {static_cast<int64_t>(all.size())}, torch::kFloat64);
    group->Sum(sums);
  }
  return {.total = all[0],
          .loss = {.policy = all[1],
                   .value = all[2],
                   .reply = all[3],
                   .survival = all[4],
                   .moves_left = all[5]},
          .entropy = all[6],
          .stop = all[7] > 0.0};
}

bool UsesBf16(Precision precision) {
  if (precision == Precision::kBf16) CheckCpuCan(precision);
  return precision == Precision::kBf16 || (precision == Precision::kAuto && ThisCpu().bf16);
}

}  // namespace

bool LossWatch::Add(double loss, double leap) {
  if (!std::isfinite(loss)) return false;
  if (count_ == 0) recent_ = typical_ = loss;
  ++count_;
  recent_ += 0.1 * (loss - recent_);
  typical_ += 0.01 * (loss - typical_);
  return leap <= 0.0 || recent_ <= leap * typical_;
}

nlohmann::json LossWatch::ToJson() const {
  return {{"count", count_}, {"recent", recent_}, {"typical", typical_}};
}

void LossWatch::FromJson(const nlohmann::json& json) {
  json.at("count").get_to(count_);
  json.at("recent").get_to(recent_);
  json.at("typical").get_to(typical_);
}

void AddTo(HeadLosses& sum, const HeadLosses& losses, double weight) {
  sum.policy += weight * losses.policy;
  sum.value += weight * losses.value;
  sum.reply += weight * losses.reply;
  sum.survival += weight * losses.survival;
  sum.moves_left += weight * losses.moves_left;
}

LearnerCore::LearnerCore(const Config& configuration)
    : config(configuration),
      info(InfoOfGame(config.game)),
      bf16(UsesBf16(config.learner.precision)),
      heads(HeadsFor(config.learner)) {}

void LearnerCore::Take(Network net) {
  network = std::move(net);
  if (config.learner.ema_decay > 0.0) {
    averaged = Network(info.shape, config.network);
    RestoreWeights(*averaged, SerializeWeights(*network), "the network");
  }
  optimizer = MakeOptimizer(config.learner, *network);
}

void LearnerCore::Share(LearnerGroup& others, std::stop_token asked) {
  group = &others;
  stop = std::move(asked);
  network->ShareBatches(c10::make_intrusive<SumOverLearners>(
      [&others](torch::Tensor& tensor) { others.Sum(tensor); }));
}

void LearnerCore::ShareNoMore() {
  group = nullptr;
  network->ShareBatches({});
}

NetworkOutput LearnerCore::Forward(NetworkImpl& with, const LearnerBatch& batch, Heads of) const {
  if (!bf16) return with.forward(batch.planes, of);
  const AutocastGuard autocast(torch::kCPU, torch::kBFloat16);
  return with.forward(batch.planes, of);
}

bool LearnerCore::Step(const LearnerBatch& batch, double rate, Heads of, TrainingReport& sums) {
  SetLearningRate(*optimizer, rate);
  optimizer->zero_grad();
  const Losses losses = ComputeLosses(Forward(*network, batch, of), batch, config.learner);
  const StepFigures figures = FiguresOf(losses, stop.stop_requested(), group);
  stop_asked = figures.stop;
  if (!watch.Add(figures.total, config.learner.loss_leap)) return false;
  losses.total.backward();
  if (group != nullptr) SumGradients(*network, *group);
  const double limit = config.learner.gradient_clip > 0.0 ? config.learner.gradient_clip : 1e30;
  const double norm = torch::nn::utils::clip_grad_norm_(network->parameters(), limit);
  if (!std::isfinite(norm)) return false;
  optimizer->step();
  ++step;
  if (averaged) {
    const auto n = static_cast<double>(step);
    MoveTowards(*averaged, *network,
                1.0 - std::min(config.learner.ema_decay, (1.0 + n) / (10.0 + n)));
  }
  AddTo(sums.loss, figures.loss, 1.0);
  sums.policy_entropy += figures.entropy;
  sums.gradient_norm += norm;
  sums.learning_rate = rate;
  return true;
}

LearnerCore::Note LearnerCore::MakeNote() const {
  return {.trained = SerializeWeights(*network),
          .averaged = averaged ? SerializeWeights(*averaged) : std::string(),
          .optimizer = SerializeOptimizer(*optimizer),
          .step = step,
          .watch = watch};
}

void LearnerCore::GoBack(const Note& note) {
  RestoreWeights(*network, note.trained, "the noted weights");
  if (averaged) RestoreWeights(*averaged, note.averaged, "the noted average");
  RestoreOptimizer(*optimizer, note.optimizer);
  step = note.step;
  watch = note.watch;
}

void LearnerCore::UseThreads() const { SetTorchThreads(ThreadsFor(config.learner.threads)); }

}  // namespace khanzero
