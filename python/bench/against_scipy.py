#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures tulle's arrays beside SciPy's on the CPU: one line of JSON for each operation and matrix.

    against_scipy.py [--seconds 100] [--threads 2] [--out FILE] [--wheel FILE] [MATRIX or FOLDER ...]

A MATRIX is a file in Matrix Market's format, also one that xz or gzip has packed; a FOLDER stands for all such files in
it; entries of a file without values are random, and of complex ones the real parts count. Without any, matrices are
generated. Each time is the best of several repeats, in which tulle and SciPy take turns, so that what else runs on the
machine meets both. Operations on fewer than 100,000 entries or multiplications are left out, as a call of Python is
most of their time. Each result of tulle is compared with SciPy's. page.py makes the tables of python/README.md of the
lines in lab/results/python/cpu.jsonl.
"""
import argparse
import datetime
import gzip
import json
import lzma
import pathlib
import platform
import subprocess
import sys
import time
import zipfile

import numpy as np
import scipy
import scipy.io
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import tulle

LEAST_WORK, MOST_WORK = 1e5, 3e7  # entries, or multiplications of A @ B
LEAST_CALL = 5e-4  # seconds that one measurement of a call takes, of short calls several
LEAST_REPEATS, MOST_REPEATS = 3, 25
COLUMNS = 8
OPENERS = {".xz": lzma.open, ".gz": gzip.open}
FRESH = 5  # processes of each kind that import a package


def grid(*sides):
    """The Laplace operator on a grid."""
    parts = []
    for place in range(len(sides)):
        factors = [sp.eye(side) for side in sides]
        factors[place] = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(sides[place],) * 2)
        total = factors[0]
        for factor in factors[1:]:
            total = sp.kron(total, factor)
        parts.append(total)
    return sum(parts)


def scattered(rows, per_row, exponent):
    """A matrix whose columns are drawn at random, the first ones more often where the exponent is above 1."""
    rng = np.random.default_rng(1)
    count = rows * per_row
    columns = (rows * rng.random(count) ** exponent).astype(np.int64)
    return sp.coo_array((rng.random(count), (rng.integers(0, rows, count), columns)), shape=(rows, rows))


GENERATED = {
    "grid 400^2": lambda: grid(400, 400),
    "grid 40^3": lambda: grid(40, 40, 40),
    "blocks of 3, grid 25^3": lambda: sp.kron(grid(25, 25, 25), np.ones((3, 3))),
    "band of 41": lambda: sp.diags(np.linspace(1, 2, 41), np.arange(-20, 21), shape=(20_000, 20_000)),
    "random, 8 a row": lambda: scattered(60_000, 8, 1),
    "power law, 8 a row": lambda: scattered(40_000, 8, 2.5),
}


def plain(A):
    """SciPy's csr_array of f64, with sorted entries and indices of 32 bits."""
    A = sp.csr_array(A).real.astype(np.float64)
    A.sum_duplicates()
    A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)
    return A


def read(path):
    with OPENERS.get(path.suffix, open)(path, "rb") as file:
        head = file.readline()
        file.seek(0)
        A = plain(scipy.io.mmread(file))
    if b"pattern" in head:
        A.data = np.random.default_rng(1).random(A.nnz) + 0.5
    return A


def is_matrix(path):
    return any(path.name.endswith(".mtx" + packed) for packed in ("", *OPENERS))


def matrices(paths):
    """Names, sources and functions that give the matrices."""
    if not paths:
        return [(name, "generated", lambda make=make: plain(make())) for name, make in GENERATED.items()]
    files = [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
    found = [file for file in files if file in paths or is_matrix(file)]
    return [(file.name.split(".mtx")[0], "real", lambda file=file: read(file)) for file in found]


def triangle(S):
    """The lower triangle with a diagonal that is larger than the other entries of its row together."""
    L = sp.csr_array(sp.tril(S, -1))
    L = sp.csr_array(L + sp.diags_array(abs(L).sum(axis=1) + 1.0) if hasattr(sp, "diags_array") else
                     L + sp.diags(np.asarray(abs(L).sum(axis=1)).ravel() + 1.0))
    return plain(L)


def operations(S):
    """Of a matrix, for each operation: its name, its work in entries or multiplications, and a function that prepares
    it for a class of arrays and returns the call."""
    rng = np.random.default_rng(2)
    rows, cols = S.shape
    lengths = np.diff(S.indptr).astype(np.int64)
    x, y, X = rng.random(cols), rng.random(rows), rng.random((cols, COLUMNS))
    square = rows == cols
    half_rows, half_cols = slice(rows // 4, rows // 4 + rows // 2), slice(cols // 4, cols // 4 + cols // 2)
    chosen = rng.permutation(rows)[:rows // 2]
    yield "`A @ x`", S.nnz, lambda A: lambda: A @ x
    yield "`A.T @ x`", S.nnz, lambda A: lambda: A.T @ y
    yield f"`A @ X`, {COLUMNS} columns", S.nnz * COLUMNS, lambda A: lambda: A @ X
    if square:
        yield "`A @ A`", int(lengths[S.indices].sum()), lambda A: lambda: A @ A
    else:
        count = np.bincount(S.indices, minlength=cols)
        yield "`A @ A.T`", int(count[S.indices].sum()), lambda A: (lambda B: lambda: A @ B)(A.T.tocsr())
    yield "`A + A`", 2 * S.nnz, lambda A: (lambda B: lambda: A + B)(A.copy())
    if square:
        yield "`A + A.T`", 2 * S.nnz, lambda A: (lambda B: lambda: A + B)(A.T.tocsr())
    yield "`A.T.tocsr()`", S.nnz, lambda A: lambda: A.T.tocsr()
    yield "`A[a:b]`", S.nnz // 2, lambda A: lambda: A[half_rows]
    yield "`A[:, a:b]`", S.nnz // 2, lambda A: lambda: A[:, half_cols]
    yield "`A[a:b, c:d]`", S.nnz // 2, lambda A: lambda: A[half_rows, half_cols]
    yield "`A[rows]`", S.nnz // 2, lambda A: lambda: A[chosen]
    if square:
        L, solve = triangle(S), {sp.csr_array: spl.spsolve_triangular, tulle.csr_array: tulle.spsolve_triangular}
        yield "triangular solve", L.nnz, lambda A: (lambda T: lambda: solve[type(A)](T, y))(type(A)(L))


def same(ours, theirs):
    """True where two results are equal but for rounding."""
    if sp.issparse(theirs):
        distance, size = abs(ours - theirs), abs(theirs)
        return distance.nnz == 0 or distance.max() <= 1e-10 * max(1.0, size.max())
    return np.allclose(ours, theirs, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(theirs).max(initial=0)))


def seconds_of(call, count):
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - begin) / count


def best(ours, theirs, seconds):
    """The least time of each of two calls, which take turns for so many seconds, and at least a few times."""
    counts = [max(1, int(LEAST_CALL / max(seconds_of(call, 1), 1e-7))) for call in (ours, theirs)]
    least, end, repeats = [np.inf, np.inf], time.perf_counter() + seconds, 0
    while repeats < LEAST_REPEATS or (repeats < MOST_REPEATS and time.perf_counter() < end):
        for place, call in enumerate((ours, theirs)):
            least[place] = min(least[place], seconds_of(call, counts[place]))
        repeats += 1
    return least


def measured(S, seconds, least_work=LEAST_WORK):
    """Yields what was measured of each operation on a matrix, within so many seconds."""
    A, end = tulle.csr_array(S.copy()), time.perf_counter() + seconds
    ways = [way for way in operations(S) if least_work <= way[1] <= MOST_WORK]
    for done, (op, work, prepare) in enumerate(ways):
        ours, theirs = prepare(A), prepare(S)
        if not same(ours(), theirs()):
            sys.exit(f"against_scipy.py: {op}: tulle's result is not SciPy's")
        share = max(0.0, end - time.perf_counter()) / (len(ways) - done)
        yield op, work, best(ours, theirs, share)


def imported(names):
    """The least time in which a fresh Python imports each package, taking turns."""
    program = "import sys, time; begin = time.time(); __import__(sys.argv[1]); print(time.time() - begin)"
    least = [np.inf] * len(names)
    for _ in range(FRESH):
        for place, name in enumerate(names):
            run = subprocess.run([sys.executable, "-c", program, name], capture_output=True, text=True, check=True)
            least[place] = min(least[place], float(run.stdout))
    return least


def processor():
    """The processor's name, as Linux tells it."""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def without_matrix(wheel):
    """Yields the rows that belong to no matrix: a short product, `import tulle`, and the wheel."""
    S = plain(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(10, 10)))
    A, x = tulle.csr_array(S), np.ones(10)
    ours, theirs = best(lambda: A @ x, lambda: S @ x, 0.3)
    yield {"op": "A @ x, 10 rows", "matrix": "", "work": S.nnz, "tulle_ms": ours * 1e3, "scipy_ms": theirs * 1e3}
    ours, theirs = imported(["tulle", "scipy.sparse"])
    yield {"op": "import", "matrix": "", "tulle_ms": ours * 1e3, "scipy_ms": theirs * 1e3}
    if wheel is not None:
        with zipfile.ZipFile(wheel) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
        yield {"op": "wheel", "matrix": "", "bytes": wheel.stat().st_size, "unpacked_bytes": unpacked}


def rows_of(options):
    """Yields all rows, matrix by matrix, each within an equal share of the time that is left."""
    end = time.perf_counter() + options.seconds
    yield from without_matrix(options.wheel)
    found = matrices(options.paths)
    for done, (name, source, make) in enumerate(found):
        until = time.perf_counter() + max(0.0, end - time.perf_counter()) / (len(found) - done)
        S = make()
        about = {"matrix": name, "source": source, "rows": S.shape[0], "cols": S.shape[1], "nnz": S.nnz}
        if 0 in S.shape:
            continue
        for op, work, (ours, theirs) in measured(S, until - time.perf_counter()):
            yield {"op": op, **about, "work": work, "tulle_ms": ours * 1e3, "scipy_ms": theirs * 1e3}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=100, help="time for all of it, but for a few repeats more")
    parser.add_argument("--threads", type=int, help="of tulle; SciPy has one")
    parser.add_argument("--out", type=pathlib.Path, help="a file for the lines, in the place of the standard output")
    parser.add_argument("--wheel", type=pathlib.Path, help="tells the size of this wheel, too")
    parser.add_argument("paths", nargs="*", type=pathlib.Path, metavar="MATRIX")
    options = parser.parse_args()
    if options.threads:
        tulle.set_threads(options.threads)
    machine = {"machine": processor(), "threads": tulle.get_threads(), "type": "f64", "tulle": tulle.__version__,
               "scipy": scipy.__version__, "numpy": np.__version__, "python": platform.python_version(),
               "date": datetime.date.today().isoformat()}
    with options.out.open("w", encoding="utf-8") if options.out else sys.stdout as out:
        for row in rows_of(options):
            print(json.dumps({key: float(f"{value:.5g}") if isinstance(value, float) else value
                              for key, value in {**row, **machine}.items()}), file=out, flush=True)


if __name__ == "__main__":
    main()
