# SPDX-License-Identifier: Apache-2.0
# Files that are not what they should be: exit code 2 and one line with file, line and what is wrong.
source "$(dirname "$0")/common.sh"

head='%%MatrixMarket matrix coordinate real general'

# bad_text NAME LINE PATTERN TEXT: a file with that text, the line that is at fault; what must be said of it.
bad_text() {
    local name=$1 line=$2 pattern=$3
    printf '%b' "$4" >"$name"
    bad "^tulle: $name:$line: .*$pattern" tulle info "$name"
    run 2 tulle convert "$name" out.mtx
    check "$name leaves no output" test ! -e out.mtx
}

: >empty.mtx
bad 'empty.mtx' tulle info empty.mtx
mkdir folder.mtx
bad 'folder.mtx.*directory' tulle info folder.mtx
bad 'missing.mtx: no such file' tulle info missing.mtx
head -c 5000 /dev/urandom >binary.mtx
bad 'binary.mtx' tulle info binary.mtx
printf 'just text\n' >text.mtx
bad 'text.mtx' tulle info text.mtx
printf '{"json": true}' >json.mtx
bad 'json.mtx' tulle info json.mtx

# Of other kinds of files: what they are, and what to do.
other() {
    printf '%b' "$3" >"$1"
    bad "^tulle: $1: is .*$2" tulle info "$1"
    bad "^tulle: $1: is .*$2" tulle solve p2d5:3 -b "$1"
}
other a.msh.txt 'Gmsh.*: tulle mesh info a.msh.txt' '\0044MeshFormat\n4.1 0 8\n'
other a.vtu.txt 'VTK.*: tulle mesh info a.vtu.txt' '<VTKFile type="UnstructuredGrid">\n'
other a.vtk 'VTK.s old form.*meshio convert' '# vtk DataFile Version 3.0\n'
other a.npy 'npy.*numpy.load.*save_npz.*mmwrite' '\0223NUMPY\001'
other a.h5 'HDF5.*h5py.*save_npz.*mmwrite.*meshio convert' '\0211HDF\r\n\032\n'
other a.nc 'NetCDF.*netcdf_file.*save_npz.*mmwrite' 'CDF\001'
other a.mat 'MATLAB.*loadmat.*save_npz.*mmwrite' 'MATLAB 5.0 MAT-file'
other b.mat 'MATLAB 7.3.*h5py.*save_npz.*mmwrite.*-v7' 'MATLAB 7.3 MAT-file'
printf '%b' '\0000\022\0173\0120' >a.petsc
bad '^tulle: a.petsc: the file is cut off' tulle info a.petsc
printf 'PK\003\004\024' >a.npz
bad '^tulle: a.npz: the zip archive is cut off' tulle info a.npz
other a.zip 'zip archive without members' 'PK\005\006'
other a.bz2 'bzip2.*gzip' 'BZh91AY'
other a.utf16 'UTF-16.*UTF-8' '\0377\0376%'

bad_text a.rsa 3 'ends inside the head' 'title   key\n 3 1 1 1\nRSA            3 3 3 0\n'
bad_text a.rse 3 'unassembled' 'title   key\n 3 1 1 1\nRSE            3 3 3 0\n'
bad_text b.cua 3 'complex' 'title   key\n 3 1 1 1\nCUA            3 3 3 0\n'
bad_text few.mtx '[0-9]+' '' "$head\n3 3 3\n1 1 1\n2 2 2\n"
bad_text many.mtx 4 '' "$head\n3 3 1\n1 1 1\n2 2 2\n"
bad_text row.mtx 3 '' "$head\n3 3 1\n4 1 1\n"
bad_text column.mtx 4 '' "$head\n3 3 2\n1 1 1\n1 4 1\n"
bad_text zero.mtx 3 '' "$head\n3 3 1\n0 1 1\n"
bad_text negative.mtx 3 '' "$head\n3 3 1\n-1 1 1\n"
bad_text word.mtx 3 '' "$head\n3 3 1\n1 1 one\n"
bad_text nan.mtx 3 '' "$head\n3 3 1\n1 1 nan\n"
bad_text short.mtx 3 '' "$head\n3 3 1\n1 1\n"
bad_text long.mtx 3 '' "$head\n3 3 1\n1 1 1 1\n"
bad_text size.mtx 2 '' "$head\n99999999999999999999 1 1\n1 1 1\n"
bad_text product.mtx 2 '' "%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n"
bad_text sizes.mtx 2 '' "$head\n3 3\n1 1 1\n"
bad_text rectangle.mtx 2 '' "%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n2 1 1\n"
bad_text skew.mtx 3 '' "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n1 1 1\n"
bad_text complex.mtx 1 'complex' "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n"
bad_text negative_unsigned.mtx 3 'negative' "%%MatrixMarket matrix array unsigned-integer general\n1 1\n-1\n"
bad_text range.mtx 3 'too large for f64' "$head\n1 1 1\n1 1 1.5+309\n"
bad_text hermitian.mtx 1 '[Cc]omplex|[Hh]ermitian' \
    "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 0\n"
bad_text vector.mtx 1 '' "%%MatrixMarket vector coordinate real general\n1 1 1\n1 1 1\n"

# Cut off in the middle of a compressed stream, of an archive and of the binary form.
run 0 tulle gen random:500,500,9 whole.mtx
for ending in mtx.gz mtx.xz mtx.zst tulle; do
    run 0 tulle convert whole.mtx "whole.$ending"
    head -c $(($(stat -c %s "whole.$ending") / 2)) "whole.$ending" >"cut.$ending"
    bad "cut.$ending" tulle info "cut.$ending"
done
cp whole.tulle broken.tulle
printf '\377\377\377\377' | dd of=broken.tulle bs=1 seek=200 conv=notrunc status=none
bad 'broken.tulle' tulle info broken.tulle

# Root may read everything unless it gives that right up.
unprivileged=()
[ "$(id -u)" = 0 ] && unprivileged=(setpriv --bounding-set=-dac_override,-dac_read_search)
chmod 000 whole.mtx
bad 'whole.mtx.*[Pp]ermission' "${unprivileged[@]}" tulle info whole.mtx
mkdir closed
chmod 555 closed
bad 'closed/a.mtx.*[Pp]ermission' "${unprivileged[@]}" tulle gen p2d5:3 closed/a.mtx
chmod 755 closed

# What a bad vector is, of standard input, too; a full disk, in the middle of the work and at its end.
printf '%s\n9 1 1\n1 1 x\n' "$head" >vector.mtx
bad '^tulle: vector.mtx:3: ' tulle solve p2d5:3 -b vector.mtx
bad '^tulle: standard input: is empty' tulle solve p2d5:3 -b -
run 2 sh -c 'tulle solve p2d5:3 -b - <vector.mtx'
run 2 sh -c 'tulle info - <vector.mtx'
one_line_with '^tulle: standard input:3: '
for command in spmv solve transpose; do
    bad '^tulle: /dev/full: .*give the name of a file' tulle $command p2d5:3 -o /dev/full
done
bad '^tulle: /dev/full: .*give the name of a file' tulle convert p2d5:3 /dev/full
run 1 sh -c 'tulle info p2d5:3 >/dev/full'
check "a full standard output" grep -q '^tulle: standard output: No space left' "$err"

# Nothing is allocated to the size of a lie, nor to what a bomb unpacks to.
peak_memory_mb() {
    python3 - "$@" <<'PYTHON'
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], capture_output=True).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024 if code == 2 else 10**9)
PYTHON
}
printf '%s\n1000000 1000000 900000000000\n1 1 1\n' "$head" >lie.mtx
bad 'lie.mtx' tulle info lie.mtx
check "a lie about entries costs no memory" test "$(peak_memory_mb tulle info lie.mtx)" -lt 500
printf '%s\n2000000000 2000000000 1\n1 1 x\n' "$head" >wide.mtx
bad 'wide.mtx' tulle info wide.mtx
check "a lie about rows costs no memory" test "$(peak_memory_mb tulle info wide.mtx)" -lt 500
{ printf '%s\n3 3 1\n' "$head"; head -c 1000000000 /dev/zero; } | gzip -1 >bomb.mtx.gz
bad 'bomb.mtx.gz' tulle info bomb.mtx.gz
check "a bomb costs no memory" test "$(peak_memory_mb tulle info bomb.mtx.gz)" -lt 500
# A name of a mesh is none of a matrix, and what to do with it is said.
bad '^tulle: box:6: no such file.*; for the mesh tulle solve takes box-[a-z]*:6, or --element [a-z]* \(tulle mesh make --list' \
    tulle solve box:6
bad '^tulle: box-tet:6: .*a mesh has that name: tulle solve solves on it, and tulle mesh make box-tet:6 -o FILE' \
    tulle info box-tet:6
bad 'did you mean box-tet\?' tulle solve bx-tet:6
run 2 tulle mesh info a.h5
check "what to do with another mesh" grep -q 'meshio convert FILE out.msh$' "$err"
run 0 tulle mesh make box-tet:2 -o box.msh
bad '^tulle: box.msh: is a mesh, not a matrix: tulle mesh info box.msh; tulle solve' tulle info box.msh
finish
