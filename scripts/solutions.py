#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what tulle solve claims to an opinion of its own, on matrices of a folder and model problems.

Every square real matrix of the FOLDERs (*.mtx, also .gz, .bz2 and .xz) is solved in each of several ways,
b all ones. NumPy computes b - A x in long double from the file and the x that was written; where SciPy's
direct solver gets |b - A x| to 1e-12 |b| itself, x is compared with its x. At fault is

  - convergence claimed though |b - A x| is more than the tolerance times |b|,
  - an error above 10 cond(A) tolerance, with the condition number estimated in the 1-norm,
  - an end without a name, or another exit code than the end has,
  - of systems that have no solution, or no number, another end than their own.

Model problems come first, made here, and systems whose ends are known; without a folder they are all.
It prints a table, iterations where they converged and otherwise the end, and what is at fault; it exits
with 1 if anything is. Needs SciPy (scripts/deps.sh peers).
"""
import argparse
import bz2
import collections
import dataclasses
import gzip
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

METHODS = ["cg", "bicgstab", "gmres"]
WAYS = {"auto": ["--auto"],
        **{f"{method} {precond}": ["--method", method, "--precond", precond]
           for method in METHODS for precond in ("none", "jacobi", "ilu")},
        **{f"{method} {precond}": ["--method", method, "--precond", precond]
           for method, precond in (("minres", "jacobi"), ("fgmres", "ilu"), ("cg", "amg"), ("bicgstab", "amg"))}}
OPENERS = {".mtx": open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
# A residual in f64 that is rounded to the limit may be so much above it.
SLACK = 1e-12
# What the direct solver must reach, and what of cond(A) tolerance an error may come to.
DIRECT, MOST_ERROR = 1e-12, 10
NO_PIVOT = "pivot"
ENDS = {"MOST_ITERATIONS": "most", "MOST_TIME": "time", "STAGNATED": "stagn.", "BROKE_DOWN": "broke",
        "INDEFINITE": "indef.", "NOT_A_NUMBER": "no num.", NO_PIVOT: "pivot"}
PATIENCE = 900  # seconds that a solution may take here before it counts as one that hangs


@dataclasses.dataclass
class System:
    """A x = b, in files."""
    name: str
    path: str
    A: sparse.coo_matrix
    b: np.ndarray
    b_path: str
    direct: np.ndarray = None  # the direct solver's x, if that is one
    cond: float = np.nan


@dataclasses.dataclass
class End:
    """How a call ended; text: what it printed last on standard error."""
    code: int
    outcome: str
    iterations: int
    x: np.ndarray
    text: str


def residual(A, x, b):
    """|b - A x| in long double."""
    A = A.tocsr()
    A.sort_indices()
    left = b.astype(np.longdouble)
    products = A.data.astype(np.longdouble) * x.astype(np.longdouble)[A.indices]
    rows = np.flatnonzero(np.diff(A.indptr))
    if rows.size:
        left[rows] -= np.add.reduceat(products, A.indptr[rows])
    return norm(left)


def norm(v):
    """Of long doubles, whose squares do not overflow."""
    return np.sqrt(np.sum(v.astype(np.longdouble) ** 2))


def solve_directly(system):
    """The direct solver's x and an estimate of cond(A), if it gets there."""
    A = system.A.tocsc()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            factors = linalg.splu(A)
        except RuntimeError:  # singular
            return
        x = factors.solve(system.b)
    if not residual(system.A, x, system.b) <= DIRECT * norm(system.b):
        return
    inverse = linalg.LinearOperator(A.shape, matvec=factors.solve,
                                    rmatvec=lambda v: factors.solve(v, "T"), dtype=A.dtype)
    system.direct = x
    system.cond = linalg.onenormest(inverse) * abs(A).sum(axis=0).max() if A.nnz else np.nan


def write_vector(path, v):
    path.write_text(f"%%MatrixMarket matrix array real general\n{len(v)} 1\n"
                    + "".join(f"{number!r}\n" for number in v.tolist()), encoding="ascii")


def write_matrix(path, A):
    """Entry by entry, in all digits."""
    A = A.tocoo()
    entries = zip((A.row + 1).tolist(), (A.col + 1).tolist(), A.data.tolist())
    path.write_text("%%MatrixMarket matrix coordinate real general\n"
                    f"{A.shape[0]} {A.shape[1]} {A.nnz}\n"
                    + "".join(f"{i} {j} {number!r}\n" for i, j, number in entries), encoding="ascii")


def read_vector(path):
    return np.array(path.read_text(encoding="ascii").split("\n")[2:-1], dtype=float)


class Checker:
    """Runs the program, and says what is at fault."""

    def __init__(self, options, folder):
        self.options, self.folder, self.faults = options, folder, 0
        self.ends = collections.Counter()
        self.compared = self.made = 0

    def fault(self, system, way, what):
        self.faults += 1
        print(f"FAULT: {system.name}, {way}: {what}", flush=True)

    def system(self, name, A, b=None):
        """A model problem."""
        path = self.folder / f"{name.replace(' ', '-').replace(',', '')}.mtx"
        write_matrix(path, A)
        return self.with_b(name, str(path), A, b)

    def with_b(self, name, path, A, b=None):
        b = np.ones(A.shape[0]) if b is None else b
        self.made += 1
        b_path = self.folder / f"b{self.made}.mtx"
        write_vector(b_path, b)
        return System(name, path, A, b, str(b_path))

    def run(self, system, way):
        """A call of the program."""
        o, written = self.options, self.folder / "x.mtx"
        written.unlink(missing_ok=True)
        command = [o.tulle, "solve", system.path, system.b_path, "--json", "--quiet", "-o", str(written),
                   "--on", o.on, "--tolerance", repr(o.tolerance), "--max-iterations",
                   str(o.iterations), *way]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            return End(-1, "hangs", 0, None, f"nothing in {PATIENCE} s")
        text = done.stderr.strip().rsplit("\n", 1)[-1]
        if done.returncode in (0, 1) and done.stdout:
            report = json.loads(done.stdout)
            return End(done.returncode, report["outcome"], report["iterations"], read_vector(written), text)
        outcome = NO_PIVOT if done.returncode == 2 and "pivot" in text else "error"
        return End(done.returncode, outcome, 0, None, text)

    def check_claim(self, system, way, end):
        """Of a solution that is said to have converged."""
        limit, left = self.options.tolerance * norm(system.b), residual(system.A, end.x, system.b)
        if not left <= limit * (1 + SLACK):
            self.fault(system, way, f"CONVERGED, but |b - A x| is {left / limit:.6f} of the limit")
        if system.direct is None:
            return
        self.compared += 1
        error = norm(end.x - system.direct) / norm(system.direct)
        allowed = MOST_ERROR * system.cond * self.options.tolerance
        if not error <= allowed:
            self.fault(system, way, f"an error of {error:.3g}, above {allowed:.3g}")

    def solve(self, system, way, may_end=None):
        """What a table says of a system solved in one way. may_end: outcomes; None: all."""
        end = self.run(system, WAYS.get(way, way.split()))
        self.ends[end.outcome] += 1
        if end.outcome == "CONVERGED":
            self.check_claim(system, way, end)
        elif end.outcome not in ENDS:
            self.fault(system, way, f"exit code {end.code}: {end.text}")
        if (end.outcome == "CONVERGED") != (end.code == 0):
            self.fault(system, way, f"{end.outcome} with exit code {end.code}")
        if may_end and end.outcome not in may_end:
            self.fault(system, way, f"ended as {end.outcome}, not {' or '.join(may_end)}")
        return str(end.iterations) if end.outcome == "CONVERGED" else ENDS.get(end.outcome, "FAULT")

    def solve_all(self, system):
        """A row of the table."""
        solve_directly(system)
        cond = "-" if np.isnan(system.cond) else f"{system.cond:.0e}"
        return [system.name, str(system.A.shape[0]), str(system.A.nnz), cond,
                *(self.solve(system, way) for way in WAYS)]


def line(n, below, on, above):
    return sparse.diags([below, on, above], [-1, 0, 1], (n, n))


def grid(rows, cols, wind=0.0):
    """Five-point stencil of -u_xx - u_yy + wind u_x."""
    across, along = line(cols, -1 - wind, 2, -1 + wind), line(rows, -1, 2, -1)
    return sparse.kron(sparse.eye(rows), across) + sparse.kron(along, sparse.eye(cols))


def models():
    """Name and matrix."""
    generator = np.random.default_rng(1)
    n = 300
    scattered = sparse.random(n, n, 0.02, random_state=generator, data_rvs=generator.standard_normal)
    weights = np.asarray(abs(scattered).sum(axis=1)).ravel()
    steep = sparse.diags(10.0 ** np.linspace(-4, 4, 300))
    yield "grid", grid(30, 20)
    yield "wind", grid(20, 20, wind=0.5)
    yield "storm", grid(15, 20, wind=8)
    yield "beam", sparse.diags([1, -4, 6, -4, 1], [-2, -1, 0, 1, 2], (60, 60))
    yield "dominant", scattered + sparse.diags(weights + 1)
    yield "scattered", scattered + sparse.eye(n)
    yield "badly scaled", steep @ grid(15, 20) @ steep
    yield "shifted", grid(12, 12) - 3 * sparse.eye(144)
    yield "one row", sparse.csr_matrix([[2.0]])


def check_ends(checker):
    """Systems whose ends are known, in all ways."""
    good = grid(9, 8)
    n = good.shape[0]
    first = np.eye(n)[0]
    ring = 2 * sparse.eye(n) - sparse.csr_matrix(np.roll(np.eye(n), 1, 0) + np.roll(np.eye(n), -1, 0))
    hole = sparse.diags(np.r_[np.ones(n - 1), 0.0])
    nowhere = [name for name in ENDS if name not in ("NOT_A_NUMBER", "MOST_TIME")]
    for way in WAYS:
        checker.solve(checker.system("b of zeros", good, np.zeros(n)), way, ["CONVERGED"])
        checker.solve(checker.system("b of 1e280", good, np.full(n, 1e280)), way, ["CONVERGED"])
        checker.solve(checker.system("b of 1e-280", good, np.full(n, 1e-280)), way, ["CONVERGED"])
        checker.solve(checker.system("singular, b outside of its range", ring, first), way, nowhere)
        checker.solve(checker.system("a row of zeros", hole), way, nowhere)
    for precond in ("none", "jacobi"):
        way = f"cg {precond}"
        checker.solve(checker.system("indefinite", good - 3 * sparse.eye(n)), way, ["INDEFINITE"])
        checker.solve(checker.system("unsymmetric", line(n, 0, 1, 4)), way,
                      ["STAGNATED", "INDEFINITE", "MOST_ITERATIONS"])
    checker.solve(checker.system("negative", -good), "cg none", ["INDEFINITE"])
    checker.solve(checker.system("skew", line(n, -1, 0, 1)), "cg none", ["INDEFINITE"])


def check_refusals(checker):
    """Numbers that are none, in b or in A, are bad input, by file and line."""
    good = grid(3, 3)
    spoilt = good.tocoo()
    spoilt.data[4] = np.nan
    for system in (checker.system("NaN in b", good, np.r_[np.ones(5), np.nan, np.ones(3)]),
                   checker.system("Inf in b", good, np.r_[np.inf, np.ones(8)]),
                   checker.system("NaN in A", spoilt)):
        for way in WAYS:
            end = checker.run(system, WAYS[way])
            if end.code != 2 or "no finite number" not in end.text:
                checker.fault(system, way, f"exit code {end.code}: {end.text}")


def name_of(path):
    return path.name.split(".mtx")[0]


def is_wanted(path, options):
    """Whether a file has a square real matrix that is not too large, and is asked for."""
    if path.suffix not in OPENERS or (options.only and name_of(path) not in options.only):
        return False
    with OPENERS[path.suffix](path, "rb") as file:
        rows, cols, _, _, field, _ = scipy.io.mminfo(file)
    return rows == cols <= options.most_rows and field in ("real", "integer")


def matrices_of(folders, options):
    """Name, path and matrix."""
    for path in sorted(path for folder in folders for path in folder.glob("*.mtx*")):
        if is_wanted(path, options):
            with OPENERS[path.suffix](path, "rb") as file:
                yield name_of(path), str(path), scipy.io.mmread(file).tocoo().astype(float)


def print_row(cells):
    print(f"{cells[0]:22} {cells[1]:>6} {cells[2]:>8} {cells[3]:>6}", *(f"{cell:>8}" for cell in cells[4:]),
          flush=True)


def check_all(checker):
    options = checker.options
    titles = [[*way.split(), ""][:2] for way in WAYS]
    print_row(["", "", "", "", *(method for method, _ in titles)])
    print_row(["matrix", "rows", "entries", "cond", *(precond for _, precond in titles)])
    for name, A in models():
        if name in (options.only or [name]):
            print_row(checker.solve_all(checker.system(name, A)))
    if not options.only:
        check_ends(checker)
        check_refusals(checker)
    for name, path, A in matrices_of(options.folders, options):
        print_row(checker.solve_all(checker.with_b(name, path, A)))


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="*", metavar="FOLDER")
    parser.add_argument("--tulle", default="build/release/tulle", help="the program")
    parser.add_argument("--on", default="cpu:1", help="the place (default cpu:1)")
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--iterations", type=int, default=3000, help="the most of each (default 3000)")
    parser.add_argument("--most-rows", type=int, default=50000)
    parser.add_argument("--only", action="append", metavar="NAME", help="only this matrix; repeats")
    return parser.parse_args()


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(options, pathlib.Path(folder))
        check_all(checker)
    ends = ", ".join(f"{count} {name}" for name, count in checker.ends.most_common())
    print(f"{checker.ends.total()} solutions: {ends}; {checker.compared} compared with the direct solver's")
    print(f"{checker.faults} faults")
    sys.exit(1 if checker.faults else 0)


if __name__ == "__main__":
    main()
