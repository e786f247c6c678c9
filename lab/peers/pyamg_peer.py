#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyAMG's multigrid, measured in a process of its own for tulle bench.

pyamg_peer.py --version
    prints the version of PyAMG.
pyamg_peer.py FOLDER ROWS WAY METHOD TOLERANCE RESTART SETUPS REPEAT SECONDS FLUSH_BYTES
    BLOCK VECTORS
    reads the raw arrays offsets, columns (32 bits), values (f64) and x, the right-hand side, in
    FOLDER; makes the hierarchy (WAY classical: Ruge and Stueben's; aggregation: smoothed) once and
    SETUPS times more; solves from 0 by METHOD cg or gmres with one cycle as the preconditioner until
    |b - A x|, computed from x, is at most TOLERANCE |b|; writes the solution to y and prints the
    times of a solution as scipy_peer.py does, the median time of a setup, and figures of the
    hierarchy as JSON. BLOCK rows of A are a node's; with VECTORS above 0 A is brought into blocks of so
    many rows, and near_null has so many columns, one after another, that A nearly takes to 0.

The folder that the environment variable TULLE_PYAMG names is searched for modules first.
"""
import json
import os
import sys

sys.path[:0] = filter(None, [os.environ.get("TULLE_PYAMG")])
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[threads] = "1"

MOST_BEGINNINGS, MOST_ITERATIONS = 5, 200


def bytes_of(matrix):
    parts = (getattr(matrix, name, None) for name in ("data", "indices", "indptr"))
    return sum(part.nbytes for part in parts if part is not None)


def held_by(hierarchy):
    """Bytes of the matrices beside A."""
    return sum(bytes_of(getattr(level, name)) for number, level in enumerate(hierarchy.levels)
               for name in ("A", "P", "R") if hasattr(level, name) and (number or name != "A"))


class NoConvergence(Exception):
    """The residual of x stays too large."""


class Task:
    """A system, its hierarchy and its latest solution."""

    def __init__(self, folder, rows, way, method, tolerance, restart, block, vectors):
        import numpy
        import pyamg
        from scipy_peer import read_csr

        self.numpy = numpy
        self.A = read_csr(folder, "", (rows, rows), "f64", ("4", "4"))
        self.b = numpy.fromfile(os.path.join(folder, "x"))
        self.make = {"classical": pyamg.ruge_stuben_solver,
                     "aggregation": pyamg.smoothed_aggregation_solver}[way]
        self.options = {}
        if vectors:
            self.A = self.A.tobsr((block, block))
            columns = numpy.fromfile(os.path.join(folder, "near_null")).reshape(vectors, rows)
            self.options["B"] = numpy.ascontiguousarray(columns.T)
        self.method, self.tolerance, self.restart = method, tolerance, restart
        self.hierarchy = self.x = None
        self.iterations = 0

    def setup(self):
        self.hierarchy = None
        self.hierarchy = self.make(self.A, **self.options)

    def accelerator(self):
        import pyamg

        if self.method == "cg":
            return pyamg.krylov.cg
        return lambda *system, **options: pyamg.krylov.gmres(*system, restart=self.restart, **options)

    def relative(self):
        return self.numpy.linalg.norm(self.b - self.A @ self.x) / self.numpy.linalg.norm(self.b)

    def count(self, *_):
        self.iterations += 1

    def solve(self):
        """Begins anew from x where the method's own residual was small and that of x is not."""
        accelerator, cycle = self.accelerator(), self.hierarchy.aspreconditioner()
        self.x, self.iterations = self.numpy.zeros_like(self.b), 0
        for _ in range(MOST_BEGINNINGS):
            self.x, _ = accelerator(self.A, self.b, x0=self.x, M=cycle, tol=self.tolerance,
                                    maxiter=MOST_ITERATIONS, callback=self.count)
            if self.relative() <= self.tolerance:
                return
        raise NoConvergence


def setups(task, count):
    """Milliseconds of the median setup, and the most bytes that the first one held beside A."""
    from process_memory import grown_by
    from scipy_peer import clocked

    _, peak = grown_by(task.setup)
    return float(task.numpy.median([clocked(task.setup)[1] for _ in range(count)])), peak


def figures(task, setup_ms, peak, cycle_ms):
    hierarchy, own = task.hierarchy, bytes_of(task.A)
    return {
        "setup_ms": setup_ms,
        "extra_bytes": held_by(hierarchy),
        "cycle_ms": cycle_ms,
        "iterations": task.iterations,
        "amg_levels": len(hierarchy.levels),
        "operator_complexity": float(hierarchy.operator_complexity()),
        "grid_complexity": float(hierarchy.grid_complexity()),
        "held_of_matrix": held_by(hierarchy) / own,
        "peak_of_matrix": peak / own,
        "convergence_factor": float(task.relative() ** (1 / max(1, task.iterations))),
    }


def main(arguments):
    import pyamg

    if arguments == ["--version"]:
        print(pyamg.__version__)
        return
    from scipy_peer import measure

    folder, rows, way, method, tolerance, restart, count, repeat, seconds, flush, block, vectors = arguments
    task = Task(folder, int(rows), way, method, float(tolerance), int(restart), int(block), int(vectors))
    setup_ms, peak = setups(task, int(count))
    cycle = task.hierarchy.aspreconditioner()
    cycle_ms = measure(task.numpy, lambda: cycle @ task.b, int(repeat), float(seconds), 0)["ms"]
    try:
        times = measure(task.numpy, task.solve, int(repeat), float(seconds), int(flush))
    except NoConvergence:
        times = {"diverges": True}
    task.x.tofile(os.path.join(folder, "y"))
    print(json.dumps({**times, **figures(task, setup_ms, peak, cycle_ms)}))


if __name__ == "__main__":
    main(sys.argv[1:])
