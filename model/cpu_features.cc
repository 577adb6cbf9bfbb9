// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cpu_features.h"

#include <oneapi/dnnl/dnnl.hpp>

#include "env/error.h"

namespace khanzero {

CpuFeatures ThisCpu() {
  CpuFeatures features;
#if defined(__x86_64__)
  // Each of oneDNN's levels has what those below it have, but for the AVX2 with VNNI.
  using Isa = dnnl::cpu_isa;
  const Isa isa = dnnl::get_effective_cpu_isa();
  const bool avx2_vnni = isa == Isa::avx2_vnni;
  features.amx = isa == Isa::avx512_core_amx;
  features.bf16 = features.amx || isa == Isa::avx512_core_bf16;
  features.vnni = features.bf16 || isa == Isa::avx512_core_vnni || avx2_vnni;
  features.avx512 = (features.vnni && !avx2_vnni) || isa == Isa::avx512_core;
  features.avx2 = features.avx512 || avx2_vnni || isa == Isa::avx2;
#endif
  return features;
}

void CheckCpuCan(Precision precision) {
  const CpuFeatures cpu = ThisCpu();
  const auto refuse = [&](const char* name, const char* instructions) {
    throw InputError(std::string("precision ") + name + " was asked for, but this processor (" +
                     Text(cpu) + ") has no " + instructions +
                     " instructions; use precision fp32 or auto");
  };
  if (precision == Precision::kBf16 && !cpu.bf16) refuse("bf16", "bf16 (AVX512_BF16)");
  if (precision == Precision::kInt8 && !cpu.avx2) refuse("int8", "AVX2");
}

std::string Text(const CpuFeatures& features) {
  std::string text;
  const auto name = [&](bool has, const char* feature) {
    if (has) text += (text.empty() ? "" : " ") + std::string(feature);
  };
  name(features.avx2, "AVX2");
  name(features.avx512, "AVX-512");
  name(features.vnni, "VNNI");
  name(features.bf16, "bf16");
  name(features.amx, "AMX");
  return text.empty() ? "no vector instructions known to this program" : text;
}

}  // namespace khanzero
