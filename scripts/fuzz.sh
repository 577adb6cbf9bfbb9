#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# fuzz.sh [TARGET|all [SECONDS [FOLDER]]]: builds the libFuzzer targets of tests/fuzz (fuzz_fen,
# fuzz_pgn, fuzz_tensors, ...) and runs one after another, each for SECONDS (60) on one core. What is
# found new stays in FOLDER (build/fuzz/work): TARGET/ is the growing corpus, TARGET-crash-* the finds.
# Exit code 1 on a find.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

known=(fuzz_address fuzz_batch fuzz_checkpoint fuzz_config fuzz_fen fuzz_http fuzz_model fuzz_moves fuzz_pgn
  fuzz_record fuzz_suite fuzz_tensors fuzz_uci)
targets=("${1:-all}")
seconds=${2:-60}
build=$root/build/fuzz
work=${3:-$build/work}
if [[ ${targets[0]} == all ]]; then
  targets=("${known[@]}")
elif [[ " ${known[*]} " != *" ${targets[0]} "* ]]; then
  fail "unknown target '${targets[0]}'; there are all and ${known[*]}" 2
fi
[[ $seconds =~ ^[0-9]+$ ]] || fail "'$seconds' is not a number of seconds" 2

# Older ones lack std::source_location.
find_clang() {
  local name
  for name in ${CXX:-} clang++ clang++-{22..16}; do
    [[ $("$name" --version 2>/dev/null) =~ clang\ version\ ([0-9]+) ]] || continue
    if ((BASH_REMATCH[1] >= 16)); then
      echo "$name"
      return
    fi
  done
  fail "no clang 16 or later was found; on Debian: apt-get install clang-16 libclang-rt-16-dev"
}

"$root/scripts/setup.sh"
mkdir -p "$build" "$work"
if [[ ! -e $build/build.ninja ]]; then
  compiler=$(find_clang)
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKHANZERO_FUZZ=ON \
    -DCMAKE_CXX_COMPILER="$compiler" >"$build/configure.log" 2>&1 ||
    fail "the build could not be configured; see $build/configure.log"
fi
cmake --build "$build" --target "${targets[@]}" >"$build/build.log" 2>&1 ||
  fail "the build failed; see $build/build.log"

explain() {
  cat >&2 <<TEXT
fuzz.sh: $1 found something; the input is the newest of $work/$1-*
  see why:     $build/$1 FILE
  make it small: $build/$1 -minimize_crash=1 -max_total_time=60 FILE
  then correct the fault, and keep the input as a test: copy it, named after what it shows, to
  tests/fuzz/corpus/${1#fuzz_}/ and run: scripts/test.sh -R FuzzCorpus
TEXT
}

# Binary formats and their descriptions are longer than positions and moves.
longest() {
  case $1 in
    fuzz_checkpoint | fuzz_config | fuzz_model | fuzz_record | fuzz_tensors) echo 10000 ;;
    *) echo 600 ;;
  esac
}

for target in "${targets[@]}"; do
  corpus=$root/tests/fuzz/corpus/${target#fuzz_}
  mkdir -p "$work/$target"
  log=$work/$target.log
  printf '%s for %d s (log: %s)\n' "$target" "$seconds" "$log"
  if ! "$build/$target" "$work/$target" "$corpus" -dict="$root/tests/fuzz/fuzz.dict" \
    -max_len="$(longest "$target")" \
    -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -artifact_prefix="$work/$target-" \
    -print_final_stats=1 >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    explain "$target"
    exit 1
  fi
  grep -E '^(Done|stat::(number_of_executed_units|average_exec_per_sec|new_units_added))' "$log"
done
