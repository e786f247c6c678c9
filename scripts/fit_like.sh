#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Computes src/io/like_fitted.h again, after src/io/like_shapes.c or a row function has changed, and
# shows how far the stand-ins are from the papers' numbers. Takes minutes and 8 GB. With names of
# matrices as arguments only those are measured and nothing is written.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${CC:-cc} -std=c17 -O2 -fopenmp -ffp-contract=off -Isrc -Iinclude scripts/fit_like.c \
    src/io/like_shapes.c src/io/paper_matrices.c -o "$folder/fit_like"
"$folder/fit_like" "$@" >"$folder/fitted"
if [[ $# -eq 0 ]]; then
    clang-format-14 --style=file --assume-filename=src/io/like_fitted.h "$folder/fitted" >src/io/like_fitted.h
fi
