// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/error.h"
#include "model/torch_backend.h"

namespace khanzero {
namespace {

[[noreturn]] void Refuse(const InferenceSettings& settings) {
  throw InputError("this program was started without LibTorch, which device '" + settings.device +
                   "' with this backend and precision needs; use device cpu with backend onednn");
}

}  // namespace

bool TorchHasGpu() { return false; }

std::unique_ptr<Evaluator> MakeTorchEvaluator(std::shared_ptr<const FoldedNetwork> /*network*/,
                                              const InferenceSettings& settings) {
  Refuse(settings);
}

InferenceFacts DescribeTorch(const InferenceSettings& settings) { Refuse(settings); }

}  // namespace khanzero
