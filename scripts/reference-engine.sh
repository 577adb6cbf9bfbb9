#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# reference-engine.sh: the reference engine (Fairy-Stockfish from npm) as a UCI process that knows
# both games, for `khanzero match --b uci:scripts/reference-engine.sh`. The engine comes from npm
# into tests/oracle/node_modules when it is not there. The serbest it plays is an approximation: it
# needs the legal moves with `go ... searchmoves`, which khanzero gives it. Exit code 2 for bad
# usage, 77 when node, npm or the packages are not to be had.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

(($# == 0)) || fail "unknown argument '$1'; it takes none, only UCI on its input" 2
"$root/tests/oracle/install.sh"
exec node "$root/tests/oracle/uci_engine.mjs"
