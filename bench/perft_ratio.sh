#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# perft_ratio.sh [--depth N] [--rounds N] [--khanzero PROGRAM]: our perft rate against that of the
# reference engine's WebAssembly build (npm, in tests/oracle/node_modules), on one thread each, by
# turns in one run; and our serbest against our khans. Exit code 0 when what is required is met, 1
# when not, 2 for bad usage, 77 when skipped for lack of node, npm or the packages.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/common.sh"

depth=5
rounds=3
khanzero=

while (($# > 0)); do
  (($# > 1)) || fail "'$1' is unknown or lacks its value; usage: perft_ratio.sh [--depth N]\
 [--rounds N] [--khanzero PROGRAM]" 2
  case $1 in
    --depth | --rounds)
      [[ $2 =~ ^[1-9][0-9]?$ ]] || fail "$1 takes a number from 1 to 99, not '$2'" 2
      printf -v "${1#--}" %s "$2"
      ;;
    --khanzero) khanzero=$2 ;;
    *) fail "unknown argument '$1'" 2 ;;
  esac
  shift 2
done

"$root/tests/oracle/install.sh"
if [[ -z $khanzero ]]; then
  "$root/scripts/setup.sh"
  "$root/scripts/build.sh" release khanzero
  khanzero=$root/build/release/khanzero
fi
exec node "$root/bench/perft_ratio.mjs" "$khanzero" "$depth" "$rounds"
