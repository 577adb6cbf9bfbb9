// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner_batch.h"

#include <algorithm>

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

}  // namespace

LearnerBatch MakeLearnerBatch(const Replayer& replayer, const std::vector<SampleRef>& samples,
                              const LearnerSettings& settings, Random& random) {
  const EncodingShape& shape = replayer.info().shape;
  const auto size = static_cast<int64_t>(samples.size());
  LearnerBatch batch;
  // Channels last is [B, rank, file, plane] in memory, which is what Build() writes.
  const torch::Tensor planes =
      torch::empty({size, shape.ranks, shape.files, shape.input_planes}, torch::kFloat32);
  batch.wdl = torch::empty({size, 3}, torch::kFloat32);
  batch.value_weight = torch::empty({size}, torch::kFloat32);
  std::vector<TrainingSample> built(samples.size());
  size_t most_moves = 1;
  for (size_t i = 0; i < samples.size(); ++i) {
    const Mirror mirror = settings.mirror && random.Below(2) == 1 ? Mirror::kYes : Mirror::kNo;
    const auto input_size = static_cast<size_t>(shape.input_size());
    replayer.Build(*samples[i].game, samples[i].sample, mirror,
                   {planes.data_ptr<float>() + i * input_size, input_size}, built[i]);
    batch.value_weight.data_ptr<float>()[i] =
        FillValue(built[i], settings, batch.wdl.data_ptr<float>() + 3 * i);
    most_moves = std::max(most_moves, built[i].legal_indices.size());
  }
  batch.planes = planes.permute({0, 3, 1, 2});

  const auto width = static_cast<int64_t>(most_moves);
  batch.move_indices = torch::zeros({size, width}, torch::kInt64);
  batch.move_padding = torch::ones({size, width}, torch::kBool);
  batch.policy = torch::zeros({size, width}, torch::kFloat32);
  for (size_t i = 0; i < samples.size(); ++i) {
    const size_t row = i * most_moves;
    const TrainingSample& sample = built[i];
    std::ranges::copy(sample.legal_indices, batch.move_indices.data_ptr<int64_t>() + row);
    std::fill_n(batch.move_padding.data_ptr<bool>() + row, sample.legal_indices.size(), false);
    std::ranges::copy(sample.policy, batch.policy.data_ptr<float>() + row);
  }
  return batch;
}

}  // namespace khanzero
