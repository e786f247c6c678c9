# SPDX-License-Identifier: Apache-2.0
"""A heavy drop falls through a lighter fluid. Each step solves an equation for the pressure, whose coefficients move
with the drop while its pattern stays: one hierarchy of multigrid is kept, and brought up to date.

Usage: python pressure.py [CELLS ALONG AN EDGE [STEPS]]
"""
import sys
import time

import numpy as np
import scipy.sparse as sp
from scipy.ndimage import map_coordinates

import tulle


def gradients(n):
    """Differences across the inner faces of n x n cells, over the width of a cell: along x, then along y."""
    line = sp.diags([-1.0 * n, 1.0 * n], [0, 1], shape=(n - 1, n))
    return tulle.csr_array(sp.vstack([sp.kron(line, sp.eye(n)), sp.kron(sp.eye(n), line)], format="csr"))


def on_faces(a, b):
    """Means of the cells on both sides of each face: of a along x, of b along y."""
    return np.concatenate([(a[1:] + a[:-1]).ravel() / 2, (b[:, 1:] + b[:, :-1]).ravel() / 2])


def main(n=128, steps=40, dt=0.004, gravity=9.81):
    G, Gt, M, spent = gradients(n), gradients(n).T.tocsr(), None, []
    i, j = np.mgrid[:n, :n]
    density = 1 + 9 / (1 + np.exp(100 * (np.hypot((i + 0.5) / n - 0.5, (j + 0.5) / n - 0.7) - 0.15)))
    flow, p = np.zeros(2 * n * (n - 1)), np.zeros(n * n)
    for _ in range(steps):
        along_x, along_y = flow.reshape(2, -1)
        u, v = np.pad(along_x.reshape(n - 1, n), ((1, 1), (0, 0))), np.pad(along_y.reshape(n, n - 1), ((0, 0), (1, 1)))
        u, v = (u[1:] + u[:-1]) / 2, (v[:, 1:] + v[:, :-1]) / 2  # Cells have the means of their faces.
        origin = [i - n * dt * u, j - n * dt * v]
        density, u, v = (map_coordinates(field, origin, order=1, mode="nearest") for field in (density, u, v))
        flow, lightness = on_faces(u, v), 1 / on_faces(density, density)
        flow[n * (n - 1):] -= dt * gravity
        A = Gt @ tulle.csr_array((G.data * np.repeat(dt * lightness, 2), G.indices, G.indptr), shape=G.shape)
        A.data[0] *= 2  # This fixes p, of which only differences count otherwise.
        begin = time.perf_counter()
        if M is None:
            M = tulle.amg(A)
        else:
            M.update(A)
        spent.append(1e3 * (time.perf_counter() - begin))
        p, info = tulle.cg(A, Gt @ flow, x0=p, M=M, rtol=1e-8)
        assert info == 0, "the pressure did not converge"
        flow -= dt * lightness * (G @ p)
    height = ((density - 1) * (j + 0.5)).sum() / (n * (density - 1).sum())
    print(f"{n} x {n} cells, {steps} steps: the drop fell from height 0.700 to {height:.3f}")
    print(f"largest divergence: {np.abs(Gt @ flow).max():.1e}")
    print(f"hierarchy: made in {spent[0]:.1f} ms, brought up to date in {np.median(spent[1:]):.1f} ms")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
