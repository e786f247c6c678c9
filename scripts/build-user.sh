#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds what a user runs, in build/user: the libraries and the program. The GPU part is built where
# nvidia-smi finds a GPU, for that GPU; with --gpu it is built anyway, for the architectures that
# CUDAARCHS names or for all that tulle ships. Once it was asked for, later builds keep it. --quiet says
# nothing of the GPU part, and nothing at all where little is to be compiled.
# Usage: scripts/build-user.sh [--gpu] [--quiet]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)} build=build/user
# Of CPU time, the means over all files on a machine of 2025; of those by nvcc, for each architecture.
SECONDS_A_FILE=0.6 SECONDS_A_GPU_FILE=4.5

wanted='' quiet=''
for word in "$@"; do
    case $word in
    --gpu) wanted=1 ;;
    --quiet) quiet=1 ;;
    *)
        echo "build-user.sh: unknown option $word (--gpu, --quiet)" >&2
        exit 2
        ;;
    esac
done
say() { [[ $quiet ]] || echo "$@"; }

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
here=$({ nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true; } | tr -d . | sort -u | paste -sd ';')
kept=$(sed -n 's/^TULLE_CUDA:.*=ON$/1/p' $build/CMakeCache.txt 2>/dev/null || true)
options=(-DTULLE_CUDA=OFF)
if [[ $wanted || $here || $kept ]]; then
    if [[ $nvcc ]]; then
        options=(-DTULLE_CUDA=ON "-DCMAKE_CUDA_COMPILER=$nvcc")
        [[ $here && ! $wanted && ! $kept ]] && options+=("-DCMAKE_CUDA_ARCHITECTURES=${here//;/-real;}-real")
        say "GPU part: yes, by $nvcc"
    elif [[ $wanted ]]; then
        echo "build-user.sh: the GPU part needs nvcc, which is not on the PATH nor in /usr/local/cuda/bin: install NVIDIA's CUDA toolkit" >&2
        exit 3
    else
        say "GPU part: no, since there is a GPU but no nvcc (NVIDIA's CUDA toolkit) on the PATH"
    fi
else
    say "GPU part: no, since nvidia-smi finds no GPU (make gpu builds it anyway)"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset user "${options[@]}" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}
# A dry run of ninja stops at the question whether CMake's lists of files are still right: what is left
# to compile is counted by the objects that are not there.
files=0 gpu_files=0
while read -r object; do
    [[ -e $build/$object ]] || ((++files))
    [[ -e $build/$object || $object != *.cu.o ]] || ((++gpu_files))
done < <(ninja -C $build -t targets all | sed -n 's/^\([^ ]*\.o\): .*/\1/p')
few=10 # files that take no time worth a word
if ((files > few)); then
    # All of these architectures are compiled for: "80-real;90".
    cards=$(sed -n 's/^CMAKE_CUDA_ARCHITECTURES:[A-Z]*=//p' $build/CMakeCache.txt | tr ';' '\n' | grep -c .) || true
    echo "building the library and the program: $files files, about $(awk -v n=$((files - gpu_files)) -v s=$SECONDS_A_FILE \
        -v g=$((gpu_files * cards)) -v t=$SECONDS_A_GPU_FILE -v j="$jobs" \
        'BEGIN {m = (n * s + g * t) / j / 60; printf m < 1.5 ? "a minute" : "%.0f minutes", m}') on $jobs cores"
fi

# Lines of progress where there is no terminal: one for each fifth of the way.
say_fifths() {
    local line fifth last=0
    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        fifth=$((5 * BASH_REMATCH[1] / BASH_REMATCH[2]))
        ((BASH_REMATCH[2] > few && fifth > last && fifth < 5)) || continue
        echo "  ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} steps"
        last=$fifth
    done
}
# On a terminal ninja draws one line that counts.
if [[ -t 1 && ! $quiet ]]; then
    ninja -C $build -j "$jobs"
else
    NINJA_STATUS='[%f/%t] ' ninja -C $build -j "$jobs" 2>&1 | tee "$log" | say_fifths || {
        cat "$log" >&2
        exit 1
    }
fi
