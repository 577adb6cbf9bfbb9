// SPDX-License-Identifier: GPL-3.0-or-later
//
// The choice of backend and precision. No LibTorch here: see model/torch_backend.h.
#include "model/inference.h"

#include <utility>

#include "env/error.h"
#include "model/cpu_features.h"
#include "model/folded_network.h"
#include "model/onednn_evaluator.h"
#include "model/torch_backend.h"

namespace khanzero {
namespace {

// Whether the network runs on oneDNN directly, and in what.
struct Plan {
  bool onednn = false;
  Precision precision = Precision::kAuto;
};

// int8 by itself is only taken for a network that is calibrated, and where it is the fastest.
Precision FastestPrecision(bool calibrated) {
  const CpuFeatures cpu = ThisCpu();
  if (cpu.vnni && calibrated) return Precision::kInt8;
  return cpu.bf16 ? Precision::kBf16 : Precision::kFp32;
}

Plan MakePlan(const InferenceSettings& settings, bool calibrated) {
  const bool is_gpu = settings.device.starts_with("cuda");
  if (!is_gpu && settings.device != "auto" && settings.device != "cpu") {
    throw InputError("unknown device '" + settings.device +
                     "'; devices are auto, cpu, cuda and cuda:N");
  }
  if (settings.backend == InferenceBackend::kOneDnn && is_gpu) {
    throw InputError("backend onednn computes on the processor; for device '" + settings.device +
                     "' use backend torch or auto");
  }
  switch (settings.backend) {
    case InferenceBackend::kTorch:
      return {};
    case InferenceBackend::kAuto:
      // Without AVX2 oneDNN has no kernels worth the name.
      if (is_gpu) return {};
      if (settings.precision == Precision::kInt8) break;
      if (!ThisCpu().avx2 || (settings.device == "auto" && TorchHasGpu())) return {};
      break;
    case InferenceBackend::kOneDnn:
      break;
  }
  Plan plan{.onednn = true, .precision = settings.precision};
  if (plan.precision == Precision::kAuto) plan.precision = FastestPrecision(calibrated);
  CheckCpuCan(plan.precision);
  if (plan.precision == Precision::kInt8 && !calibrated) {
    throw InputError(
        "precision int8 was asked for, but the network does not know the ranges of its "
        "activations, which a checkpoint of a run has; use precision bf16 or fp32");
  }
  return plan;
}

std::string NameOf(Precision precision) {
  return std::string(kPrecisionNames[static_cast<size_t>(precision)]);
}

}  // namespace

std::unique_ptr<Evaluator> MakeEvaluator(std::shared_ptr<const FoldedNetwork> network,
                                         const InferenceSettings& settings) {
  const Plan plan = MakePlan(settings, network->calibrated());
  if (plan.onednn) return std::make_unique<OneDnnEvaluator>(std::move(network), plan.precision);
  return MakeTorchEvaluator(std::move(network), settings);
}

bool NeedsCalibration(const InferenceSettings& settings) {
  const Plan plan = MakePlan(settings, /*calibrated=*/true);
  return plan.onednn && plan.precision == Precision::kInt8;
}

InferenceFacts DescribeInference(const InferenceSettings& settings) {
  const Plan plan = MakePlan(settings, /*calibrated=*/true);
  if (!plan.onednn) return DescribeTorch(settings);
  return {.device = "cpu",
          .precision = NameOf(plan.precision),
          .computed_by = OneDnnVersion(),
          .cpu_isa = Text(ThisCpu()),
          .good_batch = OneDnnEvaluator::kGoodBatch};
}

std::string Text(const InferenceFacts& facts) {
  return facts.device + ", " + facts.precision + ", by " + facts.computed_by + ", processor with " +
         facts.cpu_isa;
}

}  // namespace khanzero
