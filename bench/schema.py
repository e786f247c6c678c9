#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks JSON lines of tulle bench and tulle-lab paper against the schema of results: schema.py FILE...

Prints one line for each fault, "FILE:LINE: what is wrong", and exits with 1 if there is any.
"""
import datetime
import json
import math
import sys

TEXT, WHOLE, NUMBER, YES_OR_NO = (str,), (int,), (int, float), (bool,)

# What every row has.
COMMON = {
    "op": TEXT, "matrix": TEXT, "source": TEXT, "class": TEXT, "rows": WHOLE, "cols": WHOLE,
    "nnz": WHOLE, "type": TEXT, "index": TEXT, "trans": TEXT, "k": WHOLE, "layout": TEXT,
    "block": WHOLE, "tasks": WHOLE, "kernel": TEXT, "backend": TEXT, "choice": TEXT,
    "params": TEXT, "threads": WHOLE, "machine": TEXT, "copy_gbs": NUMBER, "peer_version": TEXT,
    "date": TEXT, "commit": TEXT,
}
MEASURED = {
    "ms": NUMBER, "ms_q10": NUMBER, "ms_q90": NUMBER, "ms_cold": NUMBER, "gflops": NUMBER,
    "gbs": NUMBER, "gbs_kernel": NUMBER, "floor": NUMBER, "prep_ms": NUMBER, "extra_bytes": WHOLE,
    "err": NUMBER,
}
# What the profiler counted; null where it could not.
COUNTED = {
    "launches": WHOLE, "occupancy": NUMBER, "warp_efficiency": NUMBER, "load_efficiency": NUMBER,
    "l1_hit": NUMBER, "dram_bytes": NUMBER, "ms": NUMBER,
}
# What rows of the first versions lack.
COUNTED_SINCE = {"shared_load": NUMBER}
CALLED_SINCE = {"predicted_bytes": WHOLE, "pieces": WHOLE}
SOLVED_SINCE = {"iterations": WHOLE}
# Of an operation that makes a matrix: what is asked for, and what came out.
MAKERS = {"spgemm", "masked", "update", "galerkin", "add", "add_values", "transpose", "entrywise",
          "part"}
ASKED = {"second": TEXT, "pooled": YES_OR_NO, "products": WHOLE, "cap": WHOLE}
MADE = {
    **ASKED, "nnz_c": WHOLE, "ms": NUMBER, "ms_q10": NUMBER, "ms_q90": NUMBER,
    "samples": WHOLE, "gbs": NUMBER, "floor": NUMBER, "err": NUMBER, "broken": YES_OR_NO,
    "sorted": YES_OR_NO,
}
# What its rows have where there are products, where tulle's call says what it took, and where the
# memory is known.
OF_PRODUCTS = {"gflops": NUMBER, "compression": NUMBER}
OF_CALLS = {"operands_ms": NUMBER, "analysis_ms": NUMBER, "count_ms": NUMBER, "allocate_ms": NUMBER,
            "compute_ms": NUMBER, "finish_ms": NUMBER, "phases_ms": NUMBER, "bound_bytes": WHOLE}
OF_MEMORY = {"peak_bytes": WHOLE, "extra_bytes": WHOLE}
REFUSED = {"reason": TEXT}
# Of an operation that acts on given arrays: what products have, and how it was asked for.
SOLVERS = {"cg", "bicgstab", "gmres", "mesh_cg"}
# Of multigrid: times of phases of its setup and of other calls, sizes over those of A, the mean factor of the residual
# in an iteration, and of each level rows, entries, 1 where the cycle passes it, and milliseconds of three phases.
AMG = {"whole_ms": NUMBER, "split_ms": NUMBER, "interpolation_ms": NUMBER, "galerkin_ms": NUMBER, "rest_ms": NUMBER,
       "update_ms": NUMBER, "cycle_ms": NUMBER, "iterations": WHOLE, "amg_levels": WHOLE,
       "operator_complexity": NUMBER, "grid_complexity": NUMBER, "held_of_matrix": NUMBER, "peak_of_matrix": NUMBER,
       "convergence_factor": NUMBER, "hierarchy": (list,)}
ACTORS = {"row_sums", "mat_scale", "trisolve", "factor", "dot", "axpy", "axpby", "scale", "copy", "multiply", "divide",
          "norm2", "norm_max", "multivector_dot", "multivector_axpy", "qr",
          "batch_dot", "batch_axpy", "batch_shared", "batch_spmm", "batch_spmm_transposed",
          "batch_mixed", "batch_factor", "batch_lu", "batch_solve", "assemble", "local", "matrix_free", "uniform",
          "uniform_lu", "uniform_cholesky", "diffusion", "solve", "amg", *SOLVERS}
TASKS = {"batch_dot", "batch_axpy", "batch_shared", "batch_spmm", "batch_spmm_transposed",
         "batch_mixed", "batch_lu", "batch_solve"}
ACTED = {**MEASURED, "detail": TEXT, "levels": WHOLE}
# Of an iterative method, whose times are those of an iteration: how many a call has, and its parts.
SOLVED = {**ACTED, "iterations": WHOLE, "whole_ms": NUMBER, "product_ms": NUMBER, "parts_ms": NUMBER,
          "of_parts": NUMBER}
# Of a tuner's search: the kernel's own times, and the call in which it ran.
TUNED = {**MEASURED, "search": TEXT, "call": WHOLE, "call_ms": NUMBER, "counts": YES_OR_NO,
         "best": TEXT, "best_ms": NUMBER, "of_exhaustive": NUMBER}
# Of a sequence of solutions with a tuner at work: the kernel's own times, and the solution.
SOLUTION = {**MEASURED, "call": WHOLE, "method": TEXT, "applications": WHOLE, "trials": WHOLE,
            "settled": YES_OR_NO, "left": NUMBER, "solution_ms": NUMBER}
PAPER = {"paper": WHOLE, "experiment": TEXT, "stand_in": YES_OR_NO}
# Of a paper, where there is a matrix, and not so many rows.
STORED = {"format": TEXT, "matrix_bytes": WHOLE}
# Of threads that take tasks: how many there are, those of them that compute themselves, and for each
# task its thread and four times.
TIMELINE = {"detail": TEXT, "levels": WHOLE, "lanes": WHOLE, "own_lanes": WHOLE, "ms": NUMBER,
            "events": (list,)}
# Of the rest: what a row has, by its choice.
REST = {"refused": REFUSED, "profile": COUNTED, "tune": TUNED, "solution": SOLUTION,
        "timeline": TIMELINE}
# What not every row has: rows of the first version, rows whose cache lines were not counted.
OPTIONAL = {"stand_in": YES_OR_NO, "format": TEXT, "matrix_bytes": WHOLE, "gbs_effective": NUMBER,
            "mean_row": NUMBER, "sd_row": NUMBER, "max_row": WHOLE, "model_ms": NUMBER,
            "core_ms": NUMBER, "convert_ms": NUMBER, "making_ms": NUMBER, "apart": WHOLE, "fill": WHOLE,
            "streams": WHOLE, "checked_rows": WHOLE, "load": NUMBER, "processors": WHOLE,
            "arranged": TEXT, **COUNTED_SINCE, **CALLED_SINCE, **SOLVED_SINCE}

WORDS = {
    "op": {"spmv", "spmm", *MAKERS, *ACTORS},
    "source": {"real", "generated", "like", "tile"},
    "class": {"launch", "cache", "memory"},
    "type": {"f32", "f64"},
    "index": {"32/32", "64/32", "64/64"},
    "trans": {"n", "t"},
    "layout": {"column", "row"},
    "backend": {"cpu", "cuda", "emulated"},
    "choice": {"rule", "plan", "optimise", "forced", "peer", "refused", "profile", "tune",
               "solution", "timeline"},
}

# What only products have, what a peer's row cannot have, or only a peer's row has.
ONLY_OF_PRODUCTS = ABSENT_OF_PEER = {"gbs_kernel", "model_ms"}
ONLY_OF_PEER = {"peer_version"}


def keys_of_made(row):
    if row.get("choice") == "refused":
        return {**ASKED, **REFUSED}
    keys = dict(MADE)
    for part in (OF_CALLS, OF_MEMORY):
        keys.update(part if part.keys() & row.keys() else {})
    if row.get("op") in ("spgemm", "galerkin") and row.get("choice") != "peer":
        keys.update({**OF_CALLS, **OF_MEMORY})
    keys.update(OF_PRODUCTS if row.get("products") else {})
    return keys


def keys_of_op(row):
    if row.get("op") in MAKERS:
        return keys_of_made(row)
    if row.get("op") in SOLVERS:
        return SOLVED
    if row.get("op") == "amg":
        return {**ACTED, **AMG}
    if row.get("choice") in REST:
        return REST[row["choice"]]
    return ACTED if row.get("op") in ACTORS else MEASURED


def keys_of(row):
    keys = {**COMMON, **keys_of_op(row)}
    keys.update(PAPER if "paper" in row else {})
    keys.update(STORED if "paper" in row and row.get("op") not in TASKS else {})
    keys.update({key: kinds for key, kinds in OPTIONAL.items() if key in row})
    return keys


def absent(row, key):
    if row[key] is not None:
        return False
    if row.get("choice") == "profile" and key in {**COUNTED, **COUNTED_SINCE}:
        return True
    if row.get("choice") == "tune" and key == "of_exhaustive":
        return True
    if row.get("op") in MAKERS and (key == "second" or (key == "err" and row.get("broken"))):
        return True
    if row.get("op") in ACTORS and (key == "gflops" or key in ONLY_OF_PRODUCTS):
        return True
    if key in AMG and row.get("op") == "amg" and row.get("choice") == "peer":
        return True
    return key in (ABSENT_OF_PEER if row.get("choice") == "peer" else ONLY_OF_PEER)


def is_of(value, kinds):
    return isinstance(value, kinds) and (kinds is YES_OR_NO or not isinstance(value, bool))


def type_faults(row):
    for key, kinds in keys_of(row).items():
        if key not in row:
            yield f"{key} is missing"
        elif not absent(row, key) and not is_of(row[key], kinds):
            yield f"{key} is {row[key]!r}"


def time_faults(row):
    if row["ms"] <= 0:
        yield "ms is above 0"
    if not row["ms_q10"] <= row["ms"] <= row["ms_q90"]:
        yield "the quantiles of ms are not in order"
    if row["choice"] != "peer" and (row.get("broken") or row["err"] > 1):
        yield f"err is {row['err']}: the result of {row['kernel']} is wrong"
    bound, predicted = row.get("bound_bytes", math.inf), row.get("predicted_bytes")
    if row.get("peak_bytes", 0) > bound:
        yield f"{row['kernel']} held {row['peak_bytes']} bytes, above its bound"
    if predicted is not None and not row["peak_bytes"] <= predicted <= bound:
        yield (f"{row['kernel']} held {row['peak_bytes']} bytes where {predicted} were predicted, of "
               f"at most {bound}")


def event_faults(row):
    if not row["events"]:
        yield "there are no events"
    for lane, *times in row["events"]:
        if not 0 <= lane < row["lanes"] or times != sorted(times) or times[-1] > row["ms"]:
            yield f"the event {[lane, *times]} is none of a time line of {row['ms']} ms"


def value_faults(row):
    for key, words in WORDS.items():
        if row[key] not in words:
            yield f"{key} is {row[key]!r}, none of {', '.join(sorted(words))}"
    for key in keys_of(row):
        if isinstance(row[key], (int, float)) and not (math.isfinite(row[key]) and row[key] >= 0):
            yield f"{key} is {row[key]!r}"
    if row["copy_gbs"] <= 0:
        yield "copy_gbs is above 0"
    if row["choice"] == "timeline":
        yield from event_faults(row)
    elif row["choice"] not in ("refused", "profile"):
        yield from time_faults(row)
    try:
        datetime.datetime.fromisoformat(row["date"].replace("Z", "+00:00"))
    except ValueError:
        yield f"date is {row['date']!r}"


def faults_of_kept(row):
    """Faults of a row of lab/results/, of which lab/keep.py keeps some fields, and of the date the day: a
    field that is not there is none, but for these that tell what was measured."""
    kinds = {**keys_of(row), **OPTIONAL, **REST.get(row["choice"], {})}
    for key, value in row.items():
        if not is_of(value, kinds.get(key, type(value))):
            yield f"{key} is {value!r}"
        elif isinstance(value, (int, float)) and not (math.isfinite(value) and value >= 0):
            yield f"{key} is {value!r}"
    for key in {"op", "matrix", "type", "machine", "kernel", "copy_gbs", "date"} - row.keys():
        yield f"{key} is missing"
    for key in WORDS.keys() & row.keys():
        if row[key] not in WORDS[key]:
            yield f"{key} is {row[key]!r}, none of {', '.join(sorted(WORDS[key]))}"
    if row["choice"] != "peer" and row.get("err", 0) > 1:
        yield f"err is {row['err']}: the result of {row['kernel']} is wrong"


def faults(line):
    try:
        row = json.loads(line)
    except ValueError as error:
        return [f"no JSON: {error}"]
    if not isinstance(row, dict):
        return ["no JSON object"]
    return list(type_faults(row)) or list(value_faults(row))


def check(path):
    count = bad = 0
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            count += 1
            for fault in faults(line):
                bad += 1
                print(f"{path}:{number}: {fault}")
    if count == 0:
        bad += 1
        print(f"{path}: no rows")
    return bad


def main(paths):
    if not paths:
        sys.exit(__doc__)
    sys.exit(1 if sum(check(path) for path in paths) else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
