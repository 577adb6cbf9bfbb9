#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check.sh MODEL: holds a model against ONNX's checker. Exit code 77 when no Python has it (on Debian:
# python3-onnx).
set -euo pipefail

for python in python3 /usr/bin/python3; do
  if "$python" -c 'import onnx' 2>/dev/null; then
    exec "$python" "$(dirname "${BASH_SOURCE[0]}")/check.py" "$1"
  fi
done
echo 'skipped: no Python has the ONNX checker; on Debian: apt-get install python3-onnx' >&2
exit 77
