#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# format.sh [--check]: formats every C++ file with clang-format, or says which ones are not.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

mode=(-i)
case ${1:-} in
  "") ;;
  --check) mode=(--dry-run --Werror) ;;
  *) fail "unknown argument '$1'; usage: format.sh [--check]" 2 ;;
esac
command -v clang-format >/dev/null || fail "clang-format is not installed"

cd "$root"
folders=()
for folder in env mcts model play train cli tests bench; do
  [[ ! -d $folder ]] || folders+=("$folder")
done
find "${folders[@]}" \( -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 --no-run-if-empty clang-format --style=file "${mode[@]}"
