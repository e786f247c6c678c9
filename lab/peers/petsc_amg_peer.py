#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Multigrid of PETSc (GAMG) and of hypre (BoomerAMG), measured in MPI processes for tulle bench.

mpiexec -n PROCESSES python3 petsc_amg_peer.py FOLDER ROWS WAY METHOD TOLERANCE RESTART SETUPS REPEAT
    SECONDS FLUSH_BYTES BLOCK VECTORS
    does as pyamg_peer.py, each process with its rows. WAY is gamg or hypre, with PETSc's defaults;
    hypre-hmis, which coarsens and interpolates as hypre itself does by default, by HMIS and
    extended+i interpolation of four entries; or hypre-aggressive, the same with one level of
    aggressive coarsening. With nodes GAMG gets A with their block size, and an orthonormal basis of the
    near null space.
"""
import json
import os
import re
import sys
import tempfile

from petsc_peer import System, measure
from process_memory import grown_by

MOST_BEGINNINGS, MOST_ITERATIONS = 5, 200
PREFIX = "pc_hypre_boomeramg_"
HMIS = {"coarsen_type": "HMIS", "interp_type": "ext+i", "P_max": 4}
HYPRE = {"hypre": {}, "hypre-hmis": HMIS, "hypre-aggressive": {**HMIS, "agg_nl": 1}}
# Figures as hypre prints them.
STATISTICS = {"amg_levels": r"Num levels = (\d+)", "grid_complexity": r"grid = ([\d.]+)",
              "operator_complexity": r"operator = ([\d.]+)"}


def printed_by(call):
    """What a library prints on standard output meanwhile."""
    sys.stdout.flush()
    kept = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        call()
        os.dup2(kept, 1)
        os.close(kept)
        file.seek(0)
        return file.read().decode()


class NoConvergence(Exception):
    """The residual of x stays too large."""


class Multigrid(System):
    """A system with a hierarchy as the preconditioner of a method."""

    def __init__(self, folder, rows, way, method, tolerance, restart, block, vectors):
        super().__init__(folder, rows, "4", "4", block)
        self.way, self.method, self.restart = way, method, restart
        self.limit = tolerance * self.b.norm()
        self.tolerance, self.iterations = tolerance, 0
        self.ksp = None
        self.r = self.b.duplicate()
        if vectors:
            self.A.setBlockSize(block)
            self.A.setNearNullSpace(self.near_null(vectors))

    def near_null(self, vectors):
        """The near null space; PETSc wants an orthonormal basis."""
        import numpy

        whole = self.read("near_null", "float64", 0, self.rows * vectors).reshape(vectors, self.rows)
        basis = numpy.linalg.qr(whole.T)[0][self.begin:self.end]
        columns = [self.b.duplicate() for _ in range(vectors)]
        for column, numbers in zip(columns, basis.T):
            column.setArray(numbers)
        return self.PETSc.NullSpace().create(vectors=columns, comm=self.comm)

    def preconditioner(self, pc):
        options = self.PETSc.Options()
        if self.way == "gamg":
            pc.setType("gamg")
            options["pc_gamg_reuse_interpolation"] = True
            return
        pc.setType("hypre")
        pc.setHYPREType("boomeramg")
        for name, value in HYPRE[self.way].items():
            options[PREFIX + name] = value

    def make(self):
        """The method with a hierarchy that is yet to be made."""
        if self.ksp:
            self.ksp.destroy()
        kinds = self.PETSc
        self.ksp = kinds.KSP().create()
        self.ksp.setOperators(self.A)
        self.ksp.setType(self.method)
        if self.method == "gmres":
            self.ksp.setGMRESRestart(self.restart)
            self.ksp.setPCSide(kinds.PC.Side.RIGHT)
        self.ksp.setNormType(kinds.KSP.NormType.UNPRECONDITIONED)
        self.ksp.setTolerances(rtol=self.tolerance, max_it=MOST_ITERATIONS)
        self.preconditioner(self.ksp.getPC())
        self.ksp.setFromOptions()

    def setup(self):
        self.make()
        return self.timed(self.ksp.setUp)

    def residual(self):
        self.A.mult(self.x, self.r)
        self.r.aypx(-1, self.b)
        return self.r.norm()

    def solve_once(self):
        """Begins anew from x where the method's own residual was small and that of x is not."""
        self.iterations = 0
        for beginning in range(MOST_BEGINNINGS):
            self.ksp.setInitialGuessNonzero(beginning > 0)
            self.ksp.solve(self.b, self.x)
            self.iterations += self.ksp.getIterationNumber()
            if self.residual() <= self.limit:
                return
        raise NoConvergence

    def solve(self):
        """Milliseconds of a solution."""
        return self.timed(self.solve_once)

    def update(self):
        """Milliseconds of new values with the interpolation that there is."""
        self.A.stateIncrease()
        self.ksp.setOperators(self.A)
        return self.timed(self.ksp.setUp)

    def levels(self):
        """Rows and entries of each level, A's first."""
        pc = self.ksp.getPC()
        for level in reversed(range(pc.getMGLevels())):
            A, _ = pc.getMGSmoother(level).getOperators()
            yield A.getSize()[0], A.getInfo(A.InfoType.GLOBAL_SUM)["nz_used"]

    def statistics(self):
        """Levels and complexities, from the statistics that hypre prints."""
        options = self.PETSc.Options()
        options[PREFIX + "print_statistics"] = 1
        text = printed_by(self.setup)
        options.delValue(PREFIX + "print_statistics")
        found = ((name, re.search(pattern, text)) for name, pattern in STATISTICS.items())
        return {name: json.loads(match[1]) for name, match in found if match}


def first_setup(system):
    """Bytes that all processes hold beside A after a setup, and the most meanwhile."""
    return [system.gathered(number).sum() for number in grown_by(system.setup)]


def hierarchy_of(system):
    if system.way != "gamg":
        return system.statistics()
    rows, entries = zip(*system.levels())
    return {"amg_levels": len(rows), "grid_complexity": sum(rows) / rows[0],
            "operator_complexity": sum(entries) / entries[0]}


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


def main(arguments):
    *what, tolerance, restart, count, repeat, seconds, flush, block, vectors = arguments
    system = Multigrid(*what, float(tolerance), int(restart), int(block), int(vectors))
    way = what[2]
    held, peak = first_setup(system)
    own = 12 * system.A.getInfo(system.A.InfoType.GLOBAL_SUM)["nz_used"] + 4 * (system.rows + 1)
    found = {"extra_bytes": held, "held_of_matrix": held / own, "peak_of_matrix": peak / own,
             **hierarchy_of(system), "setup_ms": median([system.setup() for _ in range(int(count))])}
    if way == "gamg":
        found["update_ms"] = median([system.update() for _ in range(int(repeat))])
    pc = system.ksp.getPC()
    found["cycle_ms"] = median([system.timed(lambda: pc.apply(system.b, system.r))
                                for _ in range(int(repeat))])
    try:
        times = measure(system, int(repeat), float(seconds), int(flush))
    except NoConvergence:
        times = {"diverges": True}
    relative = system.residual() / system.b.norm()
    found.update(iterations=system.iterations,
                 convergence_factor=relative ** (1 / max(1, system.iterations)))
    system.write()
    if system.comm.rank == 0:
        print(json.dumps({**times, **found}))


if __name__ == "__main__":
    main(sys.argv[1:])
