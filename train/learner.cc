// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>

#include "env/error.h"
#include "model/activation_ranges.h"
#include "model/inference.h"
#include "model/network.h"
#include "model/torch_switches.h"
#include "train/learner_batch.h"
#include "train/learner_calibration.h"
#include "train/learner_core.h"
#include "train/learner_losses.h"
#include "train/learner_optimizer.h"
#include "train/learner_share.h"
#include "train/training_files.h"

namespace khanzero {

namespace {

// Enough for the ranges of activations, in a third of a second.
constexpr int kCalibrationPositions = 512;

// How often the learner notes a state to go back to, and how often in a row it goes back.
constexpr int64_t kStepsBetweenNotes = 200;
constexpr int kMostReturns = 3;

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
    std::vector<std::string> shares;  // of the learners that follow this one, packed
    Random random;
  };
  explicit Impl(const Config& c) : core(c), replayer(MakeReplayer(c.game)), random(c.seed) {}

  int SamplesAStep() const {
    return core.config.learner.batch_size * (group ? group->place().learners : 1);
  }

  // Runs beside a step, in a thread of its own. With more of LibTorch's threads it would start a
  // team of them there, which takes cores from the step.
  Drawn DrawBatch(ReplayWindow& window, Random stream) const {
    SetTorchThreads(1);
    const auto samples = window.Draw(ReplayWindow::Part::kTraining, SamplesAStep(), stream);
    const Targets targets = core.heads == Heads::kAll ? Targets::kAll : Targets::kPlay;
    LearnerBatch batch = MakeLearnerBatch(*replayer, samples, core.config.learner, targets, stream);
    std::vector<std::string> shares;
    if (group) {
      const int learners = group->place().learners;
      for (int rank = 1; rank < learners; ++rank) {
        shares.push_back(PackBatch(ShareOf(batch, rank, learners)));
      }
      batch = ShareOf(batch, 0, learners);
    }
    return {std::move(batch), std::move(shares), stream};
  }

  LearnerCore core;
  std::unique_ptr<Replayer> replayer;
  Random random;
  std::string loop_state;
  std::string origin;
  std::shared_ptr<const FoldedNetwork> folded;  // made by Folded(), until the next step

  // Where several learners share each step.
  std::unique_ptr<LearnerGroup> group;
  std::unique_ptr<LearnerLead> lead;
  std::stop_source stop{std::nostopstate};
};

Learner::Learner(const Config& config) : impl_(std::make_unique<Impl>(config)) {
  SeedTorch(config.seed);
  impl_->core.Take(Network(impl_->core.info.shape, config.network));
}

Learner::Learner(const Config& config, const std::filesystem::path& path)
    : impl_(std::make_unique<Impl>(config)) {
  Checkpoint checkpoint = LoadCheckpoint(path, &impl_->core.info);
  if (!(checkpoint.info.network == config.network)) {
    throw InputError("checkpoint '" + path.string() + "' has another network (" +
                     Text(checkpoint.info.network) + ") than the configuration (" +
                     Text(config.network) + ")");
  }
  for (const char* const file : {kOptimizerFile, kLearnerFile, kLoopFile}) {
    if (!checkpoint.extra.contains(file)) {
      throw InputError("checkpoint '" + path.string() + "' has no training state (" + file +
                       " is missing), so training cannot go on from it");
    }
  }
  // The checkpoint's network is the average, where one was kept.
  LearnerCore& core = impl_->core;
  core.Take(Network(checkpoint.network));
  if (const auto trained = checkpoint.extra.find(kTrainedFile); trained != checkpoint.extra.end()) {
    RestoreWeights(*core.network, trained->second, (path / kTrainedFile).string());
  }
  try {
    RestoreOptimizer(*core.optimizer, checkpoint.extra[kOptimizerFile]);
    const auto json = nlohmann::json::parse(checkpoint.extra[kLearnerFile]);
    core.step = json.at("step").get<int64_t>();
    impl_->random.set_state(json.at("random").get<Random::State>());
    if (json.contains("loss")) core.watch.FromJson(json.at("loss"));
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
  impl_->origin = checkpoint.info.origin;
}

Learner::~Learner() = default;

TrainingReport Learner::Train(ReplayWindow& window, int64_t steps, double progress,
                              std::stop_token stop,
                              const std::function<void(const TrainingReport&)>& on_step) {
  Impl& impl = *impl_;
  LearnerCore& core = impl.core;
  const LearnerSettings& settings = core.config.learner;
  core.UseThreads();
  core.network->train();
  TrainingReport report;
  TrainingReport sums;
  // The random stream is not part of it: the same batches would do the same.
  struct {
    LearnerCore::Note state;
    TrainingReport report;
    TrainingReport sums;
  } note = {core.MakeNote(), report, sums};
  if (impl.lead) impl.lead->Begin(core.config, note.state);
  int returns_in_row = 0;
  std::chrono::duration<double> waited{0.0};
  // The next batch is made while a step runs on the one before. Its random stream counts only once
  // the batch is used, so that training goes on from a checkpoint as if it had never stopped.
  const auto draw = [&] { return impl.DrawBatch(window, impl.random); };
  std::future<Impl::Drawn> next;
  while (report.steps < steps && !stop.stop_requested() && !core.stop_asked) {
    if (!next.valid()) next = std::async(std::launch::async, draw);
    const auto before = std::chrono::steady_clock::now();
    Impl::Drawn drawn = next.get();
    waited += std::chrono::steady_clock::now() - before;
    impl.random = drawn.random;
    if (report.steps + 1 < steps) next = std::async(std::launch::async, draw);
    const double rate = LearningRate(settings, core.step, progress);
    if (impl.lead) impl.lead->Step(drawn.shares, rate);
    impl.folded = nullptr;
    const bool sane = core.Step(drawn.batch, rate, core.heads, sums);
    if (core.stop_asked) impl.stop.request_stop();
    if (!sane) {
      core.GoBack(note.state);
      if (impl.lead) impl.lead->GoBack();
      const int64_t returns = report.returns + 1;
      report = note.report;
      sums = note.sums;
      report.returns = returns;
      if (++returns_in_row > kMostReturns) {
        throw RuntimeFailure("training is broken: the loss was not finite or leapt " +
                             std::to_string(returns_in_row) + " times in a row from step " +
                             std::to_string(core.step) +
                             ". The last checkpoint is good. Lower learner.learning_rate (it is " +
                             nlohmann::json(settings.learning_rate).dump() +
                             "), or look at the games with 'khanzero data check', and start again");
      }
      continue;
    }
    ++report.steps;
    report.samples += static_cast<int64_t>(drawn.batch.totals.samples);
    const auto made = static_cast<double>(report.steps);
    report.loss = Mean(sums.loss, made);
    report.policy_entropy = sums.policy_entropy / made;
    report.gradient_norm = sums.gradient_norm / made;
    report.learning_rate = sums.learning_rate;
    report.waiting_seconds = waited.count();
    if (report.steps - note.report.steps >= kStepsBetweenNotes) {
      note = {core.MakeNote(), report, sums};
      if (impl.lead) impl.lead->Note();
      returns_in_row = 0;
    }
    on_step(report);
  }
  if (impl.lead) impl.lead->Rest();
  return report;
}

void Learner::RepeatBatch(ReplayWindow& window, LearnerHeads heads,
                          const std::function<bool(int64_t)>& on_step) {
  Impl& impl = *impl_;
  LearnerCore& core = impl.core;
  Check(!impl.group, "a repeated batch is for one learner");
  core.UseThreads();
  core.network->train();
  const LearnerBatch batch = std::async(std::launch::async, [&] {
                               return impl.DrawBatch(window, impl.random).batch;
                             }).get();
  const Heads of = heads == LearnerHeads::kPlay ? Heads::kPlay : core.heads;
  TrainingReport unused;
  const LearnerCore::Note note = core.MakeNote();
  int64_t samples = 0;
  impl.folded = nullptr;
  do {
    if (!core.Step(batch, core.config.learner.final_learning_rate, of, unused)) {
      throw RuntimeFailure("a batch that is repeated gave a loss that is not finite or leaps");
    }
    samples += batch.size();
  } while (on_step(samples));
  // Learned by heart, that batch would make every other one look like a leap.
  core.GoBack(note);
}

ValidationReport Learner::Validate(ReplayWindow& window, int samples) {
  Impl& impl = *impl_;
  impl.core.UseThreads();
  const torch::NoGradGuard no_grad;
  NetworkImpl& network = impl.core.shown();
  network.eval();
  // A stream of its own: looking at the network must not change what is trained on next.
  Random random = Random::Stream(impl.core.config.seed, static_cast<uint64_t>(impl.core.step));
  const std::vector<SampleRef> all = window.Draw(ReplayWindow::Part::kValidation, samples, random);
  LearnerSettings plain = impl.core.config.learner;
  plain.mirror = false;
  const Targets targets = impl.core.heads == Heads::kAll ? Targets::kAll : Targets::kPlay;
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
    const NetworkOutput output = impl.core.Forward(network, batch, impl.core.heads);
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
  if (folded == nullptr) folded = Fold(impl_->core.shown());
  if (folded->calibrated() || window.training_positions() == 0) return folded;
  // A stream of its own: what the learner draws must not depend on who asks for the network.
  Random random(static_cast<uint64_t>(impl_->core.step));
  const auto samples = window.Draw(ReplayWindow::Part::kTraining, kCalibrationPositions, random);
  const LearnerBatch batch = MakeLearnerBatch(*impl_->replayer, samples, impl_->core.config.learner,
                                              Targets::kPlay, random);
  const torch::Tensor planes = batch.planes.permute({0, 2, 3, 1}).contiguous();
  folded = Calibrate(*folded, {planes.data_ptr<float>(), static_cast<size_t>(planes.numel())});
  return folded;
}

void Learner::Save(const std::filesystem::path& path, const CheckpointInfo& info,
                   const FoldedNetwork& folded, const std::string& loop_state) const {
  const nlohmann::json learner = {{"step", impl_->core.step},
                                  {"random", impl_->random.state()},
                                  {"loss", impl_->core.watch.ToJson()}};
  ExtraFiles extra = {{kOptimizerFile, SerializeOptimizer(*impl_->core.optimizer)},
                      {kLearnerFile, learner.dump(2)},
                      {kLoopFile, loop_state}};
  if (folded.calibrated()) extra[kActivationRangesFile] = SerializeActivationRanges(folded);
  if (impl_->core.averaged) extra[kTrainedFile] = SerializeWeights(*impl_->core.network);
  SaveCheckpoint(path, info, impl_->core.shown(), extra);
}

bool Learner::Lead(const LearnerPlace& place, const std::stop_source& stop,
                   const std::function<void(const std::string&)>& say) {
  Check(place.rank == 0 && !impl_->group, "the first of several learners, once");
  impl_->group = JoinLearners(place, stop.get_token(), say);
  if (!impl_->group) return false;
  impl_->stop = stop;
  impl_->core.Share(*impl_->group, stop.get_token());
  impl_->lead = std::make_unique<LearnerLead>(*impl_->group);
  return true;
}

void Learner::Dismiss() {
  if (!impl_->lead) return;
  impl_->lead->End();
  impl_->core.ShareNoMore();
  impl_->lead = nullptr;
  impl_->group = nullptr;
}

int64_t Learner::samples_a_step() const { return impl_->SamplesAStep(); }

int64_t Learner::step() const { return impl_->core.step; }

int64_t Learner::parameter_count() const {
  int64_t count = 0;
  for (const torch::Tensor& parameter : impl_->core.network->parameters())
    count += parameter.numel();
  return count;
}

const std::string& Learner::loop_state() const { return impl_->loop_state; }

const std::string& Learner::origin() const { return impl_->origin; }

}  // namespace khanzero
