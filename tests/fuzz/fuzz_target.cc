// SPDX-License-Identifier: GPL-3.0-or-later
//
// A libFuzzer target: the build names the body of fuzz_bodies.h as KHANZERO_FUZZ_BODY; see
// scripts/fuzz.sh.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzz_bodies.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    return khanzero::KHANZERO_FUZZ_BODY({data, size}) == khanzero::InputWorth::kKeep ? 0 : -1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::abort();
  }
}
