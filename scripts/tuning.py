#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the constants of src/tune/csr_costs.h to measurements and makes docs/tuning.md.

tuning.py [--check | --write | --fit] [--results DIR]

Reads the rows of CSR products on a GPU in bench/results/*.jsonl. Without an option it prints what
the constants of the header are worth, and what a fit on half of the matrices is worth on the other
half. --write makes the page; --fit puts the constants that suit all of them best into the header;
--check exits with 1 if the page is not what the header and the results give.
"""
import argparse
import pathlib
import re
import sys

from pages import output
from pages.cases import SAME, cases_of, minimal_bytes, where
from pages.tables import geometric_mean, group, human_ms, read_rows, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / "src/tune/csr_costs.h"
PAGE = ROOT / "docs/tuning.md"
NAMES = ("VECTOR_EVEN", "VECTOR_UNEVEN", "VECTOR_FLIGHT", "MERGE_LAUNCHES", "MERGE_BYTES",
         "ADAPTIVE_EVEN", "ADAPTIVE_UNEVEN", "BLOCK_FLIGHT")
# What each constant is tried at.
GRID = {
    "VECTOR_EVEN": (1.0, 1.05, 1.1, 1.15, 1.2),
    "VECTOR_UNEVEN": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7),
    "VECTOR_FLIGHT": (0.2, 0.3, 0.4, 0.5, 0.67, 0.8, 1.0),
    "MERGE_LAUNCHES": (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5),
    "MERGE_BYTES": (1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5),
    "ADAPTIVE_EVEN": (1.05, 1.1, 1.15, 1.2, 1.25, 1.3),
    "ADAPTIVE_UNEVEN": (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3),
    "BLOCK_FLIGHT": (0.5, 0.75, 1.0, 1.25, 1.5, 2.0),
}
# bytes.h, bytes_a_microsecond and LAUNCH_US; csr_row.cuh, flight and the cap of unevenness.
BYTES_A_MICROSECOND = 32.6e3
LAUNCH_MICROSECONDS = 2.5
FLIGHT = 4
MOST_UNEVEN = 4
MULTIPROCESSORS = {"H200": 132, "H100": 132}
VECTOR, MERGE, ADAPTIVE = KERNELS = ("spmv_csr_vector", "spmv_csr_merge", "spmv_csr_adaptive")


def multiprocessors(machine):
    for name, count in MULTIPROCESSORS.items():
        if name in machine:
            return count
    sys.exit(f"tuning.py: how many multiprocessors has '{machine}'? Add it to MULTIPROCESSORS")


def cost(row, kernel, params, constants):
    """The model of the kernel's `cost` function in microseconds."""
    a_microsecond = BYTES_A_MICROSECOND * multiprocessors(row["machine"])
    moved = minimal_bytes(row) / a_microsecond
    if kernel == MERGE:
        return (constants["MERGE_LAUNCHES"] * LAUNCH_MICROSECONDS +
                constants["MERGE_BYTES"] * moved)
    if kernel == ADAPTIVE:
        lanes = params["block"] if params["long"] else 32
        uneven, which, flight = uneven_of(row), "ADAPTIVE", constants["BLOCK_FLIGHT"]
        longest = row["max_row"] if row["max_row"] > params["buffer"] else 0
    else:
        lanes = params["coop"] or params["block"]
        uneven, which = uneven_of(row) if lanes < 32 else 0, "VECTOR"
        flight = constants["VECTOR_FLIGHT" if params["coop"] else "BLOCK_FLIGHT"]
        longest = row["max_row"]
    every = (constants[f"{which}_EVEN"] + constants[f"{which}_UNEVEN"] * uneven) * moved
    return LAUNCH_MICROSECONDS + max(every, flight * longest / (FLIGHT * lanes))


def uneven_of(row):
    return min(row["sd_row"] / (row["mean_row"] or 1), MOST_UNEVEN)


def params_of(row):
    return {name: int(value) for name, value in (part.split("=") for part in
                                                 row["params"].split(","))}


class Measured:
    """One matrix in one type: the rows of the kernels with their own parameters, of the rule, and
    the fastest of all unplanned ones."""

    def __init__(self, case):
        self.any, self.name = case.any, case.matrix
        self.own = {kernel: case.by_request[f"forced {kernel}"] for kernel in KERNELS
                    if f"forced {kernel}" in case.by_request}
        self.rule, self.best = case.tulle["rule"], case.tulle["kernel"]

    def is_whole(self):
        return len(self.own) == len(KERNELS) and self.rule is not None and "max_row" in self.any

    def pick(self, constants):
        return min(self.own.values(),
                   key=lambda row: cost(row, row["kernel"], params_of(row), constants))

    def worth(self, constants):
        """Time of the best of them over the time of the model's choice."""
        return min(row["ms"] for row in self.own.values()) / self.pick(constants)["ms"]


def worth(cases, constants):
    return geometric_mean([case.worth(constants) for case in cases])


def fit(cases, start):
    """Coordinate search over the grid until nothing changes; ties keep the value before."""
    best, constants = worth(cases, start), dict(start)
    changed = True
    while changed:
        changed = False
        for name in NAMES:
            for value in GRID[name]:
                tried = {**constants, name: value}
                result = worth(cases, tried)
                if result > best * (1 + 1e-9):
                    best, constants, changed = result, tried, True
    return constants


def read_constants(text):
    return {name: float(re.search(rf"TULLE__{name} ([0-9.]+)", text).group(1)) for name in NAMES}


def put_constants(text, constants):
    for name, value in constants.items():
        text = re.sub(rf"(TULLE__{name}) [0-9.]+", rf"\g<1> {value!r}", text)
    return text


def read_cases(folder):
    rows = [row for row in read_rows(folder.glob("*.jsonl"), SAME) if "err" in row]
    machines = group([row for row in rows if row["backend"] == "cuda"], "machine").values()
    cases = [Measured(case) for of_machine in machines
             for case in where(cases_of(of_machine), op="spmv", trans="n")]
    return [case for case in cases if case.is_whole()]


def drift(cases, constants):
    """The largest relative difference between this file's model and the library's, which the rows
    carry, where they were measured with these constants."""
    differences = []
    for case in cases:
        for row in case.own.values():
            if row.get("model_ms"):
                a_microsecond = BYTES_A_MICROSECOND * multiprocessors(row["machine"])
                here = cost(row, row["kernel"], params_of(row), constants) * a_microsecond
                differences.append(abs(here / (row["model_ms"] * 1e6 * row["copy_gbs"]) - 1))
    return max(differences, default=0)


def halves(cases):
    """Matrices by name, in turns: both types of one are in the same half."""
    names = sorted({case.name for case in cases})
    even = set(names[::2])
    return ([case for case in cases if case.name in even],
            [case for case in cases if case.name not in even])


def line(name, cases, constants):
    worths = [case.worth(constants) for case in cases]
    return [name, f"{len(cases)}", f"{geometric_mean(worths):.3f}", f"{min(worths):.2f}"]


def of_best(cases):
    """The rule as it was measured, against the fastest of all unplanned kernels and parameters."""
    ratios = [case.best["ms"] / case.rule["ms"] for case in cases]
    return [f"{len(cases)}", f"{geometric_mean(ratios):.3f}", f"{min(ratios):.2f}"]


def case_row(case, constants):
    own, any_row = case.own, case.any
    return [f"`{case.name}`", any_row["type"], f"{any_row['mean_row']:.1f}",
            f"{any_row['sd_row']:.1f}", f"{any_row['max_row']:,}",
            *(human_ms(own[kernel]["ms"]) for kernel in KERNELS),
            case.pick(constants)["kernel"].removeprefix("spmv_"), f"{case.worth(constants):.2f}",
            f"{case.best['ms'] / case.rule['ms']:.2f}"]


def page(cases, constants):
    first, second = halves(cases)
    yield "<!-- Made by scripts/tuning.py from bench/results/; do not edit. -->"
    yield ""
    yield (ROOT / "docs/tuning-text.md").read_text(encoding="utf-8").strip()
    yield ""
    yield "## Constants"
    yield ""
    yield from table(["constant", ">value"],
                     [[f"`TULLE__{name}`", f"{constants[name]:g}"] for name in NAMES])
    yield "## Fitted on one half, judged on the other"
    yield ""
    yield ("Worth: the time of the best of `spmv_csr_vector`, `spmv_csr_merge` and "
           "`spmv_csr_adaptive`, with the parameters of their own rules, over the time of the one "
           "that the model picks.")
    yield ""
    on_first, on_second = fit(first, constants), fit(second, constants)
    yield from table(["fit", ">judged on", ">worth, geometric mean", ">least"], [
        line("first half, on itself", first, on_first),
        line("first half, on the second", second, on_first),
        line("second half, on itself", second, on_second),
        line("second half, on the first", first, on_second),
        line("the constants above, on all", cases, constants)])
    yield "## Against exhaustive search"
    yield ""
    yield ("The rule as measured, against the fastest of all kernels without a plan and all "
           "parameters that were measured for the matrix.")
    yield ""
    yield from table(["matrices", ">cases", ">geometric mean", ">least"],
                     [["all", *of_best(cases)], ["first half", *of_best(first)],
                      ["second half", *of_best(second)]])
    yield "## The data"
    yield ""
    yield from table(["matrix", "type", ">mean row", ">deviation", ">longest", ">csr_vector",
                      ">csr_merge", ">csr_adaptive", "model's pick", ">worth", ">rule of best"],
                     [case_row(case, constants) for case in cases])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results")
    options = parser.parse_args()
    text = HEADER.read_text(encoding="utf-8")
    constants, cases = read_constants(text), read_cases(options.results)
    if not cases:
        sys.exit(f"tuning.py: no rows of CSR products on a GPU in {options.results}")
    if options.fit:
        HEADER.write_text(put_constants(text, fit(cases, constants)), encoding="utf-8")
    elif options.write:
        output.write(PAGE, output.text_of(page(cases, constants)))
    elif options.check:
        output.check(PAGE, output.text_of(page(cases, constants)), "tuning.py --write")
    else:
        for name, part in (("first half", halves(cases)[0]), ("second half", halves(cases)[1])):
            other = halves(cases)[1] if name == "first half" else halves(cases)[0]
            fitted = fit(part, constants)
            print(name, fitted, "judged on the other:", *line("", other, fitted)[1:])
        print("as is:", *line("", cases, constants)[1:],
              f"; largest difference to the library's model {drift(cases, constants):.2g}")
        print("rule of best:", *of_best(cases))


if __name__ == "__main__":
    main()
