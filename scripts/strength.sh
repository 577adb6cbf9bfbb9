#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# strength.sh --game khans|serbest [OPTION...]: measures an agent against the outside. Each number of
# simulations plays each opponent in pairs of games, sides swapped; what comes out is a table, JSON
# and the games. Started again it goes on where it stopped. --help has the options.
set -euo pipefail
export LC_ALL=C
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'TEXT'
strength.sh --game khans|serbest [OPTION...] [-- OPTION OF 'khanzero match'...]

  --game GAME         khans or serbest
  --weights PATH      the agent: a checkpoint's folder, an export in safetensors format, latest:RUN or
                      best:RUN; without it the one that is shipped, models/GAME.safetensors
  --out DIR           where everything is written (build/strength/GAME)
  --games N           games of each pairing, an even number (100)
  --simulations LIST  of the agent for each move (1,64,800); 1 is the policy alone
  --opponents LIST    PLAYER or PLAYER@NODES, by commas; 'reference' is the reference engine. khans:
                      reference@1, @10, @100, @1000, @10000. serbest: alphabeta:1 to alphabeta:3 and
                      reference@1, @100, @1000
  --pairings PATTERN  only the pairings SIMULATIONS:OPPONENT that match: '800:*', '64:reference@10';
                      may be repeated
  --seed N            of the openings (1)
  --list              say what would be played and what has been, and play nothing
  --table             write the table and the JSON anew from what has been played, and play nothing
  --help              this text

Openings are four random plies unless the options after -- say otherwise (--openings balanced,
--opening-plies 6, --leaves 8, --threads 1, ...); they are part of what the games must agree in to be
counted together, so change --out with them. In DIR: strength.md (the table), strength.json, and of
each pairing NAME.pgn, NAME.json (as 'khanzero match --json' prints it) and NAME.time (seconds, games).
Ctrl-C ends after saving the games that are over; so does SIGTERM. Exit code 0 when all that was asked
for has been played, 1 when something failed or it was stopped, 2 for bad usage.
KHANZERO_BINARY names another binary than that of the release build.
TEXT
}

game=
weights=
out=
games=100
simulations=1,64,800
opponents=
patterns=()
seed=1
mode=play
match_options=()

need_number() {
  [[ $2 =~ ^[0-9]{1,9}$ ]] || fail "$1 takes a number, not '$2'" 2
}

while (($# > 0)); do
  case $1 in
    --help | -h)
      usage
      exit 0
      ;;
    --list) mode=list ;;
    --table) mode=table ;;
    --)
      shift
      match_options=("$@")
      break
      ;;
    --game | --weights | --out | --games | --simulations | --opponents | --pairings | --seed)
      (($# > 1)) || fail "'$1' lacks its value; see --help" 2
      case $1 in
        --game) game=$2 ;;
        --weights) weights=$2 ;;
        --out) out=$2 ;;
        --games) games=$2 ;;
        --simulations) simulations=$2 ;;
        --opponents) opponents=$2 ;;
        --pairings) patterns+=("$2") ;;
        --seed) seed=$2 ;;
      esac
      shift
      ;;
    *) fail "unknown argument '$1'; see --help" 2 ;;
  esac
  shift
done

case $game in
  khans) default_opponents=reference@1,reference@10,reference@100,reference@1000,reference@10000 ;;
  serbest) default_opponents=alphabeta:1,alphabeta:2,alphabeta:3,reference@1,reference@100,reference@1000 ;;
  '') fail "--game is needed: khans or serbest" 2 ;;
  *) fail "unknown game '$game'; there are khans and serbest" 2 ;;
esac
need_number --games "$games"
((10#$games >= 2 && 10#$games % 2 == 0)) || fail "--games must be even and at least 2: sides are swapped" 2
games=$((10#$games))
need_number --seed "$seed"
[[ -n $opponents ]] || opponents=$default_opponents
[[ -n $out ]] || out=$root/build/strength/$game

binary=${KHANZERO_BINARY:-$root/build/release/khanzero}
[[ -x $binary ]] || fail "there is no $binary; build it with scripts/build.sh release khanzero" 2
if [[ -z $weights ]]; then
  weights=$root/models/$game.safetensors
  [[ -e $weights ]] || fail "no agent is shipped ($weights is not there); name one with --weights" 2
fi
case $weights in
  latest:* | best:*) agent=$weights ;;
  *) agent=checkpoint:$weights ;;
esac
# What it is, and that it is one, before anything is played.
about=$("$binary" info "$weights") || exit 2

# The value of a key that holds a number or null, of a JSON object that `khanzero match` printed.
number_of() {
  sed -nE "s/.*\"$1\":(-?[0-9.eE+-]+|null)[,}].*/\1/p" <<<"$2"
}
# The part of that object under a key that holds an object.
part_of() {
  sed -nE "s/.*\"$1\":(\{[^}]*\}).*/\1/p" <<<"$2"
}
text_of() {
  sed -nE "s/.*\"$1\":\"([^\"]*)\".*/\1/p" <<<"$2"
}
json_text() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

pairings=() # SIMULATIONS:OPPONENT
chosen() {
  local pattern
  ((${#patterns[@]} > 0)) || return 0
  for pattern in "${patterns[@]}"; do
    # shellcheck disable=SC2053
    [[ $1 != $pattern ]] || return 0
  done
  return 1
}
IFS=, read -r -a simulation_list <<<"$simulations"
IFS=, read -r -a opponent_list <<<"$opponents"
for opponent in "${opponent_list[@]}"; do
  nodes=${opponent##*@}
  [[ $opponent != *@* ]] || need_number "the number of nodes of '$opponent'" "$nodes"
  for n in "${simulation_list[@]}"; do
    need_number --simulations "$n"
    ! chosen "$n:$opponent" || pairings+=("$n:$opponent")
  done
done
((${#pairings[@]} > 0)) || fail "no pairing matches: ${patterns[*]}" 2

name_of() { # a pairing's, for its files
  local name=${1//[^A-Za-z0-9.-]/-}
  printf '%s' "$name"
}
played_of() {
  local count=0
  [[ ! -e $out/$(name_of "$1").pgn ]] || count=$(grep -c '^\[Event ' "$out/$(name_of "$1").pgn" || true)
  printf '%s' "$count"
}

if [[ $mode == list ]]; then
  printf '%s of %s, in %s:\n' "$game" "$weights" "$out"
  for pairing in "${pairings[@]}"; do
    printf '  %-28s %4d of %d games\n' "$pairing" "$(played_of "$pairing")" "$games"
  done
  exit 0
fi

# What has been played, by number of simulations and opponent: the names of the files.
results() {
  local file
  find "$out" -maxdepth 1 -name '[0-9]*-*.json' -size +0 | sort -V | while read -r file; do
    basename "$file" .json
  done
}

# One row: simulations, opponent, games wanted, as White W D L, as Black W D L, Elo, its error, seconds,
# games that took them.
row_of() {
  local name=$1 json white black seconds=0 timed=0 s g
  json=$(<"$out/$name.json")
  white=$(part_of as_white "$json")
  black=$(part_of as_black "$json")
  if [[ -e $out/$name.time ]]; then
    while read -r s g; do
      seconds=$(awk -v a="$seconds" -v b="$s" 'BEGIN { print a + b }')
      timed=$((timed + g))
    done <"$out/$name.time"
  fi
  printf '%s\t%s\t%s' "${name%%-*}" "$(text_of b "$json")" "$games"
  for part in "$white" "$black"; do
    printf '\t%s\t%s\t%s' "$(number_of wins "$part")" "$(number_of draws "$part")" "$(number_of losses "$part")"
  done
  printf '\t%s\t%s\t%s\t%s\n' "$(number_of elo "$json")" "$(number_of elo_error "$json")" "$seconds" "$timed"
}

table() {
  cat <<TEXT
# Strength of the $game agent

Agent: \`$weights\`

\`\`\`
$about
\`\`\`

Every pairing is played in pairs of games from the same opening, sides swapped, seed $seed${match_options[*]:+, with \`${match_options[*]}\`}.
At 1 simulation the agent plays the first choice of its policy, but for a win in one move. Intervals are of 95 %: from the
pairs, or, where these say nothing (all games won, or lost), Wilson's for the score. Seconds are those of this machine, with what else it did, and include the
start of the engine. Games are \`NAME.pgn\` beside this file.

| simulations | opponent | games | score | Elo difference | as White: score, W-D-L | as Black: score, W-D-L | s a game |
| ---: | --- | ---: | ---: | --- | --- | --- | ---: |
TEXT
  local name
  for name in $(results); do row_of "$name"; done | awk -F '\t' '
    function elo(p,  e) {
      if (p <= 0 || p >= 1) return p <= 0 ? "-inf" : "+inf"
      e = -400 * log(1 / p - 1) / log(10)
      return sprintf("%+.0f", e == 0 ? 0 : e)
    }
    function wilson(p, n, sign) {
      if (p == (sign + 1) / 2) return p
      return (p + 1.92073 / n + sign * 1.959964 * sqrt(p * (1 - p) / n + 0.960365 / (n * n))) / (1 + 3.841459 / n)
    }
    function side(w, d, l) {
      return w + d + l == 0 ? "-" : sprintf("%.0f %%, %d-%d-%d", 100 * (w + d / 2) / (w + d + l), w, d, l)
    }
    {
      n = $4 + $5 + $6 + $7 + $8 + $9
      if (n == 0) next
      p = ($4 + $7 + ($5 + $8) / 2) / n
      if ($10 != "null" && $11 != "null" && $11 > 0) {
        text = sprintf("%+.0f +/- %.0f", $10, $11)
      } else {
        text = elo(p) " (" elo(wilson(p, n, -1)) " to " elo(wilson(p, n, 1)) ")"
      }
      count = n < $3 ? n " of " $3 : n
      pace = $13 > 0 ? sprintf("%.1f", $12 / $13) : "-"
      printf("| %s | %s | %s | %.1f %% | %s | %s | %s | %s |\n", $1, $2, count, 100 * p, text, side($4, $5, $6), \
        side($7, $8, $9), pace)
    }'
}

json() {
  local name result first=1
  printf '{"game":%s,"agent":%s,"seed":%s,"match_options":%s,"pairings":[' "$(json_text "$game")" \
    "$(json_text "$weights")" "$seed" "$(json_text "${match_options[*]:-}")"
  for name in $(results); do
    ((first)) || printf ','
    first=0
    result=$(<"$out/$name.json")
    printf '\n{"simulations":%s,"opponent":%s,"games_wanted":%s,"result":%s}' "${name%%-*}" \
      "$(json_text "$(text_of b "$result")")" "$games" "$result"
  done
  printf '\n]}\n'
}

write_results() {
  table >"$out/strength.md.new" && mv "$out/strength.md.new" "$out/strength.md"
  json >"$out/strength.json.new" && mv "$out/strength.json.new" "$out/strength.json"
}

mkdir -p "$out"
if [[ $mode == table ]]; then
  write_results
  cat "$out/strength.md"
  exit 0
fi

if [[ " ${pairings[*]}" == *:reference* ]]; then
  "$root/tests/oracle/install.sh" ||
    fail "the reference engine is not to be had (it needs node and npm); choose others with --opponents"
fi

stopped=0
pid=
trap 'stopped=1; [[ -z $pid ]] || kill -TERM "$pid" 2>/dev/null || true' INT TERM

play() { # a pairing
  local pairing=$1 n=${1%%:*} opponent=${1#*:} name before began status=0 limit=()
  name=$out/$(name_of "$pairing")
  before=$(played_of "$pairing")
  if [[ $opponent == *@* ]]; then
    limit=(--nodes-b "${opponent##*@}")
    opponent=${opponent%@*}
  fi
  [[ $opponent != reference ]] || opponent=uci:$root/scripts/reference-engine.sh
  local -a command=("$binary" match --game "$game" --a "$agent" --b "$opponent" --name-a "agent-$n"
    --name-b "${pairing#*:}" --nodes-a "$n" "${limit[@]}" --pairs $((games / 2)) --seed "$seed" --json
    "${match_options[@]}")
  if [[ -e $name.pgn ]]; then command+=(--resume "$name.pgn"); else command+=(--pgn "$name.pgn"); fi
  began=$EPOCHREALTIME
  "${command[@]}" >"$name.json.new" &
  pid=$!
  # A signal ends the wait before the match has saved its games.
  while kill -0 "$pid" 2>/dev/null; do
    status=0
    wait "$pid" || status=$?
  done
  pid=
  awk -v a="$began" -v b="$EPOCHREALTIME" -v games=$(($(played_of "$pairing") - before)) \
    'BEGIN { if (games > 0) printf "%.1f %d\n", b - a, games }' >>"$name.time"
  if [[ -s $name.json.new ]]; then mv "$name.json.new" "$name.json"; else rm -f "$name.json.new"; fi
  return "$status"
}

number=0
for pairing in "${pairings[@]}"; do
  number=$((number + 1))
  printf '[%d of %d] %s: %s simulations against %s, %d of %d games played\n' "$number" "${#pairings[@]}" \
    "$game" "${pairing%%:*}" "${pairing#*:}" "$(played_of "$pairing")" "$games" >&2
  status=0
  play "$pairing" || status=$?
  write_results
  ((stopped == 0)) || fail "stopped; the same command goes on"
  ((status == 0)) || fail "the match of $pairing failed; what has been played is in $out" "$((status == 2 ? 2 : 1))"
  grep -F "| ${pairing%%:*} | ${pairing#*:} |" "$out/strength.md" >&2 || true
done
cat "$out/strength.md"
