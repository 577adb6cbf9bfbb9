#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# oracle.sh [--game khans|serbest|all] [--games N] [--seed S] [--first N] [--generator PROGRAM]:
# plays N random games by our rules and holds every position against the reference engine: FEN,
# legal moves, check, result, reason. The engine comes from npm into tests/oracle/node_modules. Exit
# code 0 when all agrees, 1 when not, 2 for bad usage, 77 when skipped for lack of node, npm or the
# packages. PROGRAM is a random_games already built; without it, it is built.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

games=(khans serbest)
count=200
seed=1
first=0
generator=

number() {
  [[ $2 =~ ^[0-9]{1,9}$ ]] || fail "$1 takes a number, not '$2'" 2
  echo $((10#$2))
}

while (($# > 0)); do
  (($# > 1)) || fail "'$1' is unknown or lacks its value; the arguments are --game\
 khans|serbest|all, --games N, --seed S, --first N and --generator PROGRAM" 2
  case $1 in
    --game)
      case $2 in
        all) ;;
        khans | serbest) games=("$2") ;;
        *) fail "unknown game '$2'; there are khans, serbest and all" 2 ;;
      esac
      ;;
    --games) count=$(number "$1" "$2") ;;
    --seed) seed=$(number "$1" "$2") ;;
    --first) first=$(number "$1" "$2") ;;
    --generator) generator=$2 ;;
    *) fail "unknown argument '$1'" 2 ;;
  esac
  shift 2
done
((count > 0)) || fail "--games must be at least 1" 2

"$root/tests/oracle/install.sh"
if [[ -z $generator ]]; then
  "$root/scripts/setup.sh"
  "$root/scripts/build.sh" release random_games
  generator=$root/build/release/tests/oracle/random_games
fi

status=0
for game in "${games[@]}"; do
  "$generator" "$game" "$first" "$count" "$seed" |
    node "$root/tests/oracle/compare.mjs" "$game" "$seed" || status=1
done
exit "$status"
