#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# ablate.sh: trains variations of a configuration one after the other, each for the same time, rates
# what came out of them against each other, and writes the table. See --help.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'END'
ablate.sh --variants FILE --config FILE --out FOLDER [OPTIONS]

Trains each variant of a configuration from nothing, one after the other, for the same time, and
rates the last networks of all against each other (khanzero ladder). Prints the table, the best
first, and writes it to FOLDER/results.md and results.json (results-by-time with --movetime).

  --variants FILE    one variant a line, 'NAME: ARGUMENTS OF khanzero train', the first one being what
                     the others are compared with:
                       baseline:
                       playout-cap: --set selfplay.full_search_share=0.25
                     Empty lines and what follows a # are left out. configs/ablations/ has lists.
  --config FILE      the configuration that is varied
  --out FOLDER       where runs, games and results go; the same command goes on there
  --minutes M        of training for each (10)
  --seeds LIST       trains every variant with each of these seeds, such as 1,2,3 (1)
  --only LIST        only these variants, and the baseline
  --set KEY=VALUE    of the configuration of every variant; may be given several times
  --nodes N          simulations for each move of the rating games (64)
  --movetime MS      by time instead: a network that is slower searches less
  --error ELO        the ladder plays until each rating is known to +/- this, 95 % (40)
  --max-games N      of the ladder, each time this is called (5000)
  --jobs N           trainings at once, each on its own share of the cores, a thread for each (1). A
                     small network trains faster on one core for twice the time
  --rate-only        trains nothing: rates what is trained
  --khanzero FILE    the program (build/release/khanzero)

Equal time is time on the clock, less matches: have nothing else run on the machine. The table has
the processor's seconds of each training beside it, which tell whether that was so. A run that has
had its time is not trained again; one that was stopped or killed goes on (the time since the
last checkpoint of a killed one does not count). A variant whose arguments have changed needs another
name or folder.

Ratings are in Elo above the baseline (the mean of its seeds). The 95 % interval is that of a
rating against the mean of all; a difference of two is known to about the root of the sum of both
squares. With one seed it is of the games alone: how far training itself scatters from seed to seed
is not in it. With several it is the wider one of both.

Exit codes: 0 done, 1 failed or stopped, 2 bad usage or input.
END
}

variants_file='' config='' out='' minutes=10 seeds=1 only='' nodes=64 movetime='' error=40
max_games=5000 rate_only=0 jobs=1 program=$root/build/release/khanzero
common=()

need_value() { (($# > 1)) || fail "$1 lacks its value; see ablate.sh --help" 2; }
check_number() {
  [[ $2 =~ ^[0-9]{1,9}(\.[0-9]{1,6})?$ && ! $2 =~ ^0+(\.0+)?$ ]] ||
    fail "$1 takes a number above 0, not '$2'" 2
}

while (($# > 0)); do
  case $1 in
    --help | -h)
      usage
      exit 0
      ;;
    --rate-only)
      rate_only=1
      shift
      continue
      ;;
  esac
  case $1 in
    --variants | --config | --out | --minutes | --seeds | --only | --set | --nodes | --movetime | --error | \
      --max-games | --jobs | --khanzero) need_value "$@" ;;
    *) fail "unknown argument '$1'; see ablate.sh --help" 2 ;;
  esac
  case $1 in
    --variants) variants_file=$2 ;;
    --config) config=$2 ;;
    --out) out=$2 ;;
    --minutes) check_number "$1" "$2" && minutes=$2 ;;
    --seeds) seeds=$2 ;;
    --only) only=$2 ;;
    --set) common+=(--set "$2") ;;
    --nodes) check_number "$1" "$2" && nodes=$2 ;;
    --movetime) check_number "$1" "$2" && movetime=$2 ;;
    --error) check_number "$1" "$2" && error=$2 ;;
    --max-games) max_games=$2 ;;
    --jobs) jobs=$2 ;;
    --khanzero) program=$2 ;;
  esac
  shift 2
done

[[ -n $variants_file && -n $config && -n $out ]] ||
  fail "needs --variants FILE, --config FILE and --out FOLDER; see ablate.sh --help" 2
[[ -f $variants_file ]] || fail "there is no file '$variants_file' of variants" 2
[[ -f $config ]] || fail "there is no configuration '$config'" 2
[[ $seeds =~ ^[0-9]{1,18}(,[0-9]{1,18})*$ ]] || fail "--seeds takes numbers such as 1,2,3, not '$seeds'" 2
[[ $max_games =~ ^[0-9]{1,7}$ ]] || fail "--max-games takes a number, not '$max_games'" 2
# The cores that this process may use, which need not be all.
mapfile -t cores < <(awk '/^Cpus_allowed_list:/ {
  for (i = split($2, parts, ","); i > 0; --i) {
    n = split(parts[i], ends, "-")
    for (core = ends[1]; core <= ends[n]; ++core) print core
  }
}' /proc/self/status)
[[ $jobs =~ ^[1-9][0-9]{0,3}$ ]] && ((jobs <= ${#cores[@]})) ||
  fail "--jobs takes a number from 1 to ${#cores[@]}, the cores of this machine, not '$jobs'" 2
share=$((${#cores[@]} / jobs))
((jobs == 1)) || common=(--set "selfplay.workers=$share" --set "learner.threads=$share" "${common[@]}")
[[ -x $program ]] || fail "there is no program '$program'; scripts/build.sh makes it" 2

# --- the variants -------------------------------------------------------------------------------

names=()
declare -A arguments
read_variants() {
  local line number=0 name
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    line=${line%%#*}
    [[ $line =~ [^[:space:]] ]] || continue
    [[ $line =~ ^[[:space:]]*([A-Za-z0-9_.-]+):(.*)$ ]] ||
      fail "$variants_file:$number: a variant is 'NAME: ARGUMENTS', NAME of letters, digits and ._-" 2
    name=${BASH_REMATCH[1]}
    [[ ! -v arguments[$name] ]] || fail "$variants_file:$number: the variant '$name' is there twice" 2
    names+=("$name")
    arguments[$name]=${BASH_REMATCH[2]}
    [[ ${arguments[$name]} =~ ^([[:space:]]+--set[[:space:]]+[a-z_]+\.[a-z0-9_]+=[^[:space:]]+)*[[:space:]]*$ ]] ||
      fail "$variants_file:$number: '$name' may have nothing but --set SECTION.KEY=VALUE, any number of\
 times" 2
  done <"$variants_file"
  ((${#names[@]} > 0)) || fail "'$variants_file' has no variant" 2
}
read_variants
baseline=${names[0]}

chosen=("$baseline")
for name in "${names[@]:1}"; do
  [[ -n $only && ,$only, != *,$name,* ]] || chosen+=("$name")
done
IFS=, read -ra wanted <<<"$only"
for name in "${wanted[@]}"; do
  [[ -v arguments[$name] ]] || fail "--only: '$variants_file' has no variant '$name'" 2
done

# The arguments of a variant's training: no matches, whose time is no training.
train_arguments() {  # name seed
  local words
  read -ra words <<<"${arguments[$1]}"
  train=(--config "$config" --set evaluation.every_cycles=0 --set evaluation.final_pairs=0
    --set evaluation.ladder_every=0 "${common[@]}" "${words[@]}" --set "seed=$2"
    --set loop.max_games=0 --set "loop.max_hours=$(awk "BEGIN { printf \"%.6f\", $minutes / 60 }")")
}

# A misspelt key is found before hours of training.
for name in "${chosen[@]}"; do
  train_arguments "$name" 1
  "$program" config "${train[@]}" >/dev/null || fail "the variant '$name' is refused, see above" 2
done

mkdir -p "$out/runs" "$out/rating"
exec 9>"$out/lock"
flock -n 9 || fail "another ablate.sh works in '$out'; wait for it, or take another --out" 2

# --- training -----------------------------------------------------------------------------------

train_one() {  # name seed, and the program with what goes before it
  local run=$out/runs/$1-seed$2 asked
  train_arguments "$1" "$2"
  local start=("${@:3}")
  asked=$(printf '%s\n' "$(cksum <"$config")" "${train[@]:2}")
  mkdir -p "$run.notes"
  if [[ -f $run.notes/arguments && $(<"$run.notes/arguments") != "$asked" ]]; then
    fail "'$run' was trained with another configuration or arguments (see $run.notes/arguments); take\
 another name for the variant, or another --out" 2
  fi
  printf '%s\n' "$asked" >"$run.notes/arguments"
  [[ ! -f $run.notes/done ]] || return 0
  printf '%s  %s, seed %s: %s minutes\n' "$(date +%H:%M:%S)" "$1" "$2" "$minutes" >&2
  local status=0 TIMEFORMAT='%U %S'
  # The lock is ours alone: training must not hold it on when this script is killed.
  { time "${start[@]}" train --run "$run" "${train[@]}" --json \
      >"$run.notes/result.json" 2>"$run.notes/log.txt" 9>&-; } 2>"$run.notes/times" || status=$?
  awk '{ print $1 + $2 }' "$run.notes/times" >>"$run.notes/cpu"
  ((status == 0)) || fail "training '$1' with seed $2 failed: $(tail -n 1 "$run.notes/log.txt")" 1
  grep -q '"stopped":false' "$run.notes/result.json" ||
    fail "stopped while training '$1' with seed $2; the same command goes on"
  : >"$run.notes/done"
}

IFS=, read -ra seed_list <<<"$seeds"
# All runs take as long: the job `first` of them takes each jobs-th.
train_share() {  # first
  local start=("$program") i=0 seed name of
  if ((jobs > 1)); then
    of=$(IFS=, && printf '%s' "${cores[*]:$1 * share:share}")
    start=(taskset --cpu-list "$of" "$program")
  fi
  for seed in "${seed_list[@]}"; do
    for name in "${chosen[@]}"; do
      ((i++ % jobs == $1)) || continue
      [[ ! -e $out/failed ]] || return 1
      train_one "$name" "$seed" "${start[@]}"
    done
  done
}

if ((rate_only == 0 && jobs == 1)); then
  train_share 0
elif ((rate_only == 0)); then
  workers=() status=0
  rm -f "$out/failed"
  for ((i = 0; i < jobs; ++i)); do
    train_share "$i" &
    workers+=($!)
  done
  # When one fails the others stop as well, with a checkpoint each.
  for ((i = 0; i < jobs; ++i)); do
    wait -n "${workers[@]}" && continue
    status=1
    : >"$out/failed"
    for worker in "${workers[@]}"; do pkill -TERM -P "$worker" || true; done
  done
  ((status == 0)) || exit 1
fi

# --- rating -------------------------------------------------------------------------------------

entrants=()
for name in "${chosen[@]}"; do
  for seed in "${seed_list[@]}"; do
    run=$out/runs/$name-seed$seed
    [[ -f $run.notes/done ]] || continue
    entrants+=(--entrant "$name/$seed=latest:$run")
  done
done
((${#entrants[@]} > 0)) || fail "nothing in '$out' is trained to its end" 2
train_arguments "$baseline" 1
"$program" config "${train[@]}" >"$out/rating/config.yaml"
limit=(--nodes "$nodes")
[[ -z $movetime ]] || limit=(--movetime "$movetime")
printf '%s  rating %s networks\n' "$(date +%H:%M:%S)" $((${#entrants[@]} / 2)) >&2
"$program" ladder --run "$out/rating" --no-baselines "${entrants[@]}" "${limit[@]}" --error "$error" \
  --max-games "$max_games" >"$out/rating/table.txt" 9>&-

# --- the table ----------------------------------------------------------------------------------

# From the ladder's table: name, step, games, hours, Elo, error, played; with the processor's seconds.
rows() {
  local name rest run cpu
  awk '$2 ~ /^[A-Za-z0-9_.-]+\/[0-9]+$/ { print $2, $3, $4, $5, $6, $7, $8 }' "$out/rating/table.txt" |
    while read -r name rest; do
      run=$out/runs/${name%/*}-seed${name##*/}
      cpu=$(awk '{ sum += $1 } END { printf "%.0f", sum }' "$run.notes/cpu" 2>/dev/null || echo 0)
      printf '%s %s %s\n' "$name" "$rest" "${cpu:-0}"
    done
}

results=$out/results about="$nodes simulations a move"
[[ -z $movetime ]] || { results=$out/results-by-time about="$movetime ms a move"; }
about="$(basename "$config"), $minutes minutes each, seeds $seeds; rated at $about"
rows | awk -v baseline="$baseline" -v about="$about" -v json="$results.json" -v md="$results.md" \
  -f "$root/scripts/ablate.awk"
cat "$results.md"
