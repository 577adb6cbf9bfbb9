#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# install.sh: puts the ONNX runtime of package-lock.json into node_modules beside it, unless it is
# there. Exit code 77 and one line on stderr when that cannot be done: whoever calls is skipped.
set -euo pipefail

# The package has its CPU library; without this it would download the one for GPUs.
export ONNXRUNTIME_NODE_INSTALL=skip
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "$folder/../../scripts/npm_packages.sh" "$folder" "the ONNX runtime"
