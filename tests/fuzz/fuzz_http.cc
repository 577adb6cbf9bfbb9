// SPDX-License-Identifier: GPL-3.0-or-later
//
// The libFuzzer target of FuzzHttp; see fuzz_bodies.h and scripts/fuzz.sh.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzz_bodies.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    return khanzero::FuzzHttp({data, size}) == khanzero::InputWorth::kKeep ? 0 : -1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::abort();
  }
}
