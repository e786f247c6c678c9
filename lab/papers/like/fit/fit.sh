#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Computes lab/papers/like/fitted.h again, after lab/papers/like/shapes.c or a row function has changed, and
# shows how far the stand-ins are from the papers' numbers. Takes minutes and 8 GB. With names of
# matrices as arguments only those are measured and nothing is written.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
like=lab/papers/like

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${CC:-cc} -std=c17 -O2 -fopenmp -ffp-contract=off -I. -Isrc -Iinclude $like/fit/fit.c $like/shapes.c \
    $like/matrices.c -o "$folder/fit"
"$folder/fit" "$@" >"$folder/fitted"
if [[ $# -eq 0 ]]; then
    clang-format-14 --style=file --assume-filename=$like/fitted.h "$folder/fitted" >$like/fitted.h
fi
