#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the time that tulle and fast_matrix_market (PyPI) take to parse a Matrix Market file.

    parse.py TULLE FILE [--rounds N]

Needs fast_matrix_market and scipy. Every round lets each reader read the file once, so that all of
them meet the same state of the machine; the first round only warms up. All use all cores. Prints
one JSON line for each reader and result: "entries" is rows, columns and values with the symmetry
expanded as each reader does it, "csr" is the sorted matrix with duplicates summed.

A process of its own reads for tulle in each round, and pays for fresh memory and threads;
fast_matrix_market reads again and again in this one.
"""
import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import time

import fast_matrix_market


def clocked(function):
    start = time.perf_counter()
    result = function()
    return result, 1e3 * (time.perf_counter() - start)


def read_with_tulle(program, path, times):
    text = subprocess.run([program, "info", "--json", path], check=True, stdout=subprocess.PIPE)
    info = json.loads(text.stdout)["file"]
    times["tulle", "entries"].append(1e3 * info["parse_seconds"])
    times["tulle", "csr"].append(1e3 * info["seconds"])
    return info


def read_with_peer(path, threads, times):
    _, coo = clocked(lambda: fast_matrix_market.read_coo(path, parallelism=threads))
    matrix, entries = clocked(lambda: fast_matrix_market.mmread(path, parallelism=threads))
    _, sort = clocked(matrix.tocsr)
    times["fast_matrix_market read_coo", "entries"].append(coo)
    times["fast_matrix_market mmread", "entries"].append(entries)
    times["fast_matrix_market mmread, scipy tocsr", "csr"].append(entries + sort)


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()


def rows(path, info, times, threads):
    common = {
        "op": "parse", "matrix": os.path.basename(path), "container": info["container"],
        "field": info["field"], "symmetry": info["symmetry"], "stored": info["stored"],
        "text_bytes": info["text_bytes"], "threads": threads, "machine": processor(),
        "peer_version": importlib.metadata.version("fast_matrix_market"),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    }
    for (reader, result), all_ms in times.items():
        deciles = statistics.quantiles(all_ms, n=10, method="inclusive")
        median = statistics.median(all_ms)
        yield {**common, "reader": reader, "result": result, "ms": median, "ms_min": min(all_ms),
               "ms_q10": deciles[0], "ms_q90": deciles[-1],
               "mb_per_s": 1e-3 * info["text_bytes"] / median}


def main():
    parser = argparse.ArgumentParser(description="parsing time against fast_matrix_market")
    parser.add_argument("tulle", help="the program tulle")
    parser.add_argument("file", help="a Matrix Market file, not compressed")
    parser.add_argument("--rounds", type=int, default=15, help="rounds that count (default 15)")
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error("--rounds: at least 2")
    threads = len(os.sched_getaffinity(0))
    names = [("tulle", "entries"), ("tulle", "csr"), ("fast_matrix_market read_coo", "entries"),
             ("fast_matrix_market mmread", "entries"),
             ("fast_matrix_market mmread, scipy tocsr", "csr")]
    for turn in range(arguments.rounds + 1):
        if turn <= 1:
            times = {name: [] for name in names}
        info = read_with_tulle(arguments.tulle, arguments.file, times)
        read_with_peer(arguments.file, threads, times)
    for row in rows(arguments.file, info, times, threads):
        print(json.dumps(row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
