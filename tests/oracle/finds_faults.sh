#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# finds_faults.sh RANDOM_GAMES: the comparison must notice every kind of fault. Spoils one word at a
# time of our side of two games and expects exit code 1 and a difference that names the fault; as it
# is, it must pass. Skipped (77) where the reference engine cannot be had.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
generator=$1
"$here/install.sh"

# compare GAME SCRIPT: compares two games, our side of them changed by a sed script.
compare() {
  "$generator" "$1" 0 2 5 | sed "$2" | node "$here/compare.mjs" "$1" 5
}

failed=0
# expect_fault GAME SCRIPT TEXT: the comparison fails and says TEXT.
expect_fault() {
  local output status=0
  output=$(compare "$1" "$2" 2>&1) || status=$?
  if ((status != 1)) || [[ $output != *"$3"* ]]; then
    printf 'a fault was not found (%s, %s): exit code %d\n%s\n' "$1" "$2" "$status" "$output" >&2
    failed=1
  fi
}

for game in khans serbest; do
  if ! output=$(compare "$game" ''); then
    printf 'the games as they are were refused (%s):\n%s\n' "$game" "$output" >&2
    failed=1
  fi
  expect_fault "$game" 's/"check":false/"check":true/' 'check: ours true, reference false'
  expect_fault "$game" 's/"result":"\*"/"result":"1-0"/' 'end: ours 1-0, reference *'
  expect_fault "$game" 's/ w /  w /' 'FEN: ours'
done
expect_fault khans 's/"legal":"a2a3 /"legal":"/' 'moves of one side only: ours none, reference a2a3'
expect_fault serbest 's/"legal":"B@a1 /"legal":"B@a1 K@a9 /' 'ours K@a9, reference none'
expect_fault khans 's/"move":"[a-h]/"move":"x/' 'the reference refuses x'
exit "$failed"
