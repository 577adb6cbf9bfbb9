#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# ablate_test.sh ROOT: scripts/ablate.sh with a program that trains nothing: what it trains and with
# what, that it goes on where it was, its table, and that bad input is refused.
set -euo pipefail
root=$1

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
: >calls

# Trains in no time, and rates the entrants 100 Elo apart in their order, the first at 500.
cat >khanzero <<'END'
#!/usr/bin/env bash
[[ $* != *no_such_key* ]] || { echo "unknown key" >&2; exit 2; }
case $1 in
  config) echo "game: khans" ;;
  train)
    echo "$*" >>calls
    [[ ! -e fail ]] || { echo "the disk is full" >&2; exit 1; }
    if [[ -e stop ]]; then echo '{"stopped":true}'; else echo '{"stopped":false}'; fi
    ;;
  ladder)
    echo "$*" >>calls
    [[ -f $3/config.yaml ]] || exit 2
    elo=500
    while (($# > 1)); do
      [[ $1 != --entrant ]] || { echo " 1  ${2%%=*}  100  200  0.02  $elo  30  40  50.0 %" && elo=$((elo - 100)); }
      shift
    done
    echo " 9  random  -  -  -  0  99  40  5.0 %"
    ;;
esac
END
chmod +x khanzero
echo "game: khans" >base.yaml
printf '%s\n' '# a list' 'plain:  # first' '' 'wide: --set network.channels=64 --set search.simulations=8' \
  'few: --set search.simulations=4' >list.txt

ablate() {
  "$root/scripts/ablate.sh" --variants list.txt --config base.yaml --out out --khanzero ./khanzero "$@"
}
failed() {
  printf 'ablate_test.sh: %s\n' "$1" >&2
  exit 1
}
# expect STATUS TEXT ARGUMENTS...: how the script ends, and a part of what it says.
expect() {
  local wanted=$1 text=$2 said status=0
  shift 2
  said=$(ablate "$@" 2>&1) || status=$?
  [[ $status == "$wanted" && $said == *"$text"* ]] ||
    failed "expected status $wanted and '$text' for '$*', got $status: $said"
}
trained() { grep -c '^train' calls || true; }

# A run that is stopped or fails goes on; one that has had its time is not trained again.
touch stop
expect 1 "stopped while training 'plain' with seed 1" --minutes 30 --seeds 1,2
rm stop && touch fail
expect 1 "training 'plain' with seed 1 failed: the disk is full" --minutes 30 --seeds 1,2
rm fail
expect 0 "| plain | +0 |" --minutes 30 --seeds 1,2
[[ $(trained) == 8 ]] || failed "expected 2 broken and 6 whole trainings, got $(trained)"
expect 0 "| few |" --minutes 30 --seeds 1,2
[[ $(trained) == 8 ]] || failed "a run that has had its time was trained again"
grep -q -- '--run out/runs/wide-seed2 .*--set network.channels=64 --set search.simulations=8 --set seed=2 .*max_hours=0.500000' calls ||
  failed "a variant's arguments are not those of its training: $(cat calls)"
grep -q -- '--entrant few/2=latest:out/runs/few-seed2 --nodes 64' calls || failed "not rated: $(cat calls)"

# Entrants are plain/1, plain/2, wide/1, ...: 500, 400, 300, ... Elo. With two seeds 100 apart the
# interval is that of their scatter: 12.71 x 70.7 / sqrt(2).
grep -qF '| wide | -200 | 636 | 2 | 80 | 100 | 200 |' out/results.md || failed "$(cat out/results.md)"
grep -qF '{"name": "few", "elo": -400.0, "error": 635.5, "runs": [' out/results.json ||
  failed "$(cat out/results.json)"
expect 0 "| few | -100 | 30 | 1 |" --minutes 30 --only few --movetime 50
[[ -f out/results-by-time.md ]] || failed "by time is not apart"
grep -q -- '--movetime 50 ' calls || failed "not by time: $(tail -n 1 calls)"

# Two at once share the work, each with its own cores. (A machine of one core has none to share.)
if (($(nproc) > 1)); then
  : >calls
  expect 0 "| plain | +0 |" --out pair --seeds 1,2 --jobs 2
  [[ $(grep '^train' calls | sort -u | wc -l) == 6 ]] || failed "not 6 trainings: $(cat calls)"
  grep -q -- "--set selfplay.workers=$(($(nproc) / 2)) --set learner.threads=" calls ||
    failed "threads are not shared: $(cat calls)"
  touch fail
  expect 1 "failed: the disk is full" --out broken --jobs 2
  rm fail
fi

# Bad input.
expect 2 "--jobs takes a number from 1 to" --jobs 0
expect 2 "--jobs takes a number from 1 to" --jobs 9999
expect 2 "trained with another configuration or arguments" --minutes 31
expect 2 "has no variant 'none'" --only none
expect 2 "needs --variants FILE" --variants ""
expect 2 "there is no configuration 'none.yaml'" --config none.yaml
expect 2 "--minutes takes a number above 0, not '0'" --minutes 0
expect 2 "--seeds takes numbers" --seeds 1,x
expect 2 "unknown argument '--minute'" --minute 3
expect 2 "--minutes lacks its value" --minutes
expect 2 "nothing in 'empty' is trained to its end" --out empty --rate-only
for line in 'a b: --set x.y=1' 'wide: --set x.y=1' 'x: --run elsewhere' 'x: --set x.y'; do
  cp list.txt before && echo "$line" >>list.txt
  expect 2 "list.txt:6: " --minutes 30
  mv before list.txt
done
echo 'typo: --set search.no_such_key=1' >>list.txt
expect 2 "the variant 'typo' is refused" --minutes 30
