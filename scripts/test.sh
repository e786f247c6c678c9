#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that can be tested on this machine; stops at the first part that fails.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}

part() { # preset, what, ctest options
    local preset=$1 what=$2
    shift 2
    printf '\n== %s\n' "$what"
    scripts/build.sh "$preset"
    ctest --preset "$preset" --parallel "$jobs" --timeout 900 --no-tests=error "$@"
}

scripts/deps.sh build test
part release "CPU, emulated GPU, command line, installed tree" --label-exclude gpu
if nvidia-smi --list-gpus >/dev/null 2>&1; then
    part release "the GPU of this machine" --label-regex gpu
fi
# Speed under sanitizers says nothing: what runs benchmarks is left out.
part sanitize "CPU and emulated GPU under AddressSanitizer and UBSan" \
    --exclude-regex 'cli/test_(bench|help|pages|paper|tune)'
part fuzz "fuzzing what reads files"
