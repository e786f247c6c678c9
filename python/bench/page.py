#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of python/README.md of what against_scipy.py and against_cupy.py measured.

    page.py [--check] [--results FOLDER] [--page FILE]

--check writes nothing, and exits with 1 if the page is not what the results give.
"""
import argparse
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST, LAST = "<!-- made by python/bench/page.py of {} -->", "<!-- end of what python/bench/page.py made of {} -->"
MB = 1e6


def read(path):
    """The rows of a file; each key stands there once."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    keys = [(row["op"], row["matrix"], row["type"]) for row in rows]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        sys.exit(f"{path}: more than one row of {twice[0]}: make the file anew")
    return rows


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def in_order(values):
    """The values, each once, in the order in which they come."""
    return list(dict.fromkeys(values))


def number(milliseconds):
    digits = max(0, 2 - math.floor(math.log10(milliseconds)))
    return f"{milliseconds * 1e3:.3g} µs" if milliseconds < 1 else f"{milliseconds:.{digits}f} ms"


def keys_of(rows, names):
    """The values of the members of those names, in the order of the matrix that has the most rows."""
    by_matrix = [[row for row in rows if row["matrix"] == name] for name in in_order(row["matrix"] for row in rows)]
    longest_first = sorted(by_matrix, key=len, reverse=True)
    return in_order(tuple(row[name] for name in names) for of_matrix in longest_first for row in of_matrix)


def found_of(rows, names, key):
    return [row for row in rows if tuple(row[name] for name in names) == key]


def range_of(ratios):
    """The cells of mean, least and greatest ratio, and of the number of those below 1."""
    return f"{mean(ratios):.2f} | {min(ratios):.2f}–{max(ratios):.2f} | {sum(ratio < 1 for ratio in ratios) or '-'}"


def beside_scipy(rows):
    """The lines of a table with a row for each operation and kind of matrices."""
    yield "| operation | matrices | faster | from, to | slower on |"
    yield "|---|---:|---:|---:|---:|"
    names = "op", "source"
    for key in keys_of(rows, names):
        ratios = [row["scipy_ms"] / row["tulle_ms"] for row in found_of(rows, names, key)]
        yield f"| {key[0]} | {len(ratios)} {key[1]} | {range_of(ratios)} |"


def beside_cupy(rows):
    """The lines of a table with a row for each operation and type."""
    yield "| operation | type | matrices | faster | from, to | slower on | optimised |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    names = "op", "type"
    for key in keys_of(rows, names):
        found = found_of(rows, names, key)
        ratios = [row["cupy_ms"] / row["tulle_ms"] for row in found]
        optimised = [row["cupy_ms"] / row["optimised_ms"] for row in found if "optimised_ms" in row]
        yield (f"| {key[0]} | {key[1]} | {len(found)} {found[0]['source']} | {range_of(ratios)} | "
               f"{f'{mean(optimised):.2f}' if optimised else '-'} |")


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


def cpu_lines(rows):
    """The page's lines of cpu.jsonl."""
    about = rows[0]
    yield (f"Measured on {about['machine']} with {about['threads']} threads, {about['date']}: tulle {about['tulle']}, "
           f"SciPy {about['scipy']}, NumPy {about['numpy']}, {about['type']}.")
    yield from ("", *beside_scipy([row for row in rows if row["matrix"]]))
    yield from ("", *alone([row for row in rows if not row["matrix"]]))


def gpu_lines(rows):
    """The page's lines of gpu.jsonl."""
    about = rows[0]
    yield f"Measured on {about['machine']}, {about['date']}: tulle {about['tulle']}, CuPy {about['cupy']}."
    yield from ("", *beside_cupy(rows))


def put(page, name, lines):
    """The page with those lines between the marks of a file of results."""
    first, last = FIRST.format(name), LAST.format(name)
    before, _, rest = page.partition(first)
    _, found, after = rest.partition(last)
    if not found:
        sys.exit(f"the page lacks the lines {first} and {last}")
    return "\n".join([before + first, "", *lines, "", last + after])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "lab/results/python")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "python/README.md")
    options = parser.parse_args()
    page = made = options.page.read_text(encoding="utf-8")
    for name, lines in {"cpu.jsonl": cpu_lines, "gpu.jsonl": gpu_lines}.items():
        made = put(made, name, lines(read(options.results / name)))
    if not options.check:
        options.page.write_text(made, encoding="utf-8")
    elif made != page:
        sys.exit(f"{options.page} is not up to date: run python/bench/page.py")


if __name__ == "__main__":
    main()
