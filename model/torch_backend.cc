// SPDX-License-Identifier: GPL-3.0-or-later
//
// Inference on LibTorch, and its process-wide switches.
#include "model/torch_backend.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <utility>

#include "env/error.h"
#include "model/cpu_features.h"
#include "model/network.h"
#include "model/torch_evaluator.h"
#include "model/torch_switches.h"

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

}  // namespace

bool TorchHasGpu() { return torch::cuda::is_available(); }

std::unique_ptr<Evaluator> MakeTorchEvaluator(std::shared_ptr<const FoldedNetwork> network,
                                              const InferenceSettings& settings) {
  UseOneBlasThread();
  return std::make_unique<TorchEvaluator>(std::move(network), ResolveTorch(settings));
}

InferenceFacts DescribeTorch(const InferenceSettings& settings) {
  const TorchBackend torch = ResolveTorch(settings);
  InferenceFacts facts{.device = torch.device.str(),
                       .precision = TypeName(torch.type),
                       .computed_by = "LibTorch " TORCH_VERSION,
                       .cpu_isa = Text(ThisCpu())};
  if (torch.device.is_cpu()) {
    facts.computed_by += (at::hasMKLDNN() ? " with oneDNN, BLAS " : ", BLAS ") + BlasName();
  }
  return facts;
}

std::shared_ptr<const FoldedNetwork> MakeRandomNetwork(const EncodingShape& shape,
                                                       const NetworkSettings& settings,
                                                       uint64_t seed) {
  SeedTorch(seed);
  return Fold(*Network(shape, settings));
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
