#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check_includes_test.sh ROOT: scripts/check_includes.sh refuses what it should, naming the line.
set -euo pipefail
root=$1

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{env,mcts,model,train}

# expect WANTED FILE LINE...: FILE holds the lines; WANTED is a part of the refusal, "" for none.
expect() {
  local wanted=$1 file=$tree/$2 said status=0
  shift 2
  printf '%s\n' "$@" >"$file"
  said=$("$root/scripts/check_includes.sh" "$tree" 2>&1) || status=$?
  rm "$file"
  if [[ -z $wanted ]]; then
    ((status == 0)) || { echo "refused without reason: $*: $said"; exit 1; }
  elif ((status == 0)) || [[ $said != *"$wanted"* ]]; then
    echo "expected '$wanted' for $*, got status $status: $said"
    exit 1
  fi
}

expect "" mcts/tree.h '#include "env/move.h"' '#include <vector>' '#include "mcts/node.h"'
expect "env/a.h:2: env/ must not include \"mcts/tree.h\"" env/a.h '// text' '#include "mcts/tree.h"'
expect "mcts/a.cc:1: mcts/ must not include" mcts/a.cc '  #  include "train/config.h"'
expect "train/a.h:1: train/ must not include" train/a.h '#include "tests/cli/run_binary.h"'
expect "train/loop.cc:1: LibTorch" train/loop.cc '#include <torch/torch.h>'
expect "env/a.cc:1: LibTorch" env/a.cc '#include "ATen/Parallel.h"'
expect "" train/learner.cc '#include <torch/torch.h>'
expect "" train/learner_schedule.cc '#include <torch/torch.h>'
expect "" model/network.cc '#include <torch/torch.h>' '#include <ATen/ATen.h>'
