#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PETSc's iterative methods, measured in MPI processes of their own for tulle bench.

mpiexec -n PROCESSES python3 petsc_peer.py --version
    prints the version of PETSc.
mpiexec -n PROCESSES python3 petsc_peer.py FOLDER ROWS OFFSET_BYTES INDEX_BYTES METHOD PRECONDITIONER
    ITERATIONS RESTART REPEAT SECONDS FLUSH_BYTES
    reads the raw arrays offsets, columns, values (f64) and x, the right-hand side, in FOLDER, each
    process its rows; solves so many iterations from 0 with KSP METHOD and PC PRECONDITIONER, without
    a test; writes the solution to y and prints the times of a solve as JSON: median and quantiles of
    at least REPEAT samples, and the median of solves after FLUSH_BYTES of other data went through
    the caches.
"""
import glob
import json
import os
import sys
import time

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[threads] = "1"

# Where Debian has petsc4py; its path file finds it only beside petsc-dev.
sys.path += glob.glob("/usr/lib/petscdir/petsc*/*-real/lib/python3/dist-packages")

MOST_SAMPLES, LEAST_COLD = 200, 3
INTEGER = {"4": "int32", "8": "int64"}


def rows_of(rank, size, rows, block):
    """A share of the rows; those of a node, which are so many, stay together."""
    nodes = rows // block
    return block * (nodes * rank // size), block * (nodes * (rank + 1) // size)


class System:
    """This process's rows of A x = b."""

    def __init__(self, folder, rows, offset_bytes, index_bytes, block=1):
        from petsc4py import PETSc

        self.PETSc, self.comm = PETSc, PETSc.COMM_WORLD
        self.folder, self.rows = folder, int(rows)
        self.begin, self.end = rows_of(self.comm.rank, self.comm.size, self.rows, block)
        self.A = self.matrix(INTEGER[offset_bytes], INTEGER[index_bytes])
        self.x, self.b = self.A.createVecs()
        self.b.setArray(self.read("x", "float64", self.begin, self.end))
        self.latest = PETSc.Vec().createMPI((1, self.comm.size))

    def read(self, name, kind, begin, end):
        import numpy

        size = numpy.dtype(kind).itemsize
        return numpy.fromfile(os.path.join(self.folder, name), dtype=kind, count=end - begin,
                              offset=begin * size)

    def matrix(self, offset, index):
        integer = self.PETSc.IntType
        offsets = self.read("offsets", offset, self.begin, self.end + 1)
        first, last = int(offsets[0]), int(offsets[-1])
        parts = ((offsets - first).astype(integer),
                 self.read("columns", index, first, last).astype(integer),
                 self.read("values", "float64", first, last))
        local = (self.end - self.begin, self.rows)
        return self.PETSc.Mat().createAIJ((local, local), csr=parts)

    def gathered(self, number):
        """The numbers of all processes, as a vector."""
        self.latest.setValue(self.comm.rank, number)
        self.latest.assemble()
        return self.latest

    def timed(self, call):
        """Milliseconds of the slowest process."""
        self.comm.barrier()
        start = time.perf_counter()
        call()
        return self.gathered(1e3 * (time.perf_counter() - start)).max()[1]

    def write(self):
        scatter, whole = self.PETSc.Scatter.toZero(self.x)
        scatter.scatter(self.x, whole, mode="forward")
        if self.comm.rank == 0:
            whole.getArray().tofile(os.path.join(self.folder, "y"))


class Method(System):
    """A system with a solver of a number of iterations, without a test."""

    def __init__(self, folder, rows, offset_bytes, index_bytes, method, preconditioner, iterations,
                 restart):
        super().__init__(folder, rows, offset_bytes, index_bytes)
        self.ksp = self.solver(method, preconditioner, int(iterations), int(restart))

    def solver(self, method, preconditioner, iterations, restart):
        ksp = self.PETSc.KSP().create()
        ksp.setOperators(self.A)
        ksp.setType(method)
        ksp.getPC().setType(preconditioner)
        if method == "gmres":
            ksp.setGMRESRestart(restart)
        ksp.setNormType(self.PETSc.KSP.NormType.NONE)
        ksp.setTolerances(max_it=iterations)
        self.PETSc.Options()["ksp_convergence_test"] = "skip"
        ksp.setFromOptions()
        ksp.setUp()
        return ksp

    def solve(self):
        """Milliseconds of a solve."""
        return self.timed(lambda: self.ksp.solve(self.b, self.x))


def measure(system, repeat, seconds, flush_bytes):
    import numpy

    system.solve()
    took = system.solve()
    count = max(repeat, min(MOST_SAMPLES, int(1e3 * seconds / (took + 1e-6))))
    warm = [system.solve() for _ in range(count)]
    other, cold = numpy.zeros(max(1, flush_bytes // 8)), []
    for _ in range(min(repeat, LEAST_COLD)):
        other += 1.0
        cold.append(system.solve())
    return {
        "ms": float(numpy.median(warm)),
        "ms_q10": float(numpy.quantile(warm, 0.1)),
        "ms_q90": float(numpy.quantile(warm, 0.9)),
        "ms_cold": float(numpy.median(cold)),
        "samples": count,
        "batch": 1,
    }


def main(arguments):
    if arguments == ["--version"]:
        from petsc4py import PETSc

        if PETSc.ScalarType().dtype != "float64":
            sys.exit("PETSc's numbers are not f64")
        print(".".join(str(part) for part in PETSc.Sys.getVersion()))
        return
    *what, repeat, seconds, flush_bytes = arguments
    system = Method(*what)
    times = measure(system, int(repeat), float(seconds), int(flush_bytes))
    system.write()
    if system.comm.rank == 0:
        print(json.dumps({**times, "iterations": system.ksp.getIterationNumber()}))


if __name__ == "__main__":
    main(sys.argv[1:])
