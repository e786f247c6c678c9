#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds a preset; says little unless something fails.
# Usage: scripts/build.sh PRESET [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset "$preset" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}
cmake --build --preset "$preset" --parallel "${JOBS:-$(nproc)}" ${1:+--target "$@"}
