#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# run.sh MODEL INPUT OUTPUT: runs an ONNX model by onnxruntime-node; INPUT and OUTPUT are safetensors
# files (see model/run_program.h).
set -euo pipefail
exec node "$(dirname "${BASH_SOURCE[0]}")/run.mjs" "$@"
