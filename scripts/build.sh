#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# build.sh [PRESET [TARGET...]]: configures build/PRESET when needed and builds it, all of it or the
# targets. The output goes to a log, shown when something fails. Presets: CMakePresets.json.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=${1:-release}
shift $(($# > 0 ? 1 : 0))
targets=("$@")
folder=$root/build/$preset
log=$folder/build.log

if [[ $preset == base ]] || ! grep -qF "\"name\": \"$preset\"" "$root/CMakePresets.json"; then
  fail "unknown preset '$preset'; see CMakePresets.json" 2
fi

# A file that includes LibTorch takes up to 2 GiB to compile.
jobs_for_memory() {
  local kib limit
  kib=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo 2>/dev/null || true)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
  if [[ $limit =~ ^[0-9]+$ ]] && ((limit / 1024 < ${kib:-0})); then kib=$((limit / 1024)); fi
  local jobs=$((${kib:-2097152} / 2097152)) most
  most=$(cores)
  echo $((jobs < 1 ? 1 : jobs < most ? jobs : most))
}
jobs=${KHANZERO_JOBS:-$(jobs_for_memory)}

# Writes everything to the log; a person also sees how far it is.
run() {
  if [[ -t 1 ]]; then
    "$@" 2>&1 | tee -a "$log" | awk '/^\[[0-9]+\/[0-9]+\]/ { printf "\r\033[K%s ", $1; fflush() }
                                     END { printf "\r\033[K" }'
  else
    "$@" >>"$log" 2>&1
  fi
}

build() {
  cd "$root"
  if [[ ! -e $folder/build.ninja ]]; then run cmake --preset "$preset"; fi
  run cmake --build "$folder" --parallel "$jobs" ${targets[0]+--target "${targets[@]}"}
}

mkdir -p "$folder"
: >"$log"
printf 'Building %s with %d jobs (log: %s)\n' "$preset" "$jobs" "${log#"$root"/}"
start=$SECONDS
# Not `if ! build`: that would keep a failing step from ending it.
set +e
(set -e; build)
status=$?
set -e
if ((status != 0)); then
  # Ninja's FAILED lines and what follows them, or the end of the log when it never came so far.
  if grep -q '^FAILED:' "$log"; then
    awk '/^FAILED:/ { on = 1 } on && n++ < 100' "$log" >&2
  else
    tail -n 40 "$log" >&2
  fi
  fail "the build failed; all of its output is in $log"
fi
printf 'Built in %d s\n' $((SECONDS - start))
