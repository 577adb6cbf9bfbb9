#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# build_page.sh [--if-possible] [FOLDER]: builds the page of `khanzero serve` into FOLDER
# (build/release/page), where the program looks for it: beside itself. The packages come from npm when
# they are not there. Does nothing when the page is newer than its sources. Exit code 77 and one line
# on stderr when node or npm or the packages are not to be had, or 0 with --if-possible; the program
# then says what is missing.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

skipped=77
if [[ ${1:-} == --if-possible ]]; then
  skipped=0
  shift
fi
(($# < 2)) || fail "it takes one folder, not $#" 2
[[ ${1:-} != -* ]] || fail "unknown argument '$1'" 2
folder=${1:-$root/build/release/page}
page=$root/play/page

if [[ -e $folder/index.html ]]; then
  newer=$(find "$page" -name node_modules -prune -o -type f -newer "$folder/index.html" -print)
  [[ -n $newer ]] || exit 0
fi
"$root/scripts/npm_packages.sh" "$page" "the page of khanzero serve" ||
  exit $(($? == 77 ? skipped : 1))
node "$page/build.mjs" "$folder"
touch "$folder/index.html"
