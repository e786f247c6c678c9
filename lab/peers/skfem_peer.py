#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scikit-fem's stiffness matrices, measured in a process of its own for tulle bench.

skfem_peer.py --version
    prints the version of scikit-fem.
skfem_peer.py FOLDER SHAPE THREADS REPEAT SECONDS FLUSH_BYTES
    reads the raw arrays columns (nodes of cells, as VTK has them), values (coordinates) and x in
    FOLDER, SHAPE quad, hex or tet; times the assembly of the integrals of grad u . grad v on a basis
    that is there, with two Gauss points in each direction, or one in a tetrahedron, writes the
    matrix times x to y, and prints the times as scipy_peer.py does.
"""
import json
import os
import sys

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[threads] = "1"

# Where scikit-fem has the corners of a hexahedron that VTK has in this order.
HEXAHEDRON = [0, 3, 6, 2, 1, 5, 7, 4]


def mesh_of(numpy, skfem, folder, shape):
    classes = {
        "quad": (skfem.MeshQuad1, skfem.ElementQuad1, 2, 4, 3),
        "hex": (skfem.MeshHex1, skfem.ElementHex1, 3, 8, 3),
        "tet": (skfem.MeshTet1, skfem.ElementTetP1, 3, 4, 1),
    }
    mesh, element, dimension, nodes, degree = classes[shape]
    cells = numpy.fromfile(os.path.join(folder, "columns"), dtype=numpy.int32).reshape(-1, nodes)
    points = numpy.fromfile(os.path.join(folder, "values")).reshape(-1, dimension)
    if shape == "hex":
        cells = cells[:, [HEXAHEDRON.index(i) for i in range(nodes)]]
    return skfem.Basis(mesh(points.T.copy(), cells.T.copy()), element(), intorder=degree)


def main(arguments):
    import skfem

    if arguments == ["--version"]:
        print(skfem.__version__)
        return
    import numpy
    from scipy_peer import measure
    from skfem.helpers import dot, grad

    folder, shape, threads, repeat, seconds, flush = arguments
    basis = mesh_of(numpy, skfem, folder, shape)
    form = skfem.BilinearForm(lambda u, v, _: dot(grad(u), grad(v)), nthreads=int(threads))

    def call():
        return form.assemble(basis)

    times = measure(numpy, call, int(repeat), float(seconds), int(flush))
    x = numpy.fromfile(os.path.join(folder, "x"))
    (call() @ x).tofile(os.path.join(folder, "y"))
    print(json.dumps(times))


if __name__ == "__main__":
    main(sys.argv[1:])
