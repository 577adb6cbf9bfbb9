#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# install.sh: puts the packages of package-lock.json into node_modules beside it, unless they are
# there. Exit code 77 and one line on stderr when that cannot be done: whoever calls is skipped.
set -euo pipefail

folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "$folder/../../scripts/npm_packages.sh" "$folder" "the reference engine"
