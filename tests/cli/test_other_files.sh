# SPDX-License-Identifier: Apache-2.0
# Matrices that SciPy has written load as what its Matrix Market files hold.
source "$(dirname "$0")/common.sh"
python=${TULLE_PYTHON:-/usr/bin/python3}

if ! "$python" -c 'import scipy' 2>/dev/null; then
    skipped "files of SciPy: there is no SciPy (scripts/deps.sh peers)"
    finish
    exit
fi

"$python" - <<'PYTHON'
import numpy, scipy.io, scipy.sparse as sparse

real = sparse.random(30, 20, 0.2, format="csr", random_state=1)
real.data[:4] = [1e-30, -1e30, 123456789, -0.5]
whole = sparse.csr_matrix(numpy.round(abs(real).minimum(50).toarray() * 100).astype("i8"))
scipy.io.mmwrite("real.mtx", real, precision=17)
scipy.io.mmwrite("whole.mtx", whole)
for form in "csr", "csc", "coo":
    for packed in False, True:
        sparse.save_npz(f"real-{form}-{packed}.npz", real.asformat(form), compressed=packed)
sparse.save_npz("whole-i8.npz", whole)
sparse.save_npz("whole-u2.npz", whole.tocoo().astype(">u2"))
tiled = sparse.bsr_matrix(sparse.kron(sparse.eye(5), numpy.arange(1.0, 7).reshape(2, 3)), blocksize=(2, 3))
sparse.save_npz("tiled-bsr.npz", tiled)
scipy.io.mmwrite("tiled.mtx", tiled, precision=17)
sparse.save_npz("dia.npz", sparse.eye(3, format="dia"))
sparse.save_npz("complex.npz", real * 1j)
scipy.io.hb_write("real-hb.rua", real.tocsc())
scipy.io.hb_write("whole-hb.rua", whole.tocsc())
numpy.savez("arrays.npz", a=numpy.arange(3))
numpy.save("array.npy", numpy.arange(3.0))
PYTHON

for pack in gzip xz zstd; do $pack --keep --quiet real-hb.rua; done
for file in real-* whole-* tiled-*; do
    run 0 tulle convert "$file" read.mtx
    run 0 tulle convert "${file%%-*}.mtx" wanted.mtx
    check "$file is ${file%%-*}.mtx" cmp read.mtx wanted.mtx
done
run 0 tulle info whole-i8.npz
check "what is said of the file" grep -q '^  file          npz, integer, general; ' "$out"
run 0 tulle info whole-hb.rua
check "what is said of a file of integers" grep -q '^  file          plain, integer, general; ' "$out"
bad "^tulle: dia.npz: holds a matrix in SciPy's form 'dia'.*A.tocsr" tulle info dia.npz
bad '^tulle: complex.npz: data.npy holds complex numbers' tulle info complex.npz
bad '^tulle: arrays.npz: is a zip archive without format.npy' tulle info arrays.npz
finish
