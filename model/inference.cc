// SPDX-License-Identifier: GPL-3.0-or-later
//
// The factory, the process-wide switches of LibTorch, and what the machine offers.
#include "model/inference.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <utility>
#include <vector>

#include "env/error.h"
#include "model/cpu_features.h"
#include "model/network.h"
#include "model/onednn_evaluator.h"
#include "model/torch_evaluator.h"

namespace khanzero {
namespace {

// A function of a BLAS that may or may not be the one in the process.
template <class Function>
Function* FindFunction(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

std::string BlasName() {
  using NameFunction = char*();
  if (auto* config = FindFunction<NameFunction>("openblas_get_config")) {
    std::string name = config();
    name = name.substr(0, name.find_last_not_of(' ') + 1);
    return name.starts_with("OpenBLAS") ? name : "OpenBLAS " + name;
  }
  if (at::hasMKL()) return "MKL";
  return "unknown, perhaps the slow reference BLAS: install libopenblas0-pthread";
}

std::string TypeName(torch::ScalarType type) {
  switch (type) {
    case torch::kBFloat16:
      return "bf16";
    case torch::kHalf:
      return "fp16";
    default:
      return "fp32";
  }
}

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
  const bool on_gpu = ResolveDevice(settings.device).is_cuda();
  if (settings.backend == InferenceBackend::kOneDnn && settings.device != "auto" && on_gpu) {
    throw InputError("backend onednn computes on the processor; for device '" + settings.device +
                     "' use backend torch or auto");
  }
  switch (settings.backend) {
    case InferenceBackend::kTorch:
      return {};
    case InferenceBackend::kAuto:
      // Without these oneDNN has no kernels worth the name.
      if (settings.precision != Precision::kInt8 && (on_gpu || !ThisCpu().avx2)) return {};
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
  UseOneBlasThread();
  return std::make_unique<TorchEvaluator>(std::move(network), ResolveTorch(settings));
}

std::shared_ptr<const FoldedNetwork> MakeRandomNetwork(const EncodingShape& shape,
                                                       const NetworkSettings& settings,
                                                       uint64_t seed) {
  SeedTorch(seed);
  return Fold(*Network(shape, settings));
}

bool NeedsCalibration(const InferenceSettings& settings) {
  const Plan plan = MakePlan(settings, /*calibrated=*/true);
  return plan.onednn && plan.precision == Precision::kInt8;
}

InferenceFacts DescribeInference(const InferenceSettings& settings) {
  const Plan plan = MakePlan(settings, /*calibrated=*/true);
  InferenceFacts facts{.cpu_isa = Text(ThisCpu())};
  if (plan.onednn) {
    facts.device = "cpu";
    facts.precision = NameOf(plan.precision);
    facts.computed_by = OneDnnVersion();
    return facts;
  }
  const TorchBackend torch = ResolveTorch(settings);
  facts.device = torch.device.str();
  facts.precision = TypeName(torch.type);
  facts.computed_by = "LibTorch " TORCH_VERSION;
  if (torch.device.is_cpu()) {
    facts.computed_by += (at::hasMKLDNN() ? " with oneDNN, BLAS " : ", BLAS ") + BlasName();
  }
  return facts;
}

std::string Text(const InferenceFacts& facts) {
  return facts.device + ", " + facts.precision + ", by " + facts.computed_by +
         ", processor with " + facts.cpu_isa;
}

void SetTorchThreads(int threads) {
  Check(threads >= 1, "number of LibTorch's threads");
  at::set_num_threads(threads);
  UseOneBlasThread();
}

void UseOneBlasThread() {
  using SetThreads = void(int);
  if (auto* set = FindFunction<SetThreads>("openblas_set_num_threads")) set(1);
}

void SeedTorch(uint64_t seed) { torch::manual_seed(seed); }

}  // namespace khanzero
