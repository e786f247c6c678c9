#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs the program, the GPU tests and run.sh into build/gpu-bundle/tulle-gpu.tar.xz. On the machine
# that it is for, a driver and glibc are enough: the rest is linked in, or in lib/.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/gpu-bundle
bundle=$build/tulle-gpu

scripts/build.sh gpu-bundle tulle-tool gpu-tests
rm -rf "$bundle"
mkdir -p "$bundle"/{bin,tests,lib,bench}
strip -o "$bundle/bin/tulle" $build/tulle
while read -r test; do
    strip -o "$bundle/tests/$test" "$build/tests/$test"
done <$build/gpu-tests.txt
cp $build/gpu-tests.txt "$bundle/tests/list"
cp -r bench/sets "$bundle/bench/sets"
mkdir "$bundle/bench/peers"
cp bench/peers/*.py "$bundle/bench/peers"
cp scripts/gpu-run.sh "$bundle/run.sh"
cp LICENSE "$bundle"
git describe --always --abbrev=12 --exclude='*' --dirty=+ >"$bundle/commit"

# Debian has no static form of these; all other libraries must be glibc's.
ldd "$bundle"/bin/* "$bundle"/tests/test_* | awk '$2 == "=>" {print $1, $3}' | sort -u |
    while read -r name path; do
        case $name in
        libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1) ;;
        libcjson.so.* | libcmocka.so.*) cp "$path" "$bundle/lib/$name" ;;
        *)
            echo "gpu-bundle: $name would be needed on the other machine" >&2
            exit 1
            ;;
        esac
    done

tar -C $build -c tulle-gpu | xz -T0 -6 >$build/tulle-gpu.tar.xz
du -h $build/tulle-gpu.tar.xz
