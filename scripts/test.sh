#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# test.sh [ARGUMENTS OF ctest]: sets up, builds and runs every test, or those that the arguments
# choose (-R NAME). KHANZERO_PRESET=asan (or tsan) runs them under the sanitizers.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=${KHANZERO_PRESET:-release}
"$root/scripts/setup.sh" --tests
"$root/scripts/build.sh" "$preset"

ctest --test-dir "$root/build/$preset" --output-on-failure --no-tests=error \
  --parallel "$(cores)" "$@"
