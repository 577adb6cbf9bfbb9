#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# install.sh: puts the packages of package-lock.json into node_modules beside it, unless they are
# there. Exit code 77 and one line on stderr when that cannot be done: whoever calls is skipped.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
skip() {
  printf 'skipped: %s\n' "$1" >&2
  exit 77
}
for program in node npm; do
  command -v "$program" >/dev/null ||
    skip "the reference engine needs $program; on Debian: apt-get install nodejs npm"
done

# Two callers at once: the second waits, and then finds the packages in place.
exec 9<package-lock.json
flock 9
[[ ! node_modules/.package-lock.json -nt package-lock.json ]] || exit 0
if ! output=$(npm ci --loglevel=error 2>&1); then
  rm -rf node_modules
  skip "npm could not install the reference engine: ${output%%$'\n'*}"
fi
touch node_modules/.package-lock.json
