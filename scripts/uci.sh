#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# uci.sh [ARGUMENTS OF 'khanzero uci']: the UCI engine as one program without arguments, for chess
# programs that ask for nothing but a file. It neither sets up nor builds: such programs do not wait
# for that. KHANZERO_BINARY names another binary than that of the release build.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

binary=${KHANZERO_BINARY:-$root/build/release/khanzero}
[[ -x $binary ]] || fail "there is no $binary; build it with scripts/build.sh release khanzero" 2
exec "$binary" uci "$@"
