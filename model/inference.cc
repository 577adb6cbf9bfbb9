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
#include "model/network.h"
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

std::string CpuIsa() {
#if defined(__x86_64__)
  std::string text;
  const auto add = [&](bool present, const char* name) {
    if (!present) return;
    if (!text.empty()) text += ' ';
    text += name;
  };
  add(__builtin_cpu_supports("avx2"), "AVX2");
  add(__builtin_cpu_supports("avx512f"), "AVX-512");
  add(__builtin_cpu_supports("avx512vnni"), "VNNI");
  add(__builtin_cpu_supports("avx512bf16"), "bf16");
  return text.empty() ? "SSE" : text;
#elif defined(__aarch64__)
  return "NEON";
#else
  return "unknown";
#endif
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

std::unique_ptr<Evaluator> MakeEvaluator(std::shared_ptr<const FoldedNetwork> network,
                                         const InferenceSettings& settings) {
  UseOneBlasThread();
  return std::make_unique<TorchEvaluator>(std::move(network), ResolveBackend(settings));
}

std::shared_ptr<const FoldedNetwork> MakeRandomNetwork(const EncodingShape& shape,
                                                       const NetworkSettings& settings,
                                                       uint64_t seed) {
  SeedTorch(seed);
  return Fold(*Network(shape, settings));
}

InferenceFacts DescribeInference(const InferenceSettings& settings) {
  const TorchBackend backend = ResolveBackend(settings);
  const bool on_cpu = backend.device.is_cpu();
  return {.device = backend.device.str(),
          .precision = TypeName(backend.type),
          .convolution = !on_cpu           ? "cuDNN"
                         : at::hasMKLDNN() ? "oneDNN"
                                           : "native",
          .blas = BlasName(),
          .cpu_isa = CpuIsa(),
          .libtorch = TORCH_VERSION};
}

std::string Text(const InferenceFacts& facts) {
  return facts.device + ", " + facts.precision + ", convolutions by " + facts.convolution +
         ", BLAS " + facts.blas + ", processor with " + facts.cpu_isa + ", LibTorch " +
         facts.libtorch;
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
