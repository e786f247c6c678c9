#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that can be tested on this machine; stops at the first part that fails. At the end stands
# what was skipped and why.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}

skipped=$(mktemp)
tell_skipped() {
    if [[ -s $skipped ]]; then
        printf '\n== skipped\n'
        cat "$skipped"
    else
        printf '\n== nothing was skipped\n'
    fi
    rm -f "$skipped"
}
trap tell_skipped EXIT

part() { # preset, what, ctest options
    local preset=$1 what=$2
    shift 2
    printf '\n== %s\n' "$what"
    scripts/build.sh "$preset"
    local code=0
    ctest --preset "$preset" --parallel "$jobs" --timeout 1800 --no-tests=error "$@" || code=$?
    scripts/skipped.sh "build/$preset/Testing/Temporary/LastTest.log" | sed "s/^  /  $preset: /" \
        >>"$skipped"
    return $code
}

scripts/deps.sh build test
printf '\n== build\n'
scripts/build.sh release
if [[ -e build/release/libtulle-cuda.so ]]; then
    sed -n 's/^CMAKE_CUDA_ARCHITECTURES:[A-Z]*=/libtulle-cuda: compiled for /p' build/release/CMakeCache.txt
else
    echo "  release: libtulle-cuda: not compiled, CMake finds no nvcc" >>"$skipped"
fi
# The emulated GPU takes most of the time of what runs on each place, and has its turn below, where
# it is watched.
TULLE_TEST_WHERE=cpu,cpu:2 part release "CPU, command line, installed tree, the emulator itself" \
    --label-exclude gpu
# AddressSanitizer leaves no room for the hooks, which see each access of a kernel: some of every
# family run with them, too.
watched='add|assembly|batch_chain|convert|diffusion|factor_api|factor_listed|formats|multivector'
watched+='|solve_launches|spgemm_api|spgemm_plus|spgemm_threads|spmm_api|spmv_api|trisolve_api|turn|uniform|vector'
TULLE_TEST_WHERE=emulated TULLE_EMU_ORDER=backward part release "the emulated GPU, each access watched" \
    --tests-regex "^test_($watched)\$"
if nvidia-smi --list-gpus >/dev/null 2>&1; then
    part release "the GPU of this machine" --label-regex gpu
else
    echo "  release: the GPU of this machine: nvidia-smi lists none" >>"$skipped"
fi
# Speed under sanitizers says nothing: what runs benchmarks is left out.
echo "  sanitize: cli/test_{bench*,help,pages,paper,tune}: speed under sanitizers says nothing" >>"$skipped"
part sanitize "CPU and emulated GPU under AddressSanitizer and UBSan" \
    --exclude-regex 'cli/test_(bench|help|pages|paper|tune)'
part fuzz "fuzzing what reads files, and a build without published kernels"
