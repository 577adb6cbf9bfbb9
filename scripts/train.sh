#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# train.sh [CONFIG] [ARGUMENTS OF 'khanzero train']: from a fresh checkout to a trained agent. Sets
# up, builds, and trains in runs/NAME, NAME being the configuration's; a run that is there is resumed.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

config=$root/configs/khans-quick.yaml
if (($# > 0)) && [[ $1 != -* ]]; then
  config=$1
  shift
  # From anywhere: configs/khans.yaml also means the one beside the scripts.
  [[ -e $config || ! -e $root/$config ]] || config=$root/$config
fi
if [[ ! -f $config ]]; then
  fail "no configuration '$config'; there are: $(cd "$root" && echo configs/*.yaml)" 2
fi

run=(--run "$root/runs/$(basename "$config" .yaml)")
for argument in "$@"; do
  [[ $argument != --run && $argument != --run=* ]] || run=()
done

"$root/scripts/setup.sh"
"$root/scripts/build.sh" release khanzero
exec "$root/build/release/khanzero" train --config "$config" "${run[@]}" "$@"
