#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# match_test.sh KHANZERO: short matches of the real binary against the reference engine, one a game:
# every move it plays is legal by our rules, and its games read back. Exit code 77 when skipped for
# lack of node, npm or the packages.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

(($# == 1)) || fail "usage: match_test.sh KHANZERO" 2
khanzero=$1
"$root/tests/oracle/install.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for game in khans serbest; do
  "$khanzero" match --game "$game" --a "uci:$root/scripts/reference-engine.sh" --b greedy \
    --name-a reference --nodes 1 --pairs 1 --max-plies 60 --threads 1 --json \
    --pgn "$folder/$game.pgn" >"$folder/$game.json" 2>"$folder/$game.log" ||
    fail "the match of $game failed: $(<"$folder/$game.log")"
  for part in '"games":2' '"faults_of_a":{}' '"faults_of_b":{}'; do
    grep -qF -- "$part" "$folder/$game.json" || fail "$game: $part is not in $(<"$folder/$game.json")"
  done
  grep -qE '\{[+-][0-9M.]+/[0-9]+ [0-9.]+s, n=[0-9]+\}' <(tr '\n' ' ' <"$folder/$game.pgn") ||
    fail "$game: the engine's moves have no comments: $(<"$folder/$game.pgn")"
  "$khanzero" pgn check "$folder/$game.pgn" >"$folder/$game.log" 2>&1 ||
    fail "$game: its games do not read back: $(<"$folder/$game.log")"
done
