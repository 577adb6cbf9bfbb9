// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner.h"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <future>
#include <nlohmann/json.hpp>
#include <sstream>

#include "env/error.h"
#include "env/games.h"
#include "model/activation_ranges.h"
#include "model/cpu_features.h"
#include "model/inference.h"
#include "model/network.h"
#include "model/torch_compat.h"
#include "model/torch_switches.h"
#include "train/learner_batch.h"
#include "train/learner_calibration.h"
#include "train/learner_losses.h"
#include "train/learner_optimizer.h"
#include "train/self_play.h"

namespace khanzero {

namespace {

constexpr const char* kOptimizerFile = "optimizer.pt";
constexpr const char* kTrainedFile = "trained.safetensors";
constexpr const char* kLearnerFile = "learner.json";
constexpr const char* kLoopFile = "loop.json";
// How often the learner notes a state to go back to, and how often in a row it goes back.
// Enough for the ranges of activations, in a third of a second.
constexpr int kCalibrationPositions = 512;

constexpr int64_t kStepsBetweenNotes = 200;
constexpr int kMostReturns = 3;

std::string Serialize(const torch::optim::Optimizer& optimizer) {
  std::ostringstream stream;
  torch::save(optimizer, stream);
  return stream.str();
}

void Restore(torch::optim::Optimizer& optimizer, const std::string& bytes) {
  std::istringstream stream(bytes);
  torch::load(optimizer, stream);
}

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

// Sees a loss that is not finite, or whose recent average is far above its long one.
class LossWatch {
 public:
  // Says whether the loss is sane. `leap` 0: only finiteness counts.
  bool Add(double loss, double leap) {
    if (!std::isfinite(loss)) return false;
    if (count_ == 0) recent_ = typical_ = loss;
    ++count_;
    recent_ += 0.1 * (loss - recent_);
    typical_ += 0.01 * (loss - typical_);
    return leap <= 0.0 || recent_ <= leap * typical_;
  }
  nlohmann::json ToJson() const {
    return {{"count", count_}, {"recent", recent_}, {"typical", typical_}};
  }
  void FromJson(const nlohmann::json& json) {
    json.at("count").get_to(count_);
    json.at("recent").get_to(recent_);
    json.at("typical").get_to(typical_);
  }

 private:
  int64_t count_ = 0;
  double recent_ = 0.0;
  double typical_ = 0.0;
};

void AddTo(HeadLosses& sum, const HeadLosses& losses, double weight) {
  sum.policy += weight * losses.policy;
  sum.value += weight * losses.value;
  sum.reply += weight * losses.reply;
  sum.survival += weight * losses.survival;
  sum.moves_left += weight * losses.moves_left;
}

HeadLosses Mean(const HeadLosses& sum, double count) {
  HeadLosses mean;
  AddTo(mean, sum, 1.0 / count);
  return mean;
}

}  // namespace

struct Learner::Impl {
  // A batch, and the random stream after it was drawn.
  struct Drawn {
    LearnerBatch batch;
    Random random;
  };
  // A state to go back to. The random stream is not part of it: the same batches would do the same.
  struct Note {
    std::string trained;
    std::string averaged;
    std::string optimizer;
    int64_t step = 0;
    LossWatch watch;
    TrainingReport report;
    TrainingReport sums;
  };

  explicit Impl(const Config& c)
      : config(c), replayer(MakeReplayer(c.game)), info(replayer->info()), random(c.seed) {
    bf16 = UsesBf16(c.learner.precision);
    heads = HeadsFor(c.learner);
  }

  static bool UsesBf16(Precision precision) {
    if (precision == Precision::kBf16) CheckCpuCan(precision);
    return precision == Precision::kBf16 || (precision == Precision::kAuto && ThisCpu().bf16);
  }

  void UseThreads() const { SetTorchThreads(ThreadsFor(config.learner.threads)); }

  // The network that plays: the average, if there is one.
  NetworkImpl& shown() { return averaged ? *averaged : *network; }

  // Runs beside a step, in a thread of its own. With more of LibTorch's threads it would start a
  // team of them there, which takes cores from the step.
  Drawn DrawBatch(ReplayWindow& window, Random stream) const {
    SetTorchThreads(1);
    const LearnerSettings& settings = config.learner;
    const auto samples = window.Draw(ReplayWindow::Part::kTraining, settings.batch_size, stream);
    const Targets targets = heads == Heads::kAll ? Targets::kAll : Targets::kPlay;
    LearnerBatch batch = MakeLearnerBatch(*replayer, samples, settings, targets, stream);
    return {std::move(batch), stream};
  }

  NetworkOutput Forward(NetworkImpl& with, const LearnerBatch& batch, Heads of) const {
    if (!bf16) return with.forward(batch.planes, of);
    const AutocastGuard autocast(torch::kCPU, torch::kBFloat16);
    return with.forward(batch.planes, of);
  }

  // One optimiser step; says whether its loss was sane. Weights are left alone when it is not
  // finite.
  bool Step(const LearnerBatch& batch, double rate, Heads of, TrainingReport& sums) {
    SetLearningRate(*optimizer, rate);
    optimizer->zero_grad();
    const Losses losses = ComputeLosses(Forward(*network, batch, of), batch, config.learner);
    if (!watch.Add(losses.total.item<double>(), config.learner.loss_leap)) return false;
    losses.total.backward();
    const double limit = config.learner.gradient_clip > 0.0 ? config.learner.gradient_clip : 1e30;
    const double norm = torch::nn::utils::clip_grad_norm_(network->parameters(), limit);
    if (!std::isfinite(norm)) return false;
    optimizer->step();
    ++step;
    folded = nullptr;
    if (averaged) {
      const auto n = static_cast<double>(step);
      MoveTowards(*averaged, *network,
                  1.0 - std::min(config.learner.ema_decay, (1.0 + n) / (10.0 + n)));
    }
    AddTo(sums.loss, ToNumbers(losses), 1.0);
    sums.policy_entropy += losses.entropy.item<double>();
    sums.gradient_norm += norm;
    sums.learning_rate = rate;
    return true;
  }

  Note MakeNote(const TrainingReport& report, const TrainingReport& sums) const {
    return {.trained = SerializeWeights(*network),
            .averaged = averaged ? SerializeWeights(*averaged) : std::string(),
            .optimizer = Serialize(*optimizer),
            .step = step,
            .watch = watch,
            .report = report,
            .sums = sums};
  }
  void GoBack(const Note& note) {
    RestoreWeights(*network, note.trained, "the noted weights");
    if (averaged) RestoreWeights(*averaged, note.averaged, "the noted average");
    Restore(*optimizer, note.optimizer);
    step = note.step;
    folded = nullptr;
    watch = note.watch;
  }

  void MakeAverage() {
    if (config.learner.ema_decay <= 0.0) return;
    averaged = Network(info.shape, config.network);
    RestoreWeights(*averaged, SerializeWeights(*network), "the network");
  }

  Config config;
  std::unique_ptr<Replayer> replayer;
  GameInfo info;
  Network network{nullptr};   // the one that is trained
  Network averaged{nullptr};  // none when ema_decay is 0
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  Random random;
  LossWatch watch;
  int64_t step = 0;
  bool bf16 = false;
  Heads heads = Heads::kPlay;
  std::string loop_state;
  std::shared_ptr<const FoldedNetwork> folded;  // made by Folded(), until the next step
};

Learner::Learner(const Config& config) : impl_(std::make_unique<Impl>(config)) {
  SeedTorch(config.seed);
  impl_->network = Network(impl_->info.shape, config.network);
  impl_->MakeAverage();
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
  // The checkpoint's network is the average, where one was kept.
  impl_->network = Network(checkpoint.network);
  impl_->MakeAverage();
  if (const auto trained = checkpoint.extra.find(kTrainedFile); trained != checkpoint.extra.end()) {
    RestoreWeights(*impl_->network, trained->second, (path / kTrainedFile).string());
  }
  impl_->optimizer = MakeOptimizer(config.learner, *impl_->network);
  try {
    Restore(*impl_->optimizer, checkpoint.extra[kOptimizerFile]);
    const auto json = nlohmann::json::parse(checkpoint.extra[kLearnerFile]);
    impl_->step = json.at("step").get<int64_t>();
    impl_->random.set_state(json.at("random").get<Random::State>());
    if (json.contains("loss")) impl_->watch.FromJson(json.at("loss"));
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
  impl.UseThreads();
  impl.network->train();
  TrainingReport report;
  TrainingReport sums;
  Impl::Note note = impl.MakeNote(report, sums);
  int returns_in_row = 0;
  std::chrono::duration<double> waited{0.0};
  // The next batch is made while a step runs on the one before. Its random stream counts only once
  // the batch is used, so that training goes on from a checkpoint as if it had never stopped.
  const auto draw = [&] { return impl.DrawBatch(window, impl.random); };
  std::future<Impl::Drawn> next;
  while (report.steps < steps && !stop.stop_requested()) {
    if (!next.valid()) next = std::async(std::launch::async, draw);
    const auto before = std::chrono::steady_clock::now();
    Impl::Drawn drawn = next.get();
    waited += std::chrono::steady_clock::now() - before;
    impl.random = drawn.random;
    if (report.steps + 1 < steps) next = std::async(std::launch::async, draw);
    const double rate = LearningRate(settings, impl.step, progress);
    if (!impl.Step(drawn.batch, rate, impl.heads, sums)) {
      impl.GoBack(note);
      const int64_t returns = report.returns + 1;
      report = note.report;
      sums = note.sums;
      report.returns = returns;
      if (++returns_in_row > kMostReturns) {
        throw RuntimeFailure("training is broken: the loss was not finite or leapt " +
                             std::to_string(returns_in_row) + " times in a row from step " +
                             std::to_string(impl.step) +
                             ". The last checkpoint is good. Lower learner.learning_rate (it is " +
                             nlohmann::json(settings.learning_rate).dump() +
                             "), or look at the games with 'khanzero data check', and start again");
      }
      continue;
    }
    ++report.steps;
    report.samples += drawn.batch.size();
    const auto made = static_cast<double>(report.steps);
    report.loss = Mean(sums.loss, made);
    report.policy_entropy = sums.policy_entropy / made;
    report.gradient_norm = sums.gradient_norm / made;
    report.learning_rate = sums.learning_rate;
    report.waiting_seconds = waited.count();
    if (report.steps - note.report.steps >= kStepsBetweenNotes) {
      note = impl.MakeNote(report, sums);
      returns_in_row = 0;
    }
    on_step(report);
  }
  return report;
}

void Learner::RepeatBatch(ReplayWindow& window, LearnerHeads heads,
                          const std::function<bool(int64_t)>& on_step) {
  Impl& impl = *impl_;
  impl.UseThreads();
  impl.network->train();
  const LearnerBatch batch = std::async(std::launch::async, [&] {
                               return impl.DrawBatch(window, impl.random).batch;
                             }).get();
  const Heads of = heads == LearnerHeads::kPlay ? Heads::kPlay : impl.heads;
  TrainingReport unused;
  const Impl::Note note = impl.MakeNote(unused, unused);
  int64_t samples = 0;
  do {
    if (!impl.Step(batch, impl.config.learner.final_learning_rate, of, unused)) {
      throw RuntimeFailure("a batch that is repeated gave a loss that is not finite or leaps");
    }
    samples += batch.size();
  } while (on_step(samples));
  // Learned by heart, that batch would make every other one look like a leap.
  impl.GoBack(note);
}

ValidationReport Learner::Validate(ReplayWindow& window, int samples) {
  Impl& impl = *impl_;
  impl.UseThreads();
  const torch::NoGradGuard no_grad;
  NetworkImpl& network = impl.shown();
  network.eval();
  // A stream of its own: looking at the network must not change what is trained on next.
  Random random = Random::Stream(impl.config.seed, static_cast<uint64_t>(impl.step));
  const std::vector<SampleRef> all = window.Draw(ReplayWindow::Part::kValidation, samples, random);
  LearnerSettings plain = impl.config.learner;
  plain.mirror = false;
  const Targets targets = impl.heads == Heads::kAll ? Targets::kAll : Targets::kPlay;
  ValidationReport report;
  HeadLosses sums;
  Calibration calibration;
  double with_policy = 0.0;  // samples that have a policy target
  double policy_loss = 0.0;  // summed over them
  const auto batch_size = static_cast<size_t>(plain.batch_size);
  for (size_t begin = 0; begin < all.size(); begin += batch_size) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last =
        all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), begin + batch_size));
    const LearnerBatch batch =
        MakeLearnerBatch(*impl.replayer, {first, last}, plain, targets, random);
    const NetworkOutput output = impl.Forward(network, batch, impl.heads);
    const Losses losses = ComputeLosses(output, batch, plain);
    const auto size = static_cast<double>(batch.size());
    report.samples += batch.size();
    AddTo(sums, ToNumbers(losses), size);
    report.policy_entropy += size * losses.entropy.item<double>();
    const torch::Tensor target = batch.moves.policy;
    const auto having = batch.moves.weight.sum().item<double>();
    with_policy += having;
    policy_loss += having * losses.policy.item<double>();
    report.policy_divergence +=
        having * losses.policy.item<double>() + torch::xlogy(target, target).sum().item<double>();
    report.top_move_agreement +=
        (losses.log_policy.argmax(1).eq(target.argmax(1)) * batch.moves.weight)
            .sum()
            .item<double>();
    calibration.Add(torch::softmax(output.wdl.to(torch::kFloat32), 1), batch.wdl);
  }
  const auto total = static_cast<double>(std::max<int64_t>(1, report.samples));
  report.loss = Mean(sums, total);
  const double searched = std::max(1.0, with_policy);
  report.loss.policy = policy_loss / searched;
  report.policy_entropy /= total;
  report.policy_divergence /= searched;
  report.top_move_agreement /= searched;
  report.calibration_error = calibration.error();
  return report;
}

std::shared_ptr<const FoldedNetwork> Learner::Folded(ReplayWindow& window) const {
  std::shared_ptr<const FoldedNetwork>& folded = impl_->folded;
  if (folded == nullptr) folded = Fold(impl_->shown());
  if (folded->calibrated() || window.training_positions() == 0) return folded;
  // A stream of its own: what the learner draws must not depend on who asks for the network.
  Random random(static_cast<uint64_t>(impl_->step));
  const auto samples = window.Draw(ReplayWindow::Part::kTraining, kCalibrationPositions, random);
  const LearnerBatch batch =
      MakeLearnerBatch(*impl_->replayer, samples, impl_->config.learner, Targets::kPlay, random);
  const torch::Tensor planes = batch.planes.permute({0, 2, 3, 1}).contiguous();
  folded = Calibrate(*folded, {planes.data_ptr<float>(), static_cast<size_t>(planes.numel())});
  return folded;
}

void Learner::Save(const std::filesystem::path& path, const CheckpointInfo& info,
                   const FoldedNetwork& folded, const std::string& loop_state) const {
  const nlohmann::json learner = {
      {"step", impl_->step}, {"random", impl_->random.state()}, {"loss", impl_->watch.ToJson()}};
  ExtraFiles extra = {{kOptimizerFile, Serialize(*impl_->optimizer)},
                      {kLearnerFile, learner.dump(2)},
                      {kLoopFile, loop_state}};
  if (folded.calibrated()) extra[kActivationRangesFile] = SerializeActivationRanges(folded);
  if (impl_->averaged) extra[kTrainedFile] = SerializeWeights(*impl_->network);
  SaveCheckpoint(path, info, impl_->shown(), extra);
}

int64_t Learner::step() const { return impl_->step; }

int64_t Learner::parameter_count() const {
  int64_t count = 0;
  for (const torch::Tensor& parameter : impl_->network->parameters()) count += parameter.numel();
  return count;
}

const std::string& Learner::loop_state() const { return impl_->loop_state; }

}  // namespace khanzero
