#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build tree into a temporary prefix, moves the prefix, and builds and runs a foreign
# program against it: in C and C++, through find_package and through pkg-config.
# Usage: scripts/test-install.sh BUILD
set -euo pipefail
build=$(realpath "$1")
source=$(realpath "$(dirname "$0")/../tests/install")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

quietly() {
    "$@" >log 2>&1 || { cat log; exit 1; }
}

quietly cmake --install "$build" --prefix "$tmp/first"
mv first prefix
lib=$(dirname "$(find prefix -name libtulle.so)")
export PKG_CONFIG_PATH=$tmp/$lib/pkgconfig

quietly cmake -S "$source" -B cmake -DCMAKE_PREFIX_PATH="$tmp/prefix"
quietly cmake --build cmake
./cmake/program-c matrix.mtx
./cmake/program-cpp matrix.tulle

read -ra flags < <(pkg-config --cflags --libs tulle-io)
cc -std=c17 -Wall -Wextra -Werror "$source/program.c" -o program-c "${flags[@]}"
c++ -std=c++17 -Wall -Wextra -Werror -x c++ "$source/program.c" -x none -o program-cpp "${flags[@]}"
LD_LIBRARY_PATH=$tmp/$lib ./program-c matrix.mtx.gz
LD_LIBRARY_PATH=$tmp/$lib ./program-cpp matrix.mtx.zst

prefix/bin/tulle --version
prefix/bin/tulle kernels >/dev/null
test -s "$(find prefix -name tulle.1)"
