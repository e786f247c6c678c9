#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs a build into Debian packages: libtulle0.MINOR, libtulle-dev, tulle, and libtulle-cuda,
# libtulle-mpi and libtulle-nccl where these were built. The maintainer is whom DEBFULLNAME and DEBEMAIL name, as for Debian's own tools, or
# else who made the last commit.
# Usage: scripts/deb.sh [BUILD [FOLDER]]   (build/user, and build/deb for the packages)
set -euo pipefail
cd "$(dirname "$0")/.."
from=$(realpath "${1:-build/user}")
version=$(sed -n 's/^#define TULLE_VERSION_[A-Z]* //p' include/tulle/version.h | paste -sd .)
soname=${version%.*} machine=$(dpkg --print-architecture) build=${2:-build/deb}
maintainer="${DEBFULLNAME:-} <${DEBEMAIL:-}>"
if [[ -z ${DEBFULLNAME:-} || -z ${DEBEMAIL:-} ]]; then
    maintainer=$(git log -1 --format='%an <%ae>' 2>/dev/null || echo "The tulle authors <tulle@localhost>")
fi
rm -rf "$build"
mkdir -p "$build"
build=$(realpath "$build")
DESTDIR=$build/all cmake --install "$from" --prefix /usr --strip >/dev/null
# It is for the version of PETSc that it was compiled with.
find "$build/all" -name 'libpetsctulle.so' -delete
# dpkg-shlibdeps wants a source package around it.
mkdir -p "$build/debian"
printf 'Source: tulle\nPackage: tulle\nArchitecture: any\n' >"$build/debian/control"

put() { # package, pattern of paths below /usr...
    local package=$1 folder=$build/$1 path
    shift
    (cd "$build"/all/usr && find . \( -type f -o -type l \) | sed 's/^\.//' | grep -E "$@") | while read -r path; do
        mkdir -p "$folder/usr$(dirname "$path")"
        mv "$build/all/usr$path" "$folder/usr$path"
    done
    [[ -d $folder ]] || return 1
}
pack() { # package, section, summary, dependencies of its own; what is in it on standard input
    local package=$1 folder=$build/$1 needs=${4:-} found about
    about=$(sed 's/^/ /')
    found=$(cd "$build" && find "$package" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print0 |
        xargs -0r dpkg-shlibdeps -O --ignore-missing-info -l"$PWD/all/usr/lib" -l"$PWD/libtulle$soname/usr/lib" 2>/dev/null |
        sed -n 's/^shlibs:Depends=//p')
    mkdir -p "$folder/DEBIAN" "$folder/usr/share/doc/$package"
    cp LICENSE "$folder/usr/share/doc/$package/copyright"
    cat >"$folder/DEBIAN/control" <<CONTROL
Package: $package
Version: $version
Architecture: $machine
Section: $2
Priority: optional
Maintainer: $maintainer
Installed-Size: $(du -sk "$folder/usr" | cut -f 1)
Depends: $(sed 's/^, //; s/, $//' <<<"$needs, $found")
Description: $3
$about
CONTROL
    [[ $package != lib*[0-9a] ]] || printf 'activate-noawait ldconfig\n' >"$folder/DEBIAN/triggers"
    dpkg-deb --root-owner-group --build "$folder" "$build/${package}_${version}_$machine.deb" >/dev/null
    echo "$build/${package}_${version}_$machine.deb: $(stat -c %s "$build/${package}_${version}_$machine.deb") bytes"
}

cuda=1
put libtulle-cuda '/libtulle-cuda\.so' || cuda=''
nccl=1
put libtulle-nccl '/libtulle-nccl\.so|/tulle-nccl' || nccl=''
mpi=1
put libtulle-mpi '/libtulle-mpi\.so|/tulle-mpi' || mpi=''
put "libtulle$soname" '^/lib.*/libtulle[^/]*\.so\.'
put tulle '^/(bin/|share/(man|tulle/bench|bash-completion)/)'
put libtulle-dev '^/(include/|lib.*/(cmake|pkgconfig)/|lib.*\.so$|share/(doc|tulle/fortran)/)'
rest=$(cd "$build"/all && find . -type f)
[[ -z $rest ]] || { echo "deb.sh: in no package: $rest" >&2; exit 1; }
pack "libtulle$soname" libs "sparse linear algebra on NVIDIA GPUs and CPUs: the library" <<'ABOUT'
tulle multiplies, adds, transposes, factorises and solves with sparse
matrices, assembles finite elements, and runs thousands of small systems
at once, on all cores of a CPU or on a GPU. This package has the library
and libtulle-io, which reads and writes matrices and meshes.
ABOUT
[[ -z $cuda ]] || pack libtulle-cuda libs "sparse linear algebra: the GPU part, which needs NVIDIA's driver" "libtulle$soname (= $version)" <<'ABOUT'
tulle multiplies, adds, transposes, factorises and solves with sparse
matrices. This package has its kernels for NVIDIA GPUs; the library opens
it by itself where a GPU and NVIDIA's driver are, and does the same work
on the CPU where they are not.
ABOUT
[[ -z $nccl ]] || pack libtulle-nccl libs "sparse linear algebra: over many GPUs, by NCCL" "libtulle$soname (= $version)" <<'ABOUT'
tulle multiplies, adds, transposes, factorises and solves with sparse
matrices. This package has communicators over NCCL, for programs whose
processes share the rows of a matrix and have a GPU each.
ABOUT
[[ -z $mpi ]] || pack libtulle-mpi libs "sparse linear algebra: over many processes, by MPI" "libtulle$soname (= $version)" <<'ABOUT'
tulle multiplies, adds, transposes, factorises and solves with sparse
matrices. This package has communicators over MPI, for programs whose
processes share the rows of a matrix.
ABOUT
pack tulle math "sparse linear algebra: the program" "libtulle$soname (= $version)" <<'ABOUT'
tulle multiplies, adds, transposes, factorises and solves with sparse
matrices. This package has the program: it solves and looks at a matrix
or a mesh in a file, verifies what it computed, says why it took which
kernel, and measures all of them. Man pages and completion are there.
ABOUT
pack libtulle-dev libdevel "sparse linear algebra: headers, examples and what links programs" "libtulle$soname (= $version)" <<'ABOUT'
tulle multiplies, adds, transposes, factorises and solves with sparse
matrices, on NVIDIA GPUs and CPUs. This package has what programs in C,
C++ and Fortran are compiled and linked with: headers, the source of the
Fortran module, files for pkg-config and CMake, and examples.
ABOUT
