#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SciPy's CSR product, solves with a triangle and what makes a matrix, measured in a process of its own for tulle bench.

scipy_peer.py --version
    prints the version of SciPy.
scipy_peer.py FOLDER ROWS COLS TYPE OFFSET_BYTES INDEX_BYTES TASK REPEAT SECONDS FLUSH_BYTES
    reads the raw arrays offsets, columns, values and x in FOLDER, writes y there and prints the
    times of one call as JSON, of the TASK n (A x), t (A'x), or y := T^-1 x or y := T'^-1 x, T the
    lower or the upper triangle, x by row or by column, as lower-row-n or lower-row-t: median and quantiles of at least REPEAT samples, and the median
    of calls after FLUSH_BYTES of other data went through the caches.
scipy_peer.py --assemble FOLDER TYPE ROWS NODES REPEAT SECONDS FLUSH_BYTES
    reads element matrices (x) of elements with so many nodes (columns), times their sum as a CSR
    matrix from the COO matrix that they are, writes its values (y) and prints as above.
scipy_peer.py --factor KIND FOLDER TYPE ROWS OFFSET_BYTES INDEX_BYTES REPEAT SECONDS FLUSH_BYTES
    times SuperLU's factors of a CSR matrix, KIND spilu or splu, and prints as above, with error: how
    wrong the factors are, at most 1 being right.
scipy_peer.py --make OP FOLDER TYPE ROWS COLS B_COLS OFFSET_BYTES INDEX_BYTES REPEAT SECONDS
    reads A (offsets, columns, values) and B (b_offsets and so on), makes C with OP at least REPEAT
    times, writes c_offsets, c_columns and c_values, and prints times, entries, the size of C's
    indices, and by how much the first C raised the most memory that the process ever had.
"""
import json
import os
import resource
import sys
import time

SHORTEST_SAMPLE = 2e-4  # seconds, as tools/common/timing.c
MOST_SAMPLES, MOST_BATCH, LEAST_COLD, MOST_COLD = 200, 1000, 3, 20


def sample(call, batch):
    start = time.perf_counter()
    for _ in range(batch):
        call()
    return (time.perf_counter() - start) / batch


def warm_up(call, seconds):
    end, batch = time.perf_counter() + seconds, 1
    while True:
        took = sample(call, batch)
        if took * batch < SHORTEST_SAMPLE and batch < MOST_BATCH:
            batch = min(2 * batch, MOST_BATCH)
        elif time.perf_counter() >= end:
            return took, batch


def measure(numpy, call, repeat, seconds, flush_bytes):
    took, batch = warm_up(call, 0.2 * seconds)
    count = max(repeat, min(MOST_SAMPLES, int(seconds / (took * batch + 1e-9))))
    warm = [1e3 * sample(call, batch) for _ in range(count)]
    other = numpy.zeros(max(1, flush_bytes // 8))
    end, cold = time.perf_counter() + seconds, []
    least = min(repeat, LEAST_COLD)
    while len(cold) < least or (len(cold) < MOST_COLD and time.perf_counter() < end):
        other += 1.0
        cold.append(1e3 * sample(call, 1))
    return {
        "ms": float(numpy.median(warm)),
        "ms_q10": float(numpy.quantile(warm, 0.1)),
        "ms_q90": float(numpy.quantile(warm, 0.9)),
        "ms_cold": float(numpy.median(cold)),
        "samples": count,
        "batch": batch,
    }


def product(A, B):
    C = A @ B
    C.sort_indices()
    return C


def add(A, B):
    return A + B


def transpose(A, _):
    return A.T.tocsr()


OPERATIONS = {"spgemm": product, "add": add, "transpose": transpose}


def highest_bytes():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def clocked(call):
    start = time.perf_counter()
    result = call()
    return result, 1e3 * (time.perf_counter() - start)


def read_csr(folder, prefix, shape, kind, sizes):
    import numpy
    import scipy.sparse

    value = {"f32": numpy.float32, "f64": numpy.float64}[kind]
    integer = {"4": numpy.int32, "8": numpy.int64}

    def read(name, dtype):
        return numpy.fromfile(os.path.join(folder, prefix + name), dtype=dtype)

    arrays = (read("values", value), read("columns", integer[sizes[1]]),
              read("offsets", integer[sizes[0]]))
    return scipy.sparse.csr_matrix(arrays, shape=shape, copy=False)


def make(arguments):
    import numpy

    op, folder, kind, rows, cols, b_cols, offset_bytes, index_bytes, repeat, seconds = arguments
    sizes = (offset_bytes, index_bytes)
    A = read_csr(folder, "", (int(rows), int(cols)), kind, sizes)
    B = read_csr(folder, "b_", (int(cols) if op == "spgemm" else int(rows), int(b_cols)), kind,
                 sizes)
    before = highest_bytes()
    C, first = clocked(lambda: OPERATIONS[op](A, B))
    peak = highest_bytes() - before
    count = max(int(repeat), min(MOST_SAMPLES, int(1e3 * float(seconds) / (first + 1e-6))))
    times = []
    for _ in range(count):
        del C
        C, took = clocked(lambda: OPERATIONS[op](A, B))
        times.append(took)
    C.indptr.tofile(os.path.join(folder, "c_offsets"))
    C.indices.tofile(os.path.join(folder, "c_columns"))
    C.data.astype(A.dtype, copy=False).tofile(os.path.join(folder, "c_values"))
    print(json.dumps({
        "ms": float(numpy.median(times)),
        "ms_q10": float(numpy.quantile(times, 0.1)),
        "ms_q90": float(numpy.quantile(times, 0.9)),
        "samples": count,
        "nnz": int(C.nnz),
        "index_bytes": C.indices.dtype.itemsize,
        "peak_bytes": peak,
    }))


def assemble(arguments):
    import numpy
    import scipy.sparse

    folder, kind, rows, nodes, repeat, seconds, flush = arguments
    nodes, shape = int(nodes), (int(rows), int(rows))
    value = {"f32": numpy.float32, "f64": numpy.float64}[kind]
    elements = numpy.fromfile(os.path.join(folder, "columns"), dtype=numpy.int32)
    elements = elements.reshape(-1, nodes)
    places = (numpy.repeat(elements, nodes, axis=1).ravel(), numpy.tile(elements, nodes).ravel())
    x = numpy.fromfile(os.path.join(folder, "x"), dtype=value)

    def call():
        return scipy.sparse.coo_matrix((x, places), shape=shape).tocsr()

    times = measure(numpy, call, int(repeat), float(seconds), int(flush))
    A = call()
    A.sort_indices()
    A.data.astype(value, copy=False).tofile(os.path.join(folder, "y"))
    print(json.dumps(times))


# SuperLU's incomplete factors have about as many entries as A with this; A is dominant, so that
# neither kind has to exchange rows.
FACTOR_OPTIONS = {
    "spilu": {"permc_spec": "NATURAL", "drop_tol": 0.1},
    "splu": {"permc_spec": "MMD_AT_PLUS_A", "options": {"SymmetricMode": True}},
}


def incomplete_error(A, product):
    """What was dropped of a column, of all of it: with 1 a factor would be no better than none."""
    sizes = [abs(M).sum(axis=0).A1 for M in (A - product, A)]
    return float((sizes[0] / sizes[1]).max())


def complete_error(numpy, A, F, inverse_rows):
    """|A v - L (U v)| in units of its bound, v of ones with signs at random."""
    n = A.shape[0]
    v = numpy.random.default_rng(1).choice([-1.0, 1.0], n).astype(A.dtype)
    ordered = numpy.empty_like(v)
    ordered[F.perm_c] = v
    residual = numpy.abs(A @ v - (F.L @ (F.U @ ordered))[inverse_rows])
    size = abs(A) @ numpy.abs(v) + 2 * (abs(F.L) @ (abs(F.U) @ numpy.abs(v)))[inverse_rows]
    unit = (n + 2) * numpy.finfo(A.dtype).eps / 2
    return float((residual / (unit * size)).max())


def factor(arguments):
    import numpy
    import scipy.sparse
    import scipy.sparse.linalg

    kind, folder, type_name, rows, offset_bytes, index_bytes, repeat, seconds, flush = arguments
    A = read_csr(folder, "", (int(rows), int(rows)), type_name, (offset_bytes, index_bytes)).tocsc()
    function = getattr(scipy.sparse.linalg, kind)

    def call():
        return function(A, diag_pivot_thresh=0.0, **FACTOR_OPTIONS[kind])

    times = measure(numpy, call, int(repeat), float(seconds), int(flush))
    F = call()
    if kind == "splu":
        times["error"] = complete_error(numpy, A, F, F.perm_r)
    else:
        product = (F.L @ F.U).tocsc()[F.perm_r][:, F.perm_c]
        times["error"] = incomplete_error(A, product)
    print(json.dumps(times))


def call_of(task, A, x):
    """What is timed, and how its result lies in memory."""
    if task in ("n", "t"):
        product_of = A.T if task == "t" else A
        return (lambda: product_of @ x), "C"
    import scipy.sparse
    from scipy.sparse.linalg import spsolve_triangular

    part, layout, op = task.split("-")
    order = {"row": "C", "column": "F"}[layout]
    lower = part == "lower"
    T = (scipy.sparse.tril if lower else scipy.sparse.triu)(A).tocsr()
    if op == "t":
        T, lower = T.T.tocsr(), not lower
    B = x.reshape((A.shape[0], -1), order=order)
    return (lambda: spsolve_triangular(T, B, lower=lower)), order


def main(arguments):
    import numpy
    import scipy

    if arguments == ["--version"]:
        print(scipy.__version__)
        return
    if arguments[:1] == ["--make"]:
        make(arguments[1:])
        return
    if arguments[:1] == ["--factor"]:
        factor(arguments[1:])
        return
    if arguments[:1] == ["--assemble"]:
        assemble(arguments[1:])
        return
    folder, rows, cols, kind, offset_bytes, index_bytes, task, repeat, seconds, flush = arguments
    A = read_csr(folder, "", (int(rows), int(cols)), kind, (offset_bytes, index_bytes))
    x = numpy.fromfile(os.path.join(folder, "x"), dtype=A.dtype)
    call, order = call_of(task, A, x)
    times = measure(numpy, call, int(repeat), float(seconds), int(flush))
    call().astype(A.dtype, copy=False).ravel(order=order).tofile(os.path.join(folder, "y"))
    print(json.dumps(times))


if __name__ == "__main__":
    main(sys.argv[1:])
