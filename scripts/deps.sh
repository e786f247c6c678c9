#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what tulle needs and the machine lacks, on Debian and its relatives.
# Usage: scripts/deps.sh GROUP...   (run, install, build, metis, mpi, petsc, peers, test, lint, docs, deb, wheel, bundle)
# A group has what its target needs and no more: `run` is all that a newcomer gets.
# Of the peers Debian lacks PyAMG: `pip install --target FOLDER pyamg`, and TULLE_PYAMG=FOLDER for tulle-lab.
set -euo pipefail

declare -A packages=(
    [run]="gcc g++ cmake ninja-build pkg-config libarchive-dev libcjson-dev libfast-float-dev
           libxxhash-dev zlib1g-dev libzstd-dev libsuitesparse-dev"
    [peers]="python3-scipy libgraphblas-dev python3-petsc4py openmpi-bin"
    [metis]="libmetis-dev"
    [mpi]="libopenmpi-dev openmpi-bin"
    [petsc]="petsc-dev"
    [test]="abigail-tools dpkg-dev file gfortran groff-base mmdebstrap clang libclang-rt-dev libomp-dev binutils locales python3 python3-pandas python3-matplotlib
            python3-meshio python3-mpi4py python3-cffi python3-pytest python3-scipy python3-torch python3-venv chromium"
    [lint]="clang-format clang-tidy-22 cppcheck shellcheck"
    [docs]="doxygen"
    [wheel]="python3-venv nettle-dev liblzma-dev"
    [deb]="dpkg-dev file"
    [bundle]="xz-utils"
)
packages[install]="${packages[run]} help2man"
packages[build]="${packages[install]} ${packages[metis]} ${packages[mpi]} ${packages[petsc]} git ccache libboost-context-dev libcmocka-dev libeigen3-dev librsb-dev"

wanted=()
for group in "$@"; do
    read -ra names -d '' <<<"${packages[$group]} " || true
    wanted+=("${names[@]}")
done

if ! command -v apt-get >/dev/null; then
    echo "tulle: this is not Debian; install what these Debian packages contain: ${wanted[*]}" >&2
    exit 0
fi

missing=()
for name in "${wanted[@]}"; do
    [[ $(dpkg-query -Wf '${Status}' "$name" 2>/dev/null) == "install ok installed" ]] ||
        missing+=("$name")
done
((${#missing[@]})) || exit 0

if ((EUID)); then
    echo "tulle: packages are missing; as root: apt-get install ${missing[*]}" >&2
    exit 1
fi
echo "tulle: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { apt-get -q update && apt-get -qy install --no-install-recommends "$@"; }
# Debian 12 has clang-tidy 22 among its security updates; where it is not, the distribution's own looks.
{ install "${missing[@]}" || install "${missing[@]/%clang-tidy-22/clang-tidy}"; } >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}
