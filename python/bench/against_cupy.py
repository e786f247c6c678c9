#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures tulle's matrices beside CuPy's on a GPU: one line of JSON for each operation, matrix and type.

    against_cupy.py [--small] [--out FILE]

Operands and results are CuPy's arrays, and `optimised_ms` is the time of tulle after A.optimize. A time is the median
of several batches, in which tulle and CuPy take turns; a batch ends when the GPU has ended, and the time of Python is
part of it. Each result of tulle is compared with CuPy's. --small takes small matrices, which shows that everything
runs. page.py makes the table of python/README.md of the lines in lab/results/python/gpu.jsonl.
"""
import argparse
import datetime
import json
import pathlib
import platform
import statistics
import sys
import time

import cupy
import cupyx.scipy.sparse
import numpy as np
import scipy.sparse as sp

import tulle
from against_scipy import grid, plain, scattered

BATCHES, BATCH, MOST_CALLS = 9, 0.04, 200  # number of batches; seconds and calls of one
COLUMNS = 4, 32
SMALLER = 8


def power_law(rows, per_row):
    """A random graph some of whose vertices have very many neighbours, in and out."""
    rng = np.random.default_rng(1)
    ends = [rng.permutation(rows)[(rows * rng.random(rows * per_row) ** 3).astype(np.int64)] for _ in range(2)]
    return sp.coo_array((rng.random(rows * per_row), tuple(ends)), shape=(rows, rows))


def matrices(small):
    """Names and functions that give the matrices."""
    part = SMALLER if small else 1
    side, vertices, rows = 100 // part, 2**18 // part, 10**6 // part
    return {"grid of 10 x 10": lambda: grid(10, 10),
            f"grid of {side}^3": lambda: grid(side, side, side),
            f"power law, {vertices} rows of 16": lambda: power_law(vertices, 16),
            f"random, {rows} rows of 8": lambda: scattered(rows, 8, 1)}


def operations(A, planned, T):
    """Of a matrix of tulle, a copy that may be optimised and one of CuPy's, for each operation: its name, and the calls
    of tulle, of tulle after optimize (None: there is none) and of CuPy (of several the fastest counts)."""
    x = cupy.ones(T.shape[1], T.dtype)
    planned.optimize(10**6)
    yield "`A @ x`", lambda: A @ x, lambda: planned @ x, [lambda: T @ x]
    for columns in COLUMNS:
        X = cupy.ones((T.shape[1], columns), T.dtype)
        by_columns = cupy.asfortranarray(X)  # the order that CuPy's own product takes as it is
        planned.optimize(10**5, vectors=columns)
        yield (f"`A @ X`, {columns} columns", lambda: A @ X, lambda: planned @ X,
               [lambda: T @ X, lambda: T @ by_columns])
    yield "`A @ A`", lambda: A @ A, None, [lambda: T @ T]


def host(result):
    """A result in host memory, a matrix as one of SciPy's."""
    if isinstance(result, cupy.ndarray):
        return result.get()
    if isinstance(result, cupyx.scipy.sparse.csr_matrix):
        return sp.csr_array(result.get())
    return sp.csr_array((result.data.get(), result.indices.get(), result.indptr.get()), shape=result.shape)


def same(ours, theirs):
    """True where two results are equal but for rounding."""
    tolerance = 1e-3 if theirs.dtype == np.float32 else 1e-9
    if sp.issparse(theirs):
        distance = abs(ours - theirs)
        return distance.nnz == 0 or distance.max() <= tolerance * abs(theirs).max()
    return np.allclose(ours, theirs, rtol=tolerance, atol=tolerance * np.abs(theirs).max(initial=0))


def seconds_of(call, count):
    """Seconds of one of so many calls, until the GPU has ended the last."""
    begin = time.perf_counter()
    for _ in range(count):
        call()
    cupy.cuda.get_current_stream().synchronize()
    return (time.perf_counter() - begin) / count


def medians(calls):
    """The median time of each call over the batches, in which they take turns."""
    for call in calls:
        seconds_of(call, 2)
    counts = [max(1, min(MOST_CALLS, int(BATCH / seconds_of(call, 1)))) for call in calls]
    batches = [[seconds_of(call, count) for call, count in zip(calls, counts)] for _ in range(BATCHES)]
    return [statistics.median(times) for times in zip(*batches)]


def measured(S):
    """Yields the operation and the times of each operation on a matrix of SciPy's."""
    T = cupyx.scipy.sparse.csr_matrix(sp.csr_matrix(S))
    A, planned = tulle.csr(T), tulle.csr(T.copy())
    for op, ours, optimised, theirs in operations(A, planned, T):
        if not same(host(ours()), host(theirs[0]())):
            sys.exit(f"against_cupy.py: {op}: tulle's result is not CuPy's")
        mine = [ours] if optimised is None else [ours, optimised]
        times = [seconds * 1e3 for seconds in medians(mine + theirs)]
        yield op, dict(zip(["tulle_ms", "optimised_ms"], times[:len(mine)])), min(times[len(mine):])


def rows_of(small):
    for name, make in matrices(small).items():
        wide = plain(make())
        for dtype in (np.float32, np.float64):
            S = wide.astype(dtype)
            about = {"matrix": name, "source": "generated", "rows": S.shape[0], "cols": S.shape[1], "nnz": S.nnz,
                     "type": {4: "f32", 8: "f64"}[S.dtype.itemsize]}
            for op, ours, theirs in measured(S):
                yield {"op": op, **about, **ours, "cupy_ms": theirs}
            tulle.empty_cache()
            cupy.get_default_memory_pool().free_all_blocks()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="small matrices")
    parser.add_argument("--out", type=pathlib.Path, help="a file for the lines, in the place of the standard output")
    options = parser.parse_args()
    machine = {"machine": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(), "tulle": tulle.__version__,
               "cupy": cupy.__version__, "numpy": np.__version__, "python": platform.python_version(),
               "date": datetime.date.today().isoformat()}
    with options.out.open("w", encoding="utf-8") if options.out else sys.stdout as out:
        for row in rows_of(options.small):
            print(json.dumps({key: float(f"{value:.5g}") if isinstance(value, float) else value
                              for key, value in {**row, **machine}.items()}), file=out, flush=True)


if __name__ == "__main__":
    main()
