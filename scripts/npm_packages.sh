#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# npm_packages.sh FOLDER WHAT: puts the packages of FOLDER/package-lock.json into FOLDER/node_modules,
# unless they are there. Exit code 77 and one line on stderr when that cannot be done: whoever calls
# is skipped. WHAT is what needs them, as that line calls it.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

(($# == 2)) || fail "it takes a folder and what needs its packages" 2
skip() {
  printf 'skipped: %s\n' "$1" >&2
  exit 77
}
for program in node npm; do
  command -v "$program" >/dev/null || skip "$2 needs $program; on Debian: apt-get install nodejs npm"
done
cd "$1"

# Two callers at once: the second waits, and then finds the packages in place.
exec 9<package-lock.json
flock 9
[[ ! node_modules/.package-lock.json -nt package-lock.json ]] || exit 0
if ! output=$(npm ci --loglevel=error --no-audit --no-fund --prefer-offline --fetch-retries=1 2>&1); then
  rm -rf node_modules
  skip "npm could not install the packages of $2: ${output%%$'\n'*}"
fi
touch node_modules/.package-lock.json
