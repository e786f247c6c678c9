#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the regret of the rule on the shapes of bench/sets/shapes.txt: regret.py RUN...

A RUN has JSON lines of tulle bench with rows of the rule and of kernels by name, as from

    tulle-lab bench --set shapes --choice rule --choice forced --peers none --json RUN

The worth of the rule's pick is the time of the fastest of tulle's kernels without a plan over the time of the pick, and
the regret is what the worth lacks of 1. The pick's time is the least of all rows of its kernel and parameters, so that
two measurements of one thing are no regret. For each half, the one that constants may be fitted to and the one held out,
there is a table of means and worsts by class and type, one by kind of shape, and one of single shapes, worst first.
--worst N cuts the last table. Rows that were found wrong are left out; rows of matrices outside the set count as fitted.
"""
import argparse
import collections
import json
import math
import pathlib
import sys

from pages.shapes import is_held_out, kinds

HALVES = {False: "fitted", True: "held out"}

Case = collections.namedtuple("Case", "worth matrix kind type cls backend pick pick_ms best best_ms floor")


def name_of(row):
    return f"{row['kernel'].removeprefix('spmv_')} {row['params']}".strip()


def rows_in(paths):
    """The products that were not found wrong, of one vector, without transposition, in CSR."""
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                row = json.loads(line)
            except ValueError:
                sys.exit(f"{path}:{number}: no JSON line; name files that tulle bench --json wrote")
            alike = row["op"] == "spmv" and row["trans"] == "n" and row["format"] == "csr"
            right = not row.get("broken") and not (row.get("err") or 0) > 1
            if alike and right and row["choice"] in ("rule", "forced"):
                yield row


def cases_of(rows):
    """A case for each product of which the rule and a kernel by name were measured."""
    products = collections.defaultdict(list)
    for row in rows:
        products[row["machine"], row["backend"], row["threads"], row["matrix"], row["type"]].append(row)
    for group in products.values():
        ruled = [row for row in group if row["choice"] == "rule"]
        if not ruled or len(ruled) == len(group):
            continue
        pick = name_of(ruled[-1])
        pick_ms = min(row["ms"] for row in group if name_of(row) == pick)
        best = min(group, key=lambda row: row["ms"])
        yield Case(best["ms"] / pick_ms, best["matrix"], kinds().get(best["matrix"], "-"), best["type"], best["class"],
                   best["backend"], pick, pick_ms, name_of(best), best["ms"], best["floor"])


def columns(heading, rows):
    """Lines of a table; cells that are numbers stand right."""
    texts = [list(heading)] + [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, cells)) for cells in zip(*texts)]
    for line in texts:
        cells = [text.rjust(width) if text[:1].isdigit() else text.ljust(width) for text, width in zip(line, widths)]
        yield "  ".join(cells).rstrip()
    yield ""


def means(cases, of):
    """Number of cases, geometric mean and least worth, and the share below 0.95, for each group."""
    groups = collections.defaultdict(list)
    for case in cases:
        groups[of(case)].append(case.worth)
    for name, worths in sorted(groups.items()):
        mean = math.exp(sum(map(math.log, worths)) / len(worths))
        below = sum(worth < 0.95 for worth in worths) / len(worths)
        yield (*name, len(worths), f"{mean:.3f}", f"{min(worths):.3f}", f"{below:.2f}")


def worst_first(cases, most):
    for case in sorted(cases, key=lambda case: (case.worth, case.matrix, case.type))[:most]:
        yield (f"{1 - case.worth:.3f}", case.cls, case.type, f"{1e3 * case.pick_ms:.2f}", case.pick,
               f"{1e3 * case.best_ms:.2f}", case.best, f"{case.floor:.2f}", case.kind, case.matrix)


def report(name, cases, most):
    yield f"Half {name}: {len(cases)} products"
    yield ""
    figures = ("products", "worth, mean", "least", "below 0.95")
    yield from columns(("class", "type", *figures), means(cases, lambda case: (case.cls, case.type)))
    yield from columns(("kind", *figures), means(cases, lambda case: (case.kind,)))
    yield from columns(("regret", "class", "type", "us", "the rule's pick", "us", "the fastest", "floor", "kind", "shape"),
                       worst_first(cases, most))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path, metavar="RUN")
    parser.add_argument("--worst", type=int, metavar="N", help="only the N worst shapes of each half")
    options = parser.parse_args()
    cases = list(cases_of(rows_in(options.runs)))
    if not cases:
        sys.exit("regret.py: no product has a row of the rule and one of a kernel by name; see --help")
    for held, name in HALVES.items():
        half = [case for case in cases if is_held_out(case.matrix) == held]
        if half:
            print("\n".join(report(name, half, options.worst)))


if __name__ == "__main__":
    main()
