#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs the program, the GPU tests, the library of both and run.sh into
# build/gpu-bundle/tulle-gpu.tar.xz. On the machine that it is for, a driver and glibc are enough:
# the rest is linked into the library, or beside it in lib/.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/gpu-bundle
bundle=$build/tulle-gpu

scripts/build.sh gpu-bundle tulle-tool tulle-lab gpu-tests
rm -rf "$bundle"
cmake --install $build --prefix "$bundle" --strip >/dev/null
git describe --always --abbrev=12 --exclude='*' --dirty=+ >"$bundle/commit"

# Debian has no static form of these that a shared library can hold; all others must be glibc's.
ldd "$bundle"/bin/* "$bundle"/lib/* "$bundle"/tests/test_* | awk '$2 == "=>" {print $1, $3}' | sort -u |
    while read -r name path; do
        case $name in
        libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1) ;;
        libtulle-internals.so) ;;
        libamd.so.* | libcjson.so.* | libcmocka.so.* | libgomp.so.* | libsuitesparseconfig.so.*) cp "$path" "$bundle/lib/$name" ;;
        *)
            echo "gpu-bundle: $name would be needed on the other machine" >&2
            exit 1
            ;;
        esac
    done

tar -C $build -c tulle-gpu | xz -T0 -6 >$build/tulle-gpu.tar.xz
printf '%s: %d bytes, unpacked %d\n' $build/tulle-gpu.tar.xz \
    "$(stat -c %s $build/tulle-gpu.tar.xz)" "$(du -sb $bundle | cut -f 1)"
