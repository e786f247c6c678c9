#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs a build and installs the packages in a bare root of this machine's Debian release, where nothing but
# apt is, and uses them as a newcomer does: the program solves, man pages and completion are there, and
# a C program compiles against the library by pkg-config and runs.
# Usage: scripts/test-deb.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
if ! unshare --mount true 2>/dev/null; then
    echo "skipped: packages in a bare root: only root may make one"
    exit 0
fi
# shellcheck disable=SC1091
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
log=$(mktemp) packages=$(mktemp -d)
trap 'rm -rf "$log" "$packages"' EXIT
scripts/deb.sh "$1" "$packages/all" >/dev/null
mv "$packages"/all/*.deb "$packages"
rm -rf "$packages/all"
for package in "$packages"/*.deb; do
    dpkg-deb -f "$package" Maintainer | grep -q '^[^ <].* <.*@.*>$' || { echo "FAILED: no maintainer of $package" >&2; exit 1; }
    (($(dpkg-deb -f "$package" Description | wc -l) >= 4)) || { echo "FAILED: no description of $package" >&2; exit 1; }
done
cp tests/install/program.c examples/bracket.msh "$packages"

cat >"$packages/use.sh" <<'USE'
set -euo pipefail
cd "$(dirname "$0")"
tulle --version
tulle solve p2d5:100 | grep ': right$'
tulle solve bracket.msh --conductivity 0.5 --source 0 --dirichlet pipe=90 --robin wall=0.1:15 -o t.vtu | grep ': right$'
{ tulle spmv p2d5:10 --on emulated 2>&1 || true; } | grep 'make build'
test -s /usr/share/man/man1/tulle-solve.1 -a -s /usr/share/bash-completion/completions/tulle
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n' >matrix.mtx
cc -std=c17 program.c -o program $(pkg-config --cflags --libs tulle-io)
./program matrix.mtx
apt-get -qy purge tulle 'libtulle*' >/dev/null
! find /usr -name '*tulle*' | grep .
USE

sources=(/etc/apt/sources.list /etc/apt/sources.list.d/*.sources)
[[ -s ${sources[0]} ]] || sources=("${sources[@]:1}")
mmdebstrap --variant=apt --mode=root --format=null --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt=force-unsafe-io \
    --customize-hook="touch $packages/root-is-there" \
    --customize-hook="copy-in $packages /tmp" \
    --customize-hook="chroot \"\$1\" apt-get -qy install /tmp/$(basename "$packages")/*.deb gcc libc6-dev pkg-config" \
    --customize-hook="chroot \"\$1\" bash /tmp/$(basename "$packages")/use.sh" \
    "$release" - "${sources[@]}" >"$log" 2>&1 || {
    if [[ ! -e $packages/root-is-there ]]; then
        echo "skipped: packages in a bare root: none can be made here: $(grep '^E:' "$log" | head -n 1)"
        exit 0
    fi
    tail -n 40 "$log"
    echo "FAILED: packages in a bare root" >&2
    exit 1
}
