// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner_batch.h"

#include <algorithm>

#include "model/network.h"

namespace khanzero {

namespace {

// The value target of one sample into `out` [3]; returns its weight.
float FillValue(const TrainingSample& sample, const LearnerSettings& settings, float* out) {
  if (sample.capped && settings.capped_games == CappedGames::kSkip) {
    std::fill_n(out, 3, 1.0F / 3.0F);
    return 0.0F;
  }
  const auto share = static_cast<float>(settings.root_value_share);
  out[0] = share * sample.root.win + (1.0F - share) * sample.result.win;
  out[1] = share * sample.root.draw + (1.0F - share) * sample.result.draw;
  out[2] = share * sample.root.loss + (1.0F - share) * sample.result.loss;
  return 1.0F;
}

MoveTargets FillMoves(const std::vector<TrainingSample>& samples,
                      std::vector<uint16_t> TrainingSample::*indices,
                      std::vector<float> TrainingSample::*policy) {
  size_t most = 1;
  for (const TrainingSample& sample : samples) most = std::max(most, (sample.*indices).size());
  const auto size = static_cast<int64_t>(samples.size());
  const auto width = static_cast<int64_t>(most);
  MoveTargets targets = {.indices = torch::zeros({size, width}, torch::kInt64),
                         .padding = torch::ones({size, width}, torch::kBool),
                         .policy = torch::zeros({size, width}, torch::kFloat32),
                         .weight = torch::ones({size}, torch::kFloat32)};
  for (size_t i = 0; i < samples.size(); ++i) {
    const size_t row = i * most;
    const std::vector<uint16_t>& legal = samples[i].*indices;
    std::ranges::copy(legal, targets.indices.data_ptr<int64_t>() + row);
    std::fill_n(targets.padding.data_ptr<bool>() + row, legal.size(), false);
    std::ranges::copy(samples[i].*policy, targets.policy.data_ptr<float>() + row);
    if ((samples[i].*policy).empty()) targets.weight.data_ptr<float>()[i] = 0.0F;
  }
  return targets;
}

void FillAuxiliary(const std::vector<TrainingSample>& samples, const EncodingShape& shape,
                   LearnerBatch& batch) {
  const auto size = static_cast<int64_t>(samples.size());
  batch.replies = FillMoves(samples, &TrainingSample::reply_indices, &TrainingSample::reply_policy);
  batch.survival = torch::zeros({size, shape.squares()}, torch::kFloat32);
  batch.survival_weight = torch::zeros({size, shape.squares()}, torch::kFloat32);
  batch.moves_left = torch::zeros({size}, torch::kFloat32);
  batch.moves_left_weight = torch::zeros({size}, torch::kFloat32);
  for (size_t i = 0; i < samples.size(); ++i) {
    const TrainingSample& sample = samples[i];
    if (sample.capped) continue;
    const size_t row = i * sample.survival.size();
    for (size_t square = 0; square < sample.survival.size(); ++square) {
      if (sample.survival[square] < 0.0F) continue;
      batch.survival.data_ptr<float>()[row + square] = sample.survival[square];
      batch.survival_weight.data_ptr<float>()[row + square] = 1.0F;
    }
    batch.moves_left.data_ptr<float>()[i] = static_cast<float>(sample.plies_left / kMovesLeftUnit);
    batch.moves_left_weight.data_ptr<float>()[i] = 1.0F;
  }
}

double Sum(const torch::Tensor& weight) {
  return weight.defined() ? weight.sum().item<double>() : 0.0;
}

}  // namespace

LearnerBatch MakeLearnerBatch(const Replayer& replayer, const std::vector<SampleRef>& samples,
                              const LearnerSettings& settings, Targets targets, Random& random) {
  const EncodingShape& shape = replayer.info().shape;
  const auto size = static_cast<int64_t>(samples.size());
  LearnerBatch batch;
  // Channels last is [B, rank, file, plane] in memory, which is what Build() writes.
  const torch::Tensor planes =
      torch::empty({size, shape.ranks, shape.files, shape.input_planes}, torch::kFloat32);
  batch.wdl = torch::empty({size, 3}, torch::kFloat32);
  batch.value_weight = torch::empty({size}, torch::kFloat32);
  std::vector<TrainingSample> built(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    const Mirror mirror = settings.mirror && random.Below(2) == 1 ? Mirror::kYes : Mirror::kNo;
    const auto input_size = static_cast<size_t>(shape.input_size());
    replayer.Build(*samples[i].game, samples[i].sample, mirror, targets,
                   {planes.data_ptr<float>() + i * input_size, input_size}, built[i]);
    batch.value_weight.data_ptr<float>()[i] =
        FillValue(built[i], settings, batch.wdl.data_ptr<float>() + 3 * i);
  }
  batch.planes = planes.permute({0, 3, 1, 2});
  batch.moves = FillMoves(built, &TrainingSample::legal_indices, &TrainingSample::policy);
  if (targets == Targets::kAll) FillAuxiliary(built, shape, batch);
  batch.totals = {.samples = static_cast<double>(size),
                  .moves = Sum(batch.moves.weight),
                  .value = Sum(batch.value_weight),
                  .replies = Sum(batch.replies.weight),
                  .survival = Sum(batch.survival_weight),
                  .moves_left = Sum(batch.moves_left_weight)};
  return batch;
}

}  // namespace khanzero
