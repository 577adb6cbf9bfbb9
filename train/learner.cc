// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner.h"

#include <torch/torch.h>

#include <cmath>
#include <future>
#include <nlohmann/json.hpp>
#include <sstream>

#include "env/error.h"
#include "env/games.h"
#include "model/inference.h"
#include "model/network.h"
#include "model/torch_compat.h"
#include "train/learner_batch.h"
#include "train/self_play.h"

namespace khanzero {

namespace {

constexpr const char* kOptimizerFile = "optimizer.pt";
constexpr const char* kLearnerFile = "learner.json";
constexpr const char* kLoopFile = "loop.json";
// So many steps in a row without a finite loss mean that training is broken.
constexpr int kMostSkippedInRow = 20;

// Weights of convolutions and linear layers decay; norms and biases do not.
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

void SetLearningRate(torch::optim::Optimizer& optimizer, double rate) {
  for (auto& group : optimizer.param_groups()) group.options().set_lr(rate);
}

// Rises over the warm-up, then falls as half a cosine with the run's progress.
double LearningRate(const LearnerSettings& settings, int64_t step, double progress) {
  constexpr double kPi = 3.14159265358979323846;
  const double spent = std::min(1.0, std::max(0.0, progress));
  const double rate =
      settings.final_learning_rate +
      (settings.learning_rate - settings.final_learning_rate) * 0.5 * (1.0 + std::cos(kPi * spent));
  if (step >= settings.warmup_steps) return rate;
  return rate * static_cast<double>(step + 1) / static_cast<double>(settings.warmup_steps);
}

struct Losses {
  torch::Tensor policy;
  torch::Tensor value;
  torch::Tensor entropy;
  torch::Tensor log_policy;  // [B, most moves], over legal moves only
};

// Policy cross-entropy over the legal moves (an illegal one has probability 0 and gets no
// gradient), and win/draw/loss cross-entropy over the samples that have a value.
Losses ComputeLosses(const NetworkOutput& output, const LearnerBatch& batch) {
  Losses losses;
  const torch::Tensor legal = output.policy.to(torch::kFloat32)
                                  .gather(1, batch.move_indices)
                                  .masked_fill(batch.move_padding, -1e9);
  losses.log_policy = torch::log_softmax(legal, 1);
  losses.policy = -(batch.policy * losses.log_policy).sum(1).mean();
  const torch::Tensor wdl = torch::log_softmax(output.wdl.to(torch::kFloat32), 1);
  const torch::Tensor each = -(batch.wdl * wdl).sum(1) * batch.value_weight;
  losses.value = each.sum() / batch.value_weight.sum().clamp_min(1.0);
  const torch::Tensor detached = losses.log_policy.detach();
  losses.entropy = -(detached.exp() * detached).sum(1).mean();
  return losses;
}

}  // namespace

struct Learner::Impl {
  explicit Impl(const Config& c)
      : config(c), replayer(MakeReplayer(c.game)), info(replayer->info()), random(c.seed) {
    bf16 = UsesBf16(c.learner.precision);
  }

  static bool UsesBf16(Precision precision) {
    InferenceSettings settings;
    settings.precision = precision;
    settings.device = "cpu";
    return DescribeInference(settings).precision == "bf16";
  }

  LearnerBatch DrawBatch(ReplayWindow& window) {
    const LearnerSettings& settings = config.learner;
    return MakeLearnerBatch(*replayer,
                            window.Draw(ReplayWindow::Part::kTraining, settings.batch_size, random),
                            settings, random);
  }

  NetworkOutput Forward(const LearnerBatch& batch) {
    if (!bf16) return network->forward(batch.planes);
    const AutocastGuard autocast(torch::kCPU, torch::kBFloat16);
    return network->forward(batch.planes);
  }

  // One optimiser step; says whether it was made.
  bool Step(const LearnerBatch& batch, double rate, TrainingReport& report) {
    SetLearningRate(*optimizer, rate);
    optimizer->zero_grad();
    const Losses losses = ComputeLosses(Forward(batch), batch);
    const torch::Tensor loss =
        config.learner.policy_weight * losses.policy + config.learner.value_weight * losses.value;
    const double value = loss.item<double>();
    if (!std::isfinite(value)) return false;
    loss.backward();
    const double limit = config.learner.gradient_clip > 0.0 ? config.learner.gradient_clip : 1e30;
    const double norm = torch::nn::utils::clip_grad_norm_(network->parameters(), limit);
    if (!std::isfinite(norm)) return false;
    optimizer->step();
    report.policy_loss += losses.policy.item<double>();
    report.value_loss += losses.value.item<double>();
    report.policy_entropy += losses.entropy.item<double>();
    report.gradient_norm += norm;
    report.learning_rate = rate;
    return true;
  }

  Config config;
  std::unique_ptr<Replayer> replayer;
  GameInfo info;
  Network network{nullptr};
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  Random random;
  int64_t step = 0;
  bool bf16 = false;
  std::string loop_state;
};

Learner::Learner(const Config& config) : impl_(std::make_unique<Impl>(config)) {
  SeedTorch(config.seed);
  impl_->network = Network(impl_->info.shape, config.network);
  impl_->optimizer = MakeOptimizer(config.learner, *impl_->network);
}

Learner::Learner(const Config& config, const std::filesystem::path& path)
    : impl_(std::make_unique<Impl>(config)) {
  Checkpoint checkpoint = LoadCheckpoint(path, &impl_->info);
  if (!(checkpoint.info.network == config.network)) {
    throw InputError("checkpoint '" + path.string() + "' has a network of another size (" +
                     std::to_string(checkpoint.info.network.blocks) + " blocks of " +
                     std::to_string(checkpoint.info.network.channels) +
                     " channels) than the configuration (" + std::to_string(config.network.blocks) +
                     " blocks of " + std::to_string(config.network.channels) + " channels)");
  }
  for (const char* const file : {kOptimizerFile, kLearnerFile, kLoopFile}) {
    if (!checkpoint.extra.contains(file)) {
      throw InputError("checkpoint '" + path.string() + "' has no training state (" + file +
                       " is missing), so training cannot go on from it");
    }
  }
  impl_->network = Network(checkpoint.network);
  impl_->optimizer = MakeOptimizer(config.learner, *impl_->network);
  try {
    std::istringstream stream(checkpoint.extra[kOptimizerFile]);
    torch::load(*impl_->optimizer, stream);
    const auto json = nlohmann::json::parse(checkpoint.extra[kLearnerFile]);
    impl_->step = json.at("step").get<int64_t>();
    impl_->random.set_state(json.at("random").get<Random::State>());
  } catch (const c10::Error& e) {
    throw InputError(
        "checkpoint '" + path.string() +
        "': the optimiser's state does not fit (was the optimizer setting changed?): " +
        e.what_without_backtrace());
  } catch (const nlohmann::json::exception& e) {
    throw InputError("checkpoint '" + path.string() + "': " + kLearnerFile +
                     " is damaged: " + e.what());
  }
  impl_->loop_state = checkpoint.extra[kLoopFile];
}

Learner::~Learner() = default;

TrainingReport Learner::Train(ReplayWindow& window, int64_t steps, double progress,
                              std::stop_token stop,
                              const std::function<void(const TrainingReport&)>& on_step) {
  Impl& impl = *impl_;
  const LearnerSettings& settings = impl.config.learner;
  SetTorchThreads(ThreadsFor(settings.threads));
  impl.network->train();
  const auto draw = [&] { return impl.DrawBatch(window); };
  TrainingReport report;
  TrainingReport sums;
  int skipped_in_row = 0;
  // The next batch is made while a step runs on the one before; never two at once, so the random
  // stream stays in order.
  std::future<LearnerBatch> next = std::async(std::launch::async, draw);
  for (int64_t i = 0; i < steps && !stop.stop_requested(); ++i) {
    const LearnerBatch batch = next.get();
    if (i + 1 < steps) next = std::async(std::launch::async, draw);
    if (impl.Step(batch, LearningRate(settings, impl.step, progress), sums)) {
      skipped_in_row = 0;
    } else {
      ++report.skipped_steps;
      if (++skipped_in_row >= kMostSkippedInRow) {
        throw RuntimeFailure("training is broken: " + std::to_string(skipped_in_row) +
                             " steps in a row gave no finite loss or gradient; the last checkpoint "
                             "is good, lower learner.learning_rate and start again");
      }
    }
    ++impl.step;
    ++report.steps;
    report.samples += batch.size();
    const auto made =
        static_cast<double>(std::max<int64_t>(1, report.steps - report.skipped_steps));
    report.policy_loss = sums.policy_loss / made;
    report.value_loss = sums.value_loss / made;
    report.policy_entropy = sums.policy_entropy / made;
    report.gradient_norm = sums.gradient_norm / made;
    report.learning_rate = sums.learning_rate;
    on_step(report);
  }
  return report;
}

void Learner::RepeatBatch(ReplayWindow& window, const std::function<bool(int64_t)>& on_step) {
  const LearnerSettings& settings = impl_->config.learner;
  SetTorchThreads(ThreadsFor(settings.threads));
  impl_->network->train();
  const LearnerBatch batch = impl_->DrawBatch(window);
  TrainingReport unused;
  int64_t samples = 0;
  do {
    impl_->Step(batch, settings.final_learning_rate, unused);
    samples += batch.size();
  } while (on_step(samples));
}

ValidationReport Learner::Validate(ReplayWindow& window, int samples) {
  Impl& impl = *impl_;
  const LearnerSettings& settings = impl.config.learner;
  SetTorchThreads(ThreadsFor(settings.threads));
  const torch::NoGradGuard no_grad;
  impl.network->eval();
  // A stream of its own: looking at the network must not change what is trained on next.
  Random random = Random::Stream(impl.config.seed, static_cast<uint64_t>(impl.step));
  const std::vector<SampleRef> all = window.Draw(ReplayWindow::Part::kValidation, samples, random);
  LearnerSettings plain = settings;
  plain.mirror = false;
  ValidationReport report;
  const auto batch_size = static_cast<size_t>(settings.batch_size);
  for (size_t begin = 0; begin < all.size(); begin += batch_size) {
    const size_t end = std::min(all.size(), begin + batch_size);
    const LearnerBatch batch = MakeLearnerBatch(*impl.replayer,
                                                {all.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 all.begin() + static_cast<std::ptrdiff_t>(end)},
                                                plain, random);
    const Losses losses = ComputeLosses(impl.Forward(batch), batch);
    const auto size = static_cast<double>(batch.size());
    report.samples += batch.size();
    report.policy_loss += size * losses.policy.item<double>();
    report.value_loss += size * losses.value.item<double>();
    report.top_move_agreement +=
        losses.log_policy.argmax(1).eq(batch.policy.argmax(1)).sum().item<double>();
  }
  const auto total = static_cast<double>(std::max<int64_t>(1, report.samples));
  report.policy_loss /= total;
  report.value_loss /= total;
  report.top_move_agreement /= total;
  return report;
}

std::shared_ptr<const FoldedNetwork> Learner::Folded() const { return Fold(*impl_->network); }

void Learner::Save(const std::filesystem::path& path, const CheckpointInfo& info,
                   const std::string& loop_state) const {
  std::ostringstream optimizer;
  torch::save(*impl_->optimizer, optimizer);
  const nlohmann::json learner = {{"step", impl_->step}, {"random", impl_->random.state()}};
  SaveCheckpoint(path, info, *impl_->network,
                 {{kOptimizerFile, optimizer.str()},
                  {kLearnerFile, learner.dump(2)},
                  {kLoopFile, loop_state}});
}

int64_t Learner::step() const { return impl_->step; }

int64_t Learner::parameter_count() const {
  int64_t count = 0;
  for (const torch::Tensor& parameter : impl_->network->parameters()) count += parameter.numel();
  return count;
}

const std::string& Learner::loop_state() const { return impl_->loop_state; }

}  // namespace khanzero
