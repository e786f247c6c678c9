#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make run: builds tulle and shows what it is for. Without an argument: heat in a bracket of steel, from
# a mesh to a verified answer with a picture, then all kernels of one product. With a matrix or a mesh
# (A=...): the same of that.
# Usage: scripts/run.sh [MATRIX or MESH]
set -euo pipefail
cd "$(dirname "$0")/.."
A=${1:-} tulle=build/user/tulle out=build/run
# A colon makes a model problem of the name, such as p2d5:100. A wrong path is said before minutes of building.
if [[ $A && $A != *:* && ! -r $A ]]; then
    echo "make run: A=$A: no such file, or it may not be read" >&2
    exit 2
fi
scripts/build-user.sh
mkdir -p $out

show() { # the command as a user types it, then what it prints
    printf '\n$ tulle'
    printf ' %q' "$@"
    printf '\n'
    "$tulle" "$@"
}

case $A in
'')
    show solve examples/bracket.msh --conductivity 0.5 --source 0 --dirichlet pipe=90 \
        --robin wall=0.1:15 --robin air=0.001:20 --plot - -o $out/bracket.vtu
    show bench --type f64 fem:150000
    ;;
*.msh | *.msh.* | *.vtu)
    show mesh info "$A"
    show solve "$A" --plot - -o $out/answer.vtu
    ;;
*)
    show info "$A"
    show solve "$A" --plot - -o $out/answer.mtx || echo "(tulle solve --help says what else there is to try)"
    show bench --type f64 "$A"
    ;;
esac

cat <<TXT

What next
  make run A=matrix.mtx           the same with your matrix, or your mesh (.msh)
  build/user/tulle --help         what the program does; each command has --help with examples
  make install PREFIX=/usr/local  libraries, program, headers, man pages; README.md has a first C program
TXT
[[ $A ]] || echo "  $out/bracket.vtu           the temperature in the bracket, for ParaView"
