// SPDX-License-Identifier: GPL-3.0-or-later
//
// What learns, and one step of it: the network, its average, the optimiser and the watch over the
// loss. The learner of the loop has one, and so has each that follows it; for learners alone.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>

#include "env/game_info.h"
#include "model/network.h"
#include "train/config.h"
#include "train/learner.h"
#include "train/learner_batch.h"
#include "train/learner_group.h"

namespace khanzero {

// Sees a loss that is not finite, or whose recent average is far above its long one.
class LossWatch {
 public:
  // Says whether the loss is sane. `leap` 0: only finiteness counts.
  bool Add(double loss, double leap);

  nlohmann::json ToJson() const;
  void FromJson(const nlohmann::json& json);

 private:
  int64_t count_ = 0;
  double recent_ = 0.0;
  double typical_ = 0.0;
};

// `sum` += `weight` * `losses`.
void AddTo(HeadLosses& sum, const HeadLosses& losses, double weight);

struct LearnerCore {
  // A state to go back to.
  struct Note {
    std::string trained;
    std::string averaged;
    std::string optimizer;
    int64_t step = 0;
    LossWatch watch;
  };

  // Without a network yet. Throws InputError for a precision that the processor lacks.
  explicit LearnerCore(const Config& configuration);

  // Takes `net` to train, as it is, with a new optimiser and, where one is kept, a new average.
  void Take(Network net);

  // From here on each batch is a share of one, and every step is made by all of `others`.
  void Share(LearnerGroup& others, std::stop_token asked);
  void ShareNoMore();

  // The network that plays: the average, if there is one.
  NetworkImpl& shown() { return averaged ? *averaged : *network; }

  NetworkOutput Forward(NetworkImpl& with, const LearnerBatch& batch, Heads of) const;

  // One optimiser step; says whether its loss was sane, for all learners alike. Weights are left
  // alone when it is not finite. Adds the step's figures, those of the whole batch, to `sums`.
  bool Step(const LearnerBatch& batch, double rate, Heads of, TrainingReport& sums);

  Note MakeNote() const;
  void GoBack(const Note& note);

  // Intra-op threads of the calling thread, as configured.
  void UseThreads() const;

  Config config;
  GameInfo info;
  Network network{nullptr};   // the one that is trained
  Network averaged{nullptr};  // none when ema_decay is 0
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  LossWatch watch;
  int64_t step = 0;
  bool bf16 = false;
  Heads heads = Heads::kPlay;

  LearnerGroup* group = nullptr;
  std::stop_token stop;     // of this learner
  bool stop_asked = false;  // of any learner, as the last step heard
};

}  // namespace khanzero
