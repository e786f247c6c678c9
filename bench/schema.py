#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks JSON lines of tulle bench and tulle-lab paper against the schema of results: schema.py FILE...

Prints one line for each fault, "FILE:LINE: what is wrong", and exits with 1 if there is any.
"""
import datetime
import json
import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from fields import FIELDS, of_rows  # pylint: disable=wrong-import-position

OPERATION_H = pathlib.Path(__file__).resolve().parent.parent / "trials/operation.h"

# The operations that make a matrix; iterative methods, whose times are those of an iteration; and those on many small
# problems, which have no matrix.
MAKERS = {"spgemm", "masked", "update", "blocks", "blocks_update", "galerkin", "add", "add_values",
          "transpose", "entrywise", "part"}
SOLVERS = {"cg", "bicgstab", "gmres", "mesh_cg"}
MULTIGRID = {"amg", "amg_nodes"}
TASKS = {"batch_dot", "batch_axpy", "batch_shared", "batch_spmm", "batch_spmm_transposed",
         "batch_mixed", "batch_lu", "batch_solve"}
OPERATIONS = set(re.findall(r"^ *X\((\w+)\)", OPERATION_H.read_text(encoding="utf-8"), re.MULTILINE)) | {"spmm"}
ACTORS = OPERATIONS - MAKERS - {"spmv", "spmm"}
# Rows that have other fields than those of timed calls, by their choice.
REST = {"refused": of_rows("REFUSED"), "profile": of_rows("PROFILE"), "timeline": of_rows("TIMELINE"),
        "tune": of_rows("MEASURED", "TUNED"), "solution": of_rows("MEASURED", "SOLUTION")}
OPTIONAL = of_rows("SOME")
KEYS = {field.key for field in FIELDS}
AMG = of_rows("AMG")

WORDS = {
    "op": OPERATIONS,
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
        return of_rows("ASKED", "REFUSED")
    kinds = {"ASKED", "MADE"}
    kinds |= {kind for kind in ("CALLS", "MEMORY") if of_rows(kind).keys() & row.keys()}
    if row.get("op") in ("spgemm", "galerkin", "blocks") and row.get("choice") != "peer":
        kinds |= {"CALLS", "MEMORY"}
    return of_rows(*kinds, *(["PRODUCTS"] if row.get("products") else []))


def keys_of_op(row):
    if row.get("op") in MAKERS:
        return keys_of_made(row)
    if row.get("op") in SOLVERS:
        return of_rows("MEASURED", "ACTED", "SOLVED")
    if row.get("op") in MULTIGRID:
        return of_rows("MEASURED", "ACTED", "AMG")
    if row.get("choice") in REST:
        return REST[row["choice"]]
    return of_rows("MEASURED", "ACTED") if row.get("op") in ACTORS else of_rows("MEASURED")


def keys_of(row):
    keys = {**of_rows("EVERY"), **keys_of_op(row)}
    keys.update(of_rows("PAPER") if "paper" in row else {})
    keys.update(of_rows("STORED") if "paper" in row and row.get("op") not in TASKS else {})
    keys.update({key: kinds for key, kinds in OPTIONAL.items() if key in row})
    return keys


def absent(row, key):
    if row[key] is not None:
        return False
    if "processes" in row and key in ONLY_OF_PRODUCTS:
        return True
    if "processes" in row and key == "update_ms":  # shared hierarchies are made anew
        return True
    if row.get("choice") == "profile" and key in {*of_rows("PROFILE"), "shared_load"}:
        return True
    if row.get("choice") == "tune" and key == "of_exhaustive":
        return True
    if row.get("op") in MAKERS and (key == "second" or (key == "err" and row.get("broken"))):
        return True
    if row.get("op") in ACTORS and (key == "gflops" or key in ONLY_OF_PRODUCTS):
        return True
    if key in AMG and row.get("op") in MULTIGRID and row.get("choice") == "peer":
        return True
    return key in (ABSENT_OF_PEER if row.get("choice") == "peer" else ONLY_OF_PEER)


def is_of(value, kinds):
    return isinstance(value, kinds) and (kinds == (bool,) or not isinstance(value, bool))


def type_faults(row):
    for key in row.keys() - KEYS:
        yield f"{key} is no field of trials/fields.def"
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
