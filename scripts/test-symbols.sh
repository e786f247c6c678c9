#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The libraries export the functions that the public headers declare, the few internal ones that
# tulle's own libraries and tool share (tests/exported-internals.txt), and nothing else. They need no
# OpenMP: src/core/threads has what the compiler makes of its pragmas.
# Usage: scripts/test-symbols.sh BUILD
set -euo pipefail
build=$1
root=$(dirname "$0")/..
failed=0

exported() { nm -D --defined-only "$build/$1" | awk '$2 ~ /[A-Z]/ {print $3}' | sort; }

complain() { # what, list
    [[ -z $2 ]] && return
    echo "$1: $2" | tr '\n' ' ' >&2
    echo >&2
    failed=1
}

# Libraries that are not always built, and without them their headers.
others=() without=()
for part in mpi nccl; do
    if [[ -e $build/libtulle-$part.so ]]; then others+=("libtulle-$part.so"); else without+=(! -name "comm_$part.h"); fi
done
declared=$(find "$root/include/tulle" -name '*.h' "${without[@]}" -exec cat {} + | tr '\n' ' ' | grep -oE 'TULLE_API [^();]*\(' |
    grep -oE 'tulle_\w+ *\($' | tr -d ' (' | sort -u)
internals=$(grep -v '^#' "$root/tests/exported-internals.txt" | sort)
libraries=$(for library in libtulle.so libtulle-io.so "${others[@]}"; do exported "$library"; done)

complain "exported, but not declared in include/tulle" \
    "$(comm -23 <(sort -u <<<"$libraries") <(sort -u <<<"$declared"$'\n'"$internals"))"
complain "declared in include/tulle, but not exported" \
    "$(comm -13 <(sort -u <<<"$libraries") <(echo "$declared"))"
complain "listed in tests/exported-internals.txt, but not exported" \
    "$(comm -13 <(sort -u <<<"$libraries") <(echo "$internals"))"
for backend in emu cuda; do
    library=libtulle-$backend.so
    [[ -e $build/$library ]] || continue
    complain "$library exports more than its table" "$(exported $library | grep -vx "tulle__${backend}_backend" || true)"
    complain "$library lacks its table" "$(comm -13 <(exported $library) <(echo "tulle__${backend}_backend"))"
done
for library in libtulle.so libtulle-io.so "${others[@]}"; do
    complain "$library needs an OpenMP" "$(readelf -d "$build/$library" | grep -oE '\[lib(g|i)?omp[^]]*\]' || true)"
done
exit $failed
