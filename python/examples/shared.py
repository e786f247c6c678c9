# SPDX-License-Identifier: Apache-2.0
"""The temperature of a plate whose edge is held at 0, by processes that share the rows of the system.

mpirun -n 2 python3 shared.py [points along a side]

Each process makes its own rows of the 5-point stencil, and keeps its own part of the temperature.
"""
import sys

import numpy as np
import scipy.sparse as sp

from tulle import dist


def make_rows(side, rows):
    """The rows of the matrix from rows.start to rows.stop, with the columns of the whole matrix."""
    n, here = side * side, np.arange(rows.start, rows.stop)
    x, y = here % side, here // side
    local = sp.csr_array((len(here), n))
    for step, inside in ((-side, y > 0), (-1, x > 0), (1, x < side - 1), (side, y < side - 1)):
        local += sp.csr_array((np.full(inside.sum(), -1.0), (np.flatnonzero(inside), here[inside] + step)),
                              shape=local.shape)
    return local + sp.csr_array((np.full(len(here), 4.0), (np.arange(len(here)), here)), shape=local.shape)


def main(side=101):
    rows = dist.share(side * side)
    A = dist.DistributedMatrix(make_rows(side, rows))
    T, report = dist.solve(A, np.ones(rows.stop - rows.start))
    whole = A.gather(T)
    if whole is None:
        return
    print(f"{report.iterations} iterations of {report.method} with {report.precond} by {A.comm.size} processes")
    # The solution of -(T_xx + T_yy) = 1 on the unit square is 0.0737 in the middle.
    print(f"in the middle: {whole[len(whole) // 2] / (side + 1) ** 2:.4f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
