#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# cluster_torture.sh [KILLS [RESTARTS [FOLDER]]]: a learner and four actors on a Redis server of their
# own, tiny games. Actors and learner are killed (SIGKILL) at random KILLS (50) times, the server is
# ended RESTARTS (5) times, killed and cleanly by turns; meanwhile one client sends garbage and one
# reads a byte at a time. In the end every game whose delivery Redis confirmed to an actor must be in
# the store, once, and the learner must have gone on learning. SEED=n repeats the choices. Everything stays in FOLDER.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

kills=${1:-50}
restarts=${2:-5}
work=${3:-$(mktemp -d)}
program=${KHANZERO:-$root/build/release/khanzero}
actors=4
RANDOM=${SEED:-1}
[[ $kills =~ ^[0-9]+$ && $restarts =~ ^[0-9]+$ ]] ||
  fail "usage: cluster_torture.sh [KILLS [RESTARTS [FOLDER]]]" 2
[[ -x $program ]] || fail "there is no $program; build it, or name another in KHANZERO"
for tool in redis-server redis-cli sqlite3; do
  command -v "$tool" >/dev/null || fail "$tool is not installed"
done
mkdir -p "$work"
port=${PORT:-$((20000 + RANDOM % 20000))}
url=redis://127.0.0.1:$port

cat >"$work/tiny.yaml" <<'YAML'
game: khans
network: {blocks: 1, channels: 8, value_hidden: 8}
search: {simulations: 2, gumbel_considered: 2}
selfplay: {workers: 1, games_per_worker: 4, max_plies: 60, cache_mib: 8}
learner: {batch_size: 64, threads: 1, precision: fp32, samples_per_position: 0.02}
loop: {games_per_cycle: 200, keep_checkpoints: 3}
evaluation: {every_cycles: 0, final_pairs: 0}
inference: {precision: fp32}
YAML

declare -A pid=()
redis() { redis-cli -p "$port" "$@"; }

start() {
  case $1 in
    redis)
      redis-server --bind 127.0.0.1 --port "$port" --dir "$work" --save '' --appendonly yes \
        --appendfsync always >>"$work/redis.log" 2>&1 &
      ;;
    learner)
      "$program" train --config "$work/tiny.yaml" --run "$work/run" --listen "$url" \
        >>"$work/learner.log" 2>&1 &
      ;;
    actor*)
      "$program" selfplay --connect "$url" --spool "$work/$1" --log-sent "$work/$1.sent" \
        >>"$work/$1.log" 2>&1 &
      ;;
  esac
  pid[$1]=$!
  [[ $1 != redis ]] || wait_for_redis
}

wait_for_redis() {
  local i
  for ((i = 0; i < 100; ++i)); do
    [[ $(redis ping 2>/dev/null) != PONG ]] || return 0
    sleep 0.1
  done
  fail "the server does not start; see $work/redis.log"
}

# end NAME SIGNAL
end() {
  kill "-$2" "${pid[$1]}" 2>/dev/null || true
  wait "${pid[$1]}" 2>/dev/null || true
}

# What ended by itself (a learner or an actor that found no server) is started again, as a service is.
keep_alive() {
  local name
  for name in "${!pid[@]}"; do
    [[ $name == redis || $name == garbage || $name == slow ]] && continue
    kill -0 "${pid[$name]}" 2>/dev/null || start "$name"
  done
}

send_garbage() {
  while :; do
    redis xadd khanzero:games '*' foo bar >/dev/null 2>&1 || true
    redis xadd khanzero:games '*' run nonsense actor garbage protocol 1 record KZRxxxx \
      >/dev/null 2>&1 || true
    head -c 2000000 /dev/urandom | redis -x xadd khanzero:games '*' run \
      "$(cat "$work/run/run-id")" actor garbage protocol 1 record >/dev/null 2>&1 || true
    sleep 1
  done
}

# Asks for the network, reads a byte of it now and then, and leaves a command half sent.
read_slowly() {
  while :; do
    {
      printf 'HGETALL khanzero:network\r\nXADD khanzero:games * rec' >&3
      for ((i = 0; i < 100; ++i)); do
        IFS= read -r -n 1 -u 3 _ || break
        sleep 0.05
      done
    } 3<>"/dev/tcp/127.0.0.1/$port" 2>/dev/null || true
    sleep 1
  done
}

# The learner first: it leaves with a checkpoint while the server is there.
finish() {
  local name
  for name in learner "${!pid[@]}"; do
    [[ -z ${pid[$name]:-} ]] || kill "${pid[$name]}" 2>/dev/null || true
  done
  wait
}
trap finish EXIT

start redis
start learner
until [[ -e $work/run/latest ]]; do sleep 0.2; done
for ((i = 1; i <= actors; ++i)); do start "actor$i"; done
send_garbage &
pid[garbage]=$!
read_slowly &
pid[slow]=$!

began=$SECONDS
done_restarts=0
for ((i = 1; i <= kills; ++i)); do
  sleep "$((RANDOM % 3)).$((RANDOM % 10))"
  keep_alive
  victim=$((RANDOM % (actors + 1)))
  name=learner
  ((victim == 0)) || name=actor$victim
  end "$name" KILL
  start "$name"
  if ((done_restarts < restarts && i * restarts >= (done_restarts + 1) * kills)); then
    if ((done_restarts++ % 2 == 0)); then end redis KILL; else end redis TERM; fi
    sleep "0.$((RANDOM % 10))"
    start redis
  fi
done
# Some time for everybody to come back, and then an end in order.
for ((i = 0; i < 20; ++i)); do
  sleep 1
  keep_alive
done
"$program" status --connect "$url" | tee "$work/status.txt"
end garbage TERM
end slow TERM
for ((i = 1; i <= actors; ++i)); do end "actor$i" TERM; done
for ((i = 0; i < 60; ++i)); do
  [[ $(redis xlen khanzero:games) != 0 ]] || break
  sleep 1
done
end learner TERM

cat "$work"/actor*.sent | sort -u >"$work/sent"
# Ids are 64-bit without a sign, SQLite's integers have one.
sqlite3 "$work/run/replay.db" "SELECT printf('%llu', id) FROM games" 2>/dev/null |
  sort >"$work/stored"
stored=$(wc -l <"$work/stored")
lost=$(comm -23 "$work/sent" "$work/stored" | wc -l)
twice=$(uniq -d "$work/stored" | wc -l)
checkpoints=$(sqlite3 "$work/run/replay.db" "SELECT COUNT(DISTINCT network_step) FROM games")
check=clean
"$program" data check --run "$work/run" >"$work/check.txt" 2>&1 || check="not clean, see $work/check.txt"
printf '%d kills and %d restarts of the server in %d s: %d games confirmed, %d stored, %d lost, %d twice\n' \
  "$kills" "$done_restarts" "$((SECONDS - began))" "$(wc -l <"$work/sent")" "$stored" "$lost" "$twice"
printf 'games of %d networks; waiting in the stream: %s; data check: %s; everything is in %s\n' \
  "$checkpoints" "$(redis xlen khanzero:games)" "$check" "$work"
[[ $lost == 0 && $twice == 0 && $check == clean && $checkpoints -ge 3 ]]
