#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of python/README.md of what against_scipy.py measured.

    page.py [--check] [--results FILE] [--page FILE]

--check writes nothing, and exits with 1 if the page is not what the results give.
"""
import argparse
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST, LAST = "<!-- made by python/bench/page.py -->", "<!-- end of what python/bench/page.py made -->"
MB = 1e6


def read(path):
    """The rows of a file; each key stands there once."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    keys = [(row["op"], row["matrix"]) for row in rows]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        sys.exit(f"{path}: more than one row of {twice[0]}: make it anew by against_scipy.py")
    return rows


def ratios(rows):
    return [row["scipy_ms"] / row["tulle_ms"] for row in rows]


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def in_order(values):
    """The values, each once, in the order in which they come."""
    return list(dict.fromkeys(values))


def number(milliseconds):
    digits = max(0, 2 - math.floor(math.log10(milliseconds)))
    return f"{milliseconds * 1e3:.3g} µs" if milliseconds < 1 else f"{milliseconds:.{digits}f} ms"


def keys_of(rows):
    """Operations and kinds of matrices, in the order of the matrix that has the most."""
    by_matrix = [[row for row in rows if row["matrix"] == name] for name in in_order(row["matrix"] for row in rows)]
    longest_first = sorted(by_matrix, key=len, reverse=True)
    return in_order((row["op"], row["source"]) for of_matrix in longest_first for row in of_matrix)


def operations(rows):
    """The lines of a table with a row for each operation and kind of matrices."""
    yield "| operation | matrices | faster | from, to | slower on |"
    yield "|---|---:|---:|---:|---:|"
    for op, source in keys_of(rows):
        found = ratios([row for row in rows if (row["op"], row["source"]) == (op, source)])
        slower = sum(ratio < 1 for ratio in found)
        yield (f"| {op} | {len(found)} {source} | {mean(found):.2f} | {min(found):.2f}–{max(found):.2f} | "
               f"{slower or '-'} |")


def alone(rows):
    """The lines of a table of what belongs to no matrix."""
    yield "| | tulle | SciPy |"
    yield "|---|---:|---:|"
    names = {"A @ x, 10 rows": "`A @ x` of 10 rows", "import": "`import tulle`, `import scipy.sparse`"}
    for row in rows:
        if row["op"] in names:
            yield f"| {names[row['op']]} | {number(row['tulle_ms'])} | {number(row['scipy_ms'])} |"
        else:
            yield (f"| the wheel without CUDA; unpacked | {row['bytes'] / MB:.1f} MB; "
                   f"{row['unpacked_bytes'] / MB:.1f} MB | |")


def lines(rows):
    """What stands between the marks."""
    of_matrices = [row for row in rows if row["matrix"]]
    about = rows[0]
    yield (f"Measured on {about['machine']} with {about['threads']} threads, {about['date']}: tulle {about['tulle']}, "
           f"SciPy {about['scipy']}, NumPy {about['numpy']}, {about['type']}.")
    yield from ("", *operations(of_matrices), "", *alone([row for row in rows if not row["matrix"]]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "lab/results/python/cpu.jsonl")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "python/README.md")
    options = parser.parse_args()
    page = options.page.read_text(encoding="utf-8")
    before, _, rest = page.partition(FIRST)
    _, last, after = rest.partition(LAST)
    if not last:
        sys.exit(f"{options.page} lacks the lines {FIRST} and {LAST}")
    made = "\n".join([before + FIRST, "", *lines(read(options.results)), "", LAST + after])
    if not options.check:
        options.page.write_text(made, encoding="utf-8")
    elif made != page:
        sys.exit(f"{options.page} is not up to date: run python/bench/page.py")


if __name__ == "__main__":
    main()
