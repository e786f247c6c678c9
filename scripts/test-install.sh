#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build tree into a temporary prefix, moves the prefix, and builds and runs a foreign
# program against it: in C and C++, through find_package and through pkg-config; one for tulle.hpp, and two in Fortran,
# where gfortran is. Then, as root, the README's own commands with an empty /usr/local, which nobody else sees.
# Usage: scripts/test-install.sh BUILD
set -euo pipefail
build=$(realpath "$1")
root=$(realpath "$(dirname "$0")/..")
source=$root/tests/install
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

quietly() {
    "$@" >log 2>&1 || { cat log; exit 1; }
}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

quietly cmake --install "$build" --prefix "$tmp/first"
lib=$(dirname "$(find first -name libtulle.so)")
grep -q "LD_LIBRARY_PATH=$tmp/$lib, and pkg-config PKG_CONFIG_PATH=$tmp/$lib/pkgconfig" log ||
    fail "no word on where the libraries are: $(cat log)"
DESTDIR=$tmp/packaged quietly cmake --install "$build" --prefix /usr/local
! grep -q 'tulle: ' log || fail "a package asks for what its own scripts do: $(grep 'tulle: ' log)"
"$root/scripts/test-run-paths.sh" first
mv first prefix
lib=prefix/${lib#first/}
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

read -ra flags < <(pkg-config --cflags --libs tulle)
for compiler in g++ clang++; do
    for standard in c++17 c++20; do
        "$compiler" -std="$standard" -Wall -Wextra -Werror "$source/handles.cpp" -o handles "${flags[@]}"
        LD_LIBRARY_PATH=$tmp/$lib ./handles
    done
done
! "$compiler" -std=c++14 -fsyntax-only "$source/handles.cpp" "${flags[@]}" 2>log || fail "C++14 compiles"
grep -q 'error: .*-std=c++17 or later' log || fail "no word on C++17: $(cat log)"
! "$compiler" -std=c++17 -fsyntax-only -DTULLE_TEST_REFUSED "$source/handles.cpp" "${flags[@]}" 2>log ||
    fail "arrays of other types compile"
for refused in 'values are float or double' 'offsets and columns are std::int32_t' 'borrowed arrays must outlive' \
    'an array that calls write must not be const'; do
    grep -q "error: .*tulle: $refused" log || fail "no word that $refused: $(cat log)"
done

if command -v gfortran >/dev/null; then
    fortran=(gfortran -std=f2018 -Wall -Werror)
    module=$(pkg-config --variable=fortrandir tulle)/tulle.f90
    # Default integers of 64 bits convert the small numbers of the program, but nothing in the module.
    "${fortran[@]}" -fdefault-integer-8 -fsyntax-only "$module"
    for choice in '-fdefault-integer-8 -Wno-conversion' -fcheck=all; do
        read -ra choices <<<"$choice"
        "${fortran[@]}" "${choices[@]}" "$module" "$source/arrays.f90" -o arrays "${flags[@]}"
        LD_LIBRARY_PATH=$tmp/$lib ./arrays 2>log || fail "arrays.f90 with $choice: $(cat log)"
    done
    for ending in 'stop neither may be negative' 'copy an object is passed' 'copies an object is passed'; do
        ! LD_LIBRARY_PATH=$tmp/$lib ./arrays "${ending%% *}" >log 2>&1 || fail "no end of ./arrays ${ending%% *}"
        grep -q "ERROR STOP.*${ending#* }" log || fail "no word on ${ending#* }: $(cat log)"
    done
    "${fortran[@]}" -fopenmp -fcheck=all "$module" "$source/shared.F90" -o shared "${flags[@]}"
    LD_LIBRARY_PATH=$tmp/$lib ./shared 2>log || fail "shared.F90: $(cat log)"
    if command -v mpif90 mpirun >/dev/null && pkg-config --exists tulle-mpi; then
        read -ra mpi_flags < <(pkg-config --cflags --libs tulle-mpi)
        OMPI_FC=gfortran mpif90 -std=f2018 -Wall -Werror -DTULLE_TEST_MPI "$module" "${module%.f90}_mpi.f90" \
            "$source/shared.F90" -o shared-mpi "${mpi_flags[@]}"
        export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        LD_LIBRARY_PATH=$tmp/$lib mpirun -n 3 ./shared-mpi 2>log || fail "shared.F90 with MPI: $(cat log)"
    else
        echo "skipped: the Fortran module over MPI: no mpif90, or no libtulle-mpi"
    fi
    # A module that does not fit the library says which struct it is.
    sed 's/integer(c_int64_t) :: uneven, near$/&, more/' "$module" >other.f90
    "${fortran[@]}" other.f90 "$source/arrays.f90" -o arrays "${flags[@]}"
    ! LD_LIBRARY_PATH=$tmp/$lib ./arrays >log 2>&1 || fail "another tulle_facts is taken"
    grep -q 'ERROR STOP tulle_facts has [0-9]* bytes in the library and [0-9]* in tulle.f90' log ||
        fail "no word on another tulle_facts: $(cat log)"
else
    echo "skipped: the Fortran module: no gfortran"
fi

prefix/bin/tulle --version
prefix/bin/tulle kernels >/dev/null
test -s "$(find prefix -name tulle.1)"
for command in $(prefix/bin/tulle --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    grep -q "tulle $command" "$(find prefix -name "tulle-$command.1")" || fail "no man page of tulle $command"
done
test -z "$(find prefix -name '*emu*' -o -name '*peer*' -o -name '*tulle-lab*')" || fail "what is not the product is installed"
# shellcheck disable=SC1090
(source "$(find prefix -path '*bash-completion*' -name tulle)"
    COMP_WORDS=(tulle solve --prec) COMP_CWORD=2 && _tulle
    [[ ${COMPREPLY[*]} == --precond ]]) || fail "no completion of tulle solve --prec"

# What make run and make install build: what is installed, and a warning of another compiler is no error.
quietly make -C "$root" -n install
grep -q 'build-user.sh' log || fail "make install builds something else than make run"
quietly cmake --preset user -DTULLE_CUDA=OFF -S "$root" -B "$tmp/install"
quietly ninja -C "$tmp/install" -n -v
! grep -oE '(tests|examples|emulator|lab)/[a-z_/]+\.(c|cpp|cu)\.o' log || fail "make install builds what is not installed"
! grep -o -- '-Werror' log || fail "make install makes warnings errors"

# The README to the letter, with `make install` already built. Mounts of its own: /usr/local is empty,
# and what ldconfig writes into /etc stays there.
recipe=$(grep -E '^(cc|c\+\+|gfortran) .*examples/' "$root/README.md")
(($(wc -l <<<"$recipe") == 10)) || fail "the README has no ten commands that compile: $recipe"
command -v gfortran >/dev/null || recipe=$(grep -v '^gfortran' <<<"$recipe")
cat >bare.sh <<'BARE'
set -euo pipefail
cp -a /etc etc
mount --bind etc /etc
mount -t tmpfs none /usr/local
ldconfig
unset PKG_CONFIG_PATH LD_LIBRARY_PATH
cmake --install "$1" --prefix /usr/local >log
if grep 'tulle: ' log; then exit 1; fi
ln -s "$2/examples" examples
while read -r line; do
    echo "$line"
    eval "$line"
done <<<"$3"
BARE
if command -v cmake cc pkg-config | grep -q '^/usr/local/'; then
    echo "skipped: the README's commands in an empty /usr/local: the tools are in there"
elif unshare --mount true 2>/dev/null; then
    unshare --mount bash bare.sh "$build" "$root" "$recipe"
else
    echo "skipped: the README's commands in an empty /usr/local: only root may mount one"
fi
