#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Holds the sources to the order of the folders, env <- mcts <- model <- play <- train <- cli: each
# includes only folders to its left, and LibTorch appears only in model/ and in train/learner*. Names
# every line that breaks it. An argument names another tree to check.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "${1:-$root}"
folders=(env mcts model play train cli)
existing=()
for folder in "${folders[@]}"; do
  [[ ! -d $folder ]] || existing+=("$folder")
done
((${#existing[@]} > 0)) || fail "none of the folders ${folders[*]} is in $PWD" 2

# "file:line:#include ..." of every include.
includes=$(grep -rnE --include='*.h' --include='*.cc' '^[[:space:]]*#[[:space:]]*include' \
  "${existing[@]}" || true)

awk -v order="${folders[*]}" '
  BEGIN {
    count = split(order, names, " ")
    for (i = 1; i <= count; ++i) rank[names[i]] = i
    rank["tests"] = rank["bench"] = count + 1
  }
  {
    split($0, field, ":")
    file = field[1]
    split(file, folder, "/")
    if (!match($0, /[<"][^>"]*[>"]/)) next
    header = substr($0, RSTART + 1, RLENGTH - 2)
    split(header, part, "/")
    place = file ":" field[2] ": "
    if (part[1] in rank && rank[part[1]] > rank[folder[1]]) {
      print place folder[1] "/ must not include \"" header "\": " part[1] "/ is to its right"
      broken = 1
    }
    # The folders that LibTorch installs its headers in.
    torch = part[1] ~ /^(torch|ATen|c10|c10d|caffe2)$/
    if (torch && folder[1] != "model" && file !~ /^train\/learner[^\/]*$/) {
      print place "LibTorch (<" header ">) belongs only in model/ and train/learner*"
      broken = 1
    }
  }
  END { exit broken }
' <<<"$includes" >&2
