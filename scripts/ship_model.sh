#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# ship_model.sh RUN GAME [--which latest|best] [--precision fp32|fp16] [--models DIR]: makes the agent
# of a run the one that comes with the program. Writes DIR/GAME.safetensors (DIR: models), which
# `khanzero export` compares with the checkpoint and which has at most 8 MB; DIR/GAME.md with pictures,
# what made it; and DIR/README.md, the list. The page of an agent that this one was begun from is kept
# as DIR/GAME-part-N.md. Exit code 2 for bad usage or input, 1 when something
# fails; then the agent that was there stays. KHANZERO_BINARY names another binary than that of the
# release build.
set -euo pipefail
export LC_ALL=C
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage='ship_model.sh RUN khans|serbest [--which latest|best] [--precision fp32|fp16] [--models DIR]'
which=latest
precision=fp32
models=$root/models
words=()
while (($# > 0)); do
  case $1 in
    --help | -h)
      sed -n '4,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    --which | --precision | --models)
      (($# > 1)) || fail "'$1' lacks its value: $usage" 2
      case $1 in
        --which) which=$2 ;;
        --precision) precision=$2 ;;
        --models) models=$2 ;;
      esac
      shift
      ;;
    -*) fail "unknown option '$1': $usage" 2 ;;
    *) words+=("$1") ;;
  esac
  shift
done
((${#words[@]} == 2)) || fail "a run and its game are needed: $usage" 2
run=${words[0]}
game=${words[1]}
[[ $game == khans || $game == serbest ]] || fail "unknown game '$game'; there are khans and serbest" 2
[[ $which == latest || $which == best ]] || fail "--which is latest or best, not '$which'" 2
[[ -f $run/config.yaml ]] || fail "'$run' is not a run: it has no config.yaml" 2
its_game=$(sed -n 's/^game: *//p' "$run/config.yaml")
[[ $its_game == "$game" ]] || fail "'$run' is a run of '$its_game', not of '$game'" 2

binary=${KHANZERO_BINARY:-$root/build/release/khanzero}
[[ -x $binary ]] || fail "there is no $binary; build it with scripts/build.sh release khanzero" 2

readonly most_bytes=8000000
mkdir -p "$models"
aside=$(mktemp -d "$models/.ship-XXXXXX")
trap 'rm -rf "$aside"' EXIT

"$binary" export --checkpoint "$which:$run" --format safetensors --precision "$precision" \
  --out "$aside/$game.safetensors" | sed "s#$aside#$models#"
bytes=$(stat -c %s "$aside/$game.safetensors")
((bytes <= most_bytes)) || fail "the agent has $bytes bytes, more than $most_bytes; --precision fp16 halves it"
"$binary" report --run "$run" --markdown "$aside/$game.md" | sed "s#$aside#$models#"

# Trained on from the agent that is there: its page tells the first part of the story.
keep_page() {
  local n=1 picture
  while [[ -e $models/$game-part-$n.md ]]; do n=$((n + 1)); done
  local part=$game-part-$n
  for picture in losses scores rating; do
    [[ ! -e $models/$game-$picture.svg ]] || mv "$models/$game-$picture.svg" "$models/$part-$picture.svg"
  done
  sed "s/($game-\([a-z]*\.svg\))/($part-\1)/" "$models/$game.md" >"$models/$part.md"
  sed -i "s/^Begun from .*/& [How that one was made]($part.md)./" "$aside/$game.md"
}
if [[ -e $models/$game.md ]] && grep -q "^Begun from $game\.safetensors," "$aside/$game.md"; then keep_page; fi
rm -f "$models/$game"-{losses,scores,rating}.svg
mv "$aside/$game"* "$models/"

# One row of the list.
row() {
  local file=$1 info
  info=$("$binary" info "$file")
  value() { sed -nE "s/^$1 +//p" <<<"$info"; }
  # shellcheck disable=SC2016
  printf '| [%s](%s.md) | `%s` | %s | %s | %s | %s | %s |\n' "$2" "$2" "${file##*/}" \
    "$(awk -v b="$(stat -c %s "$file")" 'BEGIN { printf "%.2f MB", b / 1e6 }')" "$(value network)" "$(value games)" \
    "$(value step)" "$(value date | cut -c 1-10)"
}

{
  cat <<'TEXT'
# The agents that come with the program

`khanzero uci`, `serve`, `play` and `analyze` play with these where no other network is named. Each was trained by this program
from nothing, by self-play alone: no games, books or piece values of anybody. What made one (metrics by hours, ratings,
configuration) is on its page; how strong they are, against what, is in [docs/strength.md](../docs/strength.md). One that was begun from
another counts its games and steps from there; its page leads to that of the other.

| game | file | size | network | games | steps | date |
| --- | --- | ---: | --- | ---: | ---: | --- |
TEXT
  for name in khans serbest; do
    [[ ! -e $models/$name.safetensors ]] || row "$models/$name.safetensors" "$name"
  done
  cat <<'TEXT'

Another run takes a place here with `scripts/ship_model.sh runs/NAME GAME`, which exports its newest network, compares the file
with the checkpoint on 200 positions, and writes the pages. `khanzero info FILE` says what a file is.
TEXT
} >"$aside/README.md"
mv "$aside/README.md" "$models/README.md"
printf 'Shipped %s: %s bytes, from %s of %s\n' "$models/$game.safetensors" "$bytes" "$which" "$run"
