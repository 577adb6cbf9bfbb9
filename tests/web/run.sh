#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# run.sh KHANZERO PAGE SCRIPT [ARGUMENTS]: starts `KHANZERO serve` with the built page in the folder
# PAGE on a free port, and runs SCRIPT of this folder with its address. Exit code 77 and one line on
# stderr where there is no Chromium, no npm or no page; else that of the script. SERVE_FLAGS are
# further arguments of `serve`.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binary=$1
page=$2
script=$3
shift 3
skip() {
  printf 'skipped: %s\n' "$1" >&2
  exit 77
}
"$here/../../scripts/npm_packages.sh" "$here/../../play/page" "the test of the page"
[[ -e $page/index.html ]] || "$here/../../scripts/build_page.sh" "$page"
node -e 'import(process.argv[1]).then(m => process.exit(m.findBrowser() ? 0 : 1))' "$here/chromium.mjs" ||
  skip "the test of the page needs Chromium; on Debian: apt-get install chromium"

# The server prints its address when it is there.
# shellcheck disable=SC2086
exec 3< <(exec "$binary" serve --port 0 --page "$page" ${SERVE_FLAGS:-})
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
url=
while [[ -z $url ]] && read -r line <&3; do
  case $line in "KhanZero is on "*) url=$(cut -d' ' -f4 <<<"$line") ;; esac
done
[[ -n $url ]] || exit 1
node "$here/$script" "$url" "$@"
