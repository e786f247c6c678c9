#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the constants of src/spmv/gpu/csr_costs.h to measurements and makes docs/tuning.md.

Reads the rows of CSR products on a GPU in lab/results/*.jsonl. --all FOLDER writes a page with every case there. --fit
puts the constants that suit all of them best into the header, but for the half of bench/sets/shapes.txt that is held out
(lab/regret.py judges by that half); --check writes nothing and exits with 1 if the page is not what the header and the
results give. --count has the program tulle count the rows by length of each matrix that bench/histograms.tsv lacks, which
the models need; the matrices of files are in $TULLE_MATRICES.
"""
import json
import random
import re
import subprocess
import sys

import numpy as np
import pandas as pd

from pages import output
from pages.products import PRODUCT, cases_of, read_products
from pages.shapes import is_held_out
from pages.tables import beside, geometric_mean, like, param, table

HEADER = output.ROOT / "src/spmv/gpu/csr_costs.h"
HISTOGRAMS = output.ROOT / "bench/histograms.tsv"
# What each constant is tried at.
GRID = {
    "VECTOR_EVEN": (1.0, 1.05, 1.1, 1.15, 1.2),
    "VECTOR_UNEVEN": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7),
    "VECTOR_FLIGHT": (0.2, 0.3, 0.4, 0.5, 0.67, 0.8, 1.0),
    "VECTOR_BUSY": (0.5, 0.6, 0.7, 0.8, 0.9),
    "VECTOR_FLIGHTS": (0.6, 0.7, 0.8, 0.9, 1.0),
    "MERGE_LAUNCHES": (1.6, 1.8, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0),
    "MERGE_BYTES": (1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5),
    "ADAPTIVE_EVEN": (1.05, 1.1, 1.15, 1.2, 1.25, 1.3),
    "ADAPTIVE_UNEVEN": (0.02, 0.05, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3),
    "ROW_BYTES": (8.0, 10.0, 12.0, 14.0, 16.0),
    "BLOCK_FLIGHT": (0.5, 0.75, 1.0, 1.25, 1.5, 2.0),
    "BLOCK_BUSY": (0.5, 1.0, 1.5, 2.0),
}
# bytes.h, bytes_a_microsecond and LAUNCH_US; csr_row.cuh, flight and the cap of unevenness;
# csr_models.cuh, resident_warps and gathered_bytes.
BYTES_A_MICROSECOND = 32.6e3
LAUNCH_MICROSECONDS = 2.5
FLIGHT = 4
MOST_UNEVEN = 4
RESIDENT_WARPS = 64
SECTOR = 32
THREADS_A_ROW = 512
MULTIPROCESSORS = {"H200": 132, "H100": 132}
CACHE_BYTES = {"H200": 60 << 20, "H100": 50 << 20}
KERNELS = ["vector", "merge", "adaptive"]
STARTS = 6  # of the search for constants
LEAST = 0.86  # a pick that is worth less counts more


def value_for(values):
    """A function that gives a machine's."""
    def find(machine):
        for name, value in values.items():
            if name in machine:
                return value
        sys.exit(f"tuning.py: what is '{machine}'? Add it to MULTIPROCESSORS and CACHE_BYTES")
    return find


def base_of(matrix):
    """What copies along the diagonal are of, and how many: tile:SPEC:K."""
    if not matrix.startswith("tile:"):
        return matrix, 1
    base, copies = matrix.removeprefix("tile:").rsplit(":", 1)
    return base, int(copies)


def known_histograms():
    """The lines of HISTOGRAMS, by matrix."""
    lines = HISTOGRAMS.read_text(encoding="utf-8").splitlines(keepends=True)
    return {line.split("\t")[0]: line for line in lines}


def histograms_of(matrices):
    """Rows of no entries, of 1, of 2 and 3, of 4 to 7, and so on, a list a matrix."""
    known = {name: line.split("\t")[1:] for name, line in known_histograms().items()}
    for matrix in matrices:
        base, copies = base_of(matrix)
        if base not in known:
            sys.exit(f"tuning.py: {HISTOGRAMS.name} lacks '{base}': use --count")
        yield [copies * int(count) for count in known[base]]


def count_rows(program, base):
    """The line of HISTOGRAMS for a matrix."""
    command = [program, "info", "--json", "--quiet", "--no-picture", "--on", "cpu", base]
    info = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    counts = {item["to"].bit_length(): item["rows"] for item in info["row_lengths"]["histogram"]}
    counts[0] = info["row_lengths"]["empty"]
    return "\t".join([base, *(str(counts.get(b, 0)) for b in range(max(counts) + 1))]) + "\n"


def count_missing(program, matrices):
    """Writes HISTOGRAMS with a line for each matrix and no others, as far as it comes, since counting takes minutes."""
    known, bases = known_histograms(), sorted({base_of(matrix)[0] for matrix in matrices})
    lines = {base: known[base] for base in bases if base in known}
    try:
        for base in bases:
            lines[base] = known.get(base) or count_rows(program, base)
    finally:
        HISTOGRAMS.write_text("".join(lines[base] for base in bases if base in lines), encoding="utf-8")


def flights_of_warp(histogram, longest, lanes):
    """Of the longest of a warp's rows, which are taken to be a random choice."""
    low = np.array([0, *(2.0 ** np.arange(len(histogram) - 1))])
    high = np.where(low > 0, np.minimum(2 * low - 1, longest), 0)
    share = (np.cumsum(histogram) / sum(histogram)) ** (32 // lanes)
    return np.diff(share, prepend=0) @ np.ceil((low + high) / 2 / (FLIGHT * lanes))


def read_cases(folder):
    """The products of which the rule was measured and all three kernels, with the parameters of
    their own rules, and what the models say of them that no constant changes."""
    rows = read_products(folder)
    rows = rows if rows.empty else like(rows, backend="cuda", op="spmv", trans="n")
    if rows.empty:
        sys.exit(f"tuning.py: no rows of CSR products on a GPU in {folder}")
    own = {kernel: like(rows, ours=True, request=f"forced spmv_csr_{kernel}").copy() for kernel in KERNELS}
    for of in own.values():
        for name in ("coop", "block", "long", "buffer"):
            of[name] = param(of, name)
    cases = cases_of(rows).join(beside(own, PRODUCT, []), on=PRODUCT)
    cases = cases.dropna(subset=["rule_ms", "max_row", *(f"{kernel}_ms" for kernel in KERNELS)])
    histograms = list(histograms_of(cases.matrix))
    last = np.array([[count for count in histogram if count][-1] for histogram in histograms])
    empty = np.array([histogram[0] for histogram in histograms])
    multiprocessors = cases.machine.map(value_for(MULTIPROCESSORS))
    a_microsecond = BYTES_A_MICROSECOND * multiprocessors
    cache = cases.machine.map(value_for(CACHE_BYTES))
    busy = (cases.minimal / (2 * cache)).clip(upper=1)
    flights = [1 + flights_of_warp(*of) if of[2] else 0 for of in
               zip(histograms, cases.max_row, cases.vector_coop.astype(int))]
    uneven = (cases.sd_row / cases.mean_row.replace(0, 1)).clip(upper=MOST_UNEVEN)
    vector_lanes = cases.vector_coop.where(cases.vector_coop > 0, cases.vector_block)
    # The part of all work after which the last of the longest rows of csr_vector begins.
    late = (busy * last / (last + 1)).where(cases.rows * vector_lanes > RESIDENT_WARPS * 32 * multiprocessors, 0)
    x = cases.cols * cases.type.astype(str).map({"f32": 4, "f64": 8}).astype(float)
    wide = (3 * x > 2 * cache) & (cases.rows <= RESIDENT_WARPS * 32 * multiprocessors // THREADS_A_ROW)
    gathered = np.minimum(SECTOR * cases.nnz, x * cases.rows).where(wide, 0)
    return cases.assign(
        gathered=gathered / a_microsecond,
        a_microsecond=a_microsecond, moved=cases.minimal / a_microsecond, uneven=uneven,
        vector_uneven=uneven.where(vector_lanes < 32, 0),
        busy=busy, vector_late=late,
        rows_moved=busy * (cases.rows - empty) / a_microsecond,
        vector_busy=busy * (0.25 + cases.vector_coop / 8).clip(upper=1),
        vector_flights=flights * cases.rows * cases.vector_coop / 32 / (
            RESIDENT_WARPS * multiprocessors),
        vector_steps=cases.max_row / (FLIGHT * vector_lanes),
        adaptive_steps=cases.max_row.where(cases.max_row > cases.adaptive_buffer, 0) / (
            FLIGHT * cases.adaptive_block.where(cases.adaptive_long > 0, 32)),
        of_best=cases.kernel_ms / cases.rule_ms).reset_index(drop=True)


def costs(cases, c):
    """The models of the kernels' `cost` functions in microseconds, a column a kernel; csr_models.cuh
    says why."""
    block_flight = c["BLOCK_FLIGHT"] + c["BLOCK_BUSY"] * cases.busy
    lanes_flight = c["VECTOR_FLIGHT"] + c["VECTOR_BUSY"] * cases.vector_busy
    flight = lanes_flight.where(cases.vector_coop > 0, block_flight)
    vector = np.maximum(
        (c["VECTOR_EVEN"] + c["VECTOR_UNEVEN"] * cases.vector_uneven) * cases.moved,
        c["VECTOR_FLIGHTS"] * lanes_flight * cases.vector_flights)
    each_row = c["ROW_BYTES"] * cases.rows_moved
    adaptive = (c["ADAPTIVE_EVEN"] + c["ADAPTIVE_UNEVEN"] * cases.uneven) * cases.moved + each_row
    longest = flight * cases.vector_steps
    last = (cases.vector_late * vector + longest).where(longest > 0, 0)
    return np.column_stack([
        LAUNCH_MICROSECONDS + np.maximum(vector, last),
        c["MERGE_LAUNCHES"] * LAUNCH_MICROSECONDS + c["MERGE_BYTES"] * cases.moved + each_row + cases.gathered,
        LAUNCH_MICROSECONDS + adaptive + c["BLOCK_FLIGHT"] * cases.adaptive_steps])


def picked(cases, constants):
    """The model's choice, as a place in KERNELS, and the time of the best over its time."""
    pick = costs(cases, constants).argmin(axis=1)
    ms = cases[[f"{kernel}_ms" for kernel in KERNELS]].to_numpy()
    return pick, ms.min(axis=1) / ms[range(len(ms)), pick]


def aim(cases, constants):
    """A number that is larger the better the picks are: the geometric mean of their worths, less four times the mean
    of what worths lack of LEAST, so that the worst picks count as well."""
    worth = picked(cases, constants)[1]
    return geometric_mean(worth) - 4 * np.clip(LEAST - worth, 0, None).mean()


def climb(cases, constants):
    """Coordinate search over the grid until nothing changes; ties keep the value before."""
    best, before = aim(cases, constants), None
    while constants != before:
        before = constants
        for name, values in GRID.items():
            for value in values:
                tried = {**constants, name: value}
                reached = aim(cases, tried)
                if reached > best + 1e-9:
                    best, constants = reached, tried
    return best, constants


def fit(cases, constants):
    """The best of STARTS searches: one begins at the constants, the others where half of them are drawn from the grid."""
    draw = random.Random(1)
    found = [climb(cases, constants)]
    for _ in range(1, STARTS):
        start = {name: draw.choice(values) if draw.random() < 0.5 else constants[name]
                 for name, values in GRID.items()}
        found.append(climb(cases, start))
    return max(found, key=lambda one: one[0])[1]


def read_constants(text):
    return {name: float(re.search(rf"TULLE__{name} ([0-9.]+)", text).group(1)) for name in GRID}


def put_constants(text, constants):
    for name, value in constants.items():
        text = re.sub(rf"(TULLE__{name}) [0-9.]+", rf"\g<1> {value!r}", text)
    return text


def drift(cases, constants):
    """The largest relative difference between this file's model and the library's, which the rows
    carry, where they were measured with these constants."""
    here = costs(cases, constants).T * cases.a_microsecond.to_numpy()
    there = [cases[f"{kernel}_model_ms"] * 1e6 * cases[f"{kernel}_copy_gbs"] for kernel in KERNELS]
    return max((one / other[other > 0] - 1).abs().max() for one, other in zip(here, there))


WORTHS = "{what} | {count} | {mean:.3f} | {least}"


def summary_of(worths):
    """worths: {heading: numbers}."""
    return pd.DataFrame([{"what": what, "count": len(of), "mean": geometric_mean(of),
                          "least": of.min()} for what, of in worths.items()])


def page(cases, constants):
    # Matrices by name, in turns: both types of one are in the same half.
    is_first = cases.matrix.isin(sorted(cases.matrix.unique())[::2])
    first, second = cases[is_first], cases[~is_first]
    yield "<!-- Made by lab/tuning.py from lab/results/; do not edit. -->"
    yield ""
    yield (output.ROOT / "docs/tuning-text.md").read_text(encoding="utf-8").strip()
    yield from ("", "## Constants", "")
    yield from table(pd.DataFrame({"name": constants.keys(), "value": constants.values()}),
                     "constant | >value", "`TULLE__{name}` | {value:g}")
    yield from ("## Fitted on one half, judged on the other", "",
                "Worth: the time of the best of `spmv_csr_vector`, `spmv_csr_merge` and "
                "`spmv_csr_adaptive`, with the parameters of their own rules, over the time of the "
                "one that the model picks.", "")
    on_first, on_second = fit(first, constants), fit(second, constants)
    yield from table(summary_of({
        "first half, on itself": picked(first, on_first)[1],
        "first half, on the second": picked(second, on_first)[1],
        "second half, on itself": picked(second, on_second)[1],
        "second half, on the first": picked(first, on_second)[1],
        "the constants above, on all": picked(cases, constants)[1]}),
        "fit | >judged on | >worth, geometric mean | >least", WORTHS)
    yield from ("## Against exhaustive search", "",
                "The rule as measured, against the fastest of all kernels without a plan and all "
                "parameters that were measured for the matrix.", "")
    yield from table(summary_of({
        "all": cases.of_best, "first half": first.of_best, "second half": second.of_best}),
        "matrices | >cases | >geometric mean | >least", WORTHS)
    yield from ("`make pages` writes every case into `build/pages/tuning.md`.",)


def data(cases, constants):
    pick, worth = picked(cases, constants)
    yield from ("# What kernels are picked by", "")
    yield from table(        cases.assign(pick=[f"csr_{KERNELS[place]}" for place in pick], worth=worth),
        "matrix | type | >mean row | >deviation | >longest | >csr_vector | >csr_merge | "
        ">csr_adaptive | model's pick | >worth | >rule of best",
        "`{matrix}` | {type} | {mean_row:.1f} | {sd_row:.1f} | {max_row:,.0f} | {vector_ms:ms} | "
        "{merge_ms:ms} | {adaptive_ms:ms} | {pick} | {worth} | {of_best}")


def main():
    parser = output.parser_of(__doc__, "lab/results")
    parser.add_argument("--fit", action="store_true", help="fits the constants and puts them into "
                        "the header, too")
    parser.add_argument("--count", metavar="PROGRAM", help="counts the rows of matrices that were not counted yet")
    options = parser.parse_args()
    if options.count:
        rows = like(read_products(options.results), backend="cuda", op="spmv", trans="n")
        count_missing(options.count, rows.matrix)
    text, cases = HEADER.read_text(encoding="utf-8"), read_cases(options.results)
    constants = read_constants(text)
    if options.fit:
        constants = fit(cases[~cases.matrix.map(is_held_out)], constants)
        HEADER.write_text(put_constants(text, constants), encoding="utf-8")
    output.publish(options, {"tuning.md": (data if options.all else page)(cases, constants)})
    if not options.check:
        print(f"largest difference to the library's model: {drift(cases, constants):.2g}")


if __name__ == "__main__":
    main()
