// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the processor can multiply, as oneDNN sees it: the environment's DNNL_MAX_CPU_ISA (for
// example AVX2) makes a processor look like a smaller one.
#pragma once

#include <string>

#include "model/settings.h"

namespace khanzero {

struct CpuFeatures {
  bool avx2 = false;
  bool avx512 = false;
  bool vnni = false;  // dot products of int8
  bool bf16 = false;  // dot products of bf16
  bool amx = false;   // tiles of int8 and bf16
};

// Of the processor this runs on. Other architectures than x86-64 have none of these.
CpuFeatures ThisCpu();

// Throws InputError where the processor has no instructions for `precision` (kBf16: those of bf16;
// kInt8: AVX2, on which it is still faster than fp32).
void CheckCpuCan(Precision precision);

// "AVX2 AVX-512 VNNI bf16", or "no vector instructions known to this program".
std::string Text(const CpuFeatures& features);

}  // namespace khanzero
