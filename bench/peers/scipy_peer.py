#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SciPy's CSR product, measured in a process of its own for tulle bench.

scipy_peer.py --version
    prints the version of SciPy.
scipy_peer.py FOLDER ROWS COLS TYPE OFFSET_BYTES INDEX_BYTES TRANS REPEAT SECONDS FLUSH_BYTES
    reads the raw arrays offsets, columns, values and x in FOLDER, writes y there and prints the
    times of one product as JSON: median and quantiles of at least REPEAT samples, and the median
    of calls after FLUSH_BYTES of other data went through the caches.
"""
import json
import os
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


def main(arguments):
    import numpy
    import scipy
    import scipy.sparse

    if arguments == ["--version"]:
        print(scipy.__version__)
        return
    folder, rows, cols, kind, offset_bytes, index_bytes, trans, repeat, seconds, flush = arguments
    value = {"f32": numpy.float32, "f64": numpy.float64}[kind]
    integer = {"4": numpy.int32, "8": numpy.int64}

    def read(name, dtype):
        return numpy.fromfile(os.path.join(folder, name), dtype=dtype)

    arrays = (read("values", value), read("columns", integer[index_bytes]),
              read("offsets", integer[offset_bytes]))
    A = scipy.sparse.csr_matrix(arrays, shape=(int(rows), int(cols)), copy=False)
    x = read("x", value)
    product = A.T if trans == "t" else A
    times = measure(numpy, lambda: product @ x, int(repeat), float(seconds), int(flush))
    (product @ x).astype(value, copy=False).tofile(os.path.join(folder, "y"))
    print(json.dumps(times))


if __name__ == "__main__":
    main(sys.argv[1:])
