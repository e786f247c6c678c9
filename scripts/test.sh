#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that can be tested on this machine; stops at the first part that fails. At the end stands
# what was skipped and why, and how long each part took.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}

skipped=$(mktemp) spent=''
# A part and its minutes, from when it began.
note_spent() {
    spent+=$(awk -v of="$1" -v s=$((SECONDS - $2)) 'BEGIN {printf "  %5.1f min  %s", s / 60, of}')$'\n'
}
tell_skipped() {
    if [[ -s $skipped ]]; then
        printf '\n== skipped\n'
        cat "$skipped"
    else
        printf '\n== nothing was skipped\n'
    fi
    rm -f "$skipped"
    printf '\n== spent\n%s' "$spent"
}
trap tell_skipped EXIT

part() { # preset, what, ctest options
    local preset=$1 what=$2 begin=$SECONDS code=0
    shift 2
    printf '\n== %s\n' "$what"
    scripts/build.sh "$preset"
    note_spent "$preset: build" $begin
    begin=$SECONDS
    ctest --preset "$preset" --parallel "$jobs" --timeout 1800 --no-tests=error "$@" || code=$?
    scripts/skipped.sh "build/$preset/Testing/Temporary/LastTest.log" | sed "s/^  /  $preset: /" \
        >>"$skipped"
    note_spent "$preset: tests" $begin
    return $code
}

scripts/deps.sh build test
printf '\n== build\n'
begin=$SECONDS
scripts/build.sh native
note_spent "native: build" $begin
if [[ -e build/native/libtulle-cuda.so ]]; then
    sed -n 's/^CMAKE_CUDA_ARCHITECTURES:[A-Z]*=/libtulle-cuda: compiled for /p' build/native/CMakeCache.txt
else
    echo "  native: libtulle-cuda: not compiled, CMake finds no nvcc" >>"$skipped"
fi
# All threads of the machine, and two of them.
where=cpu
[[ $(nproc) == 2 ]] || where+=,cpu:2
TULLE_TEST_WHERE=$where part native "CPU, command line, installed tree" --label-exclude gpu
if nvidia-smi --list-gpus >/dev/null 2>&1; then
    part native "the GPU of this machine" --label-regex gpu
else
    echo "  native: the GPU of this machine: nvidia-smi lists none" >>"$skipped"
fi
# Nothing in these is the emulator's, and they take long: other libraries, examples, pages of results.
echo "  sanitize: cli/test_{bench_peers,help,pages}: in the native build alone" >>"$skipped"
TULLE_TEST_WHERE=cpu:2,emulated part sanitize "CPU under AddressSanitizer and UBSan; emulated GPU, each access watched" \
    --exclude-regex 'cli/test_(bench_peers|help|pages)$'
part fuzz "fuzzing what reads files, and a build without published kernels"
