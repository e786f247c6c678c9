#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the README's table of speed between its two marks, from the measurements in lab/results/.

A row is an operation in f64 on a GPU: how many times as fast tulle is as the fastest way of its peers, in
the geometric mean and at the worst, over all cases of the class `memory` (at least four times the last-level
cache) that were measured with both in one run; of all classes where that class has fewer than three.
--check writes nothing and exits with 1 if the README's table is not what the results give.
"""
import argparse
import sys

import pandas as pd

from pages import actors, makers, output, products, solvers
from pages.tables import contest, geometric_mean

FIRST, LAST = "<!-- made by lab/readme.py -->", "<!-- end of what lab/readme.py made -->"
ROWS = (("spmv", "y = A x"), ("spmm", "Y = A X"), ("spgemm", "C = A A, sparse"), ("add", "C = A + B, sparse"),
        ("transpose", "C = Aᵀ"), ("trisolve", "triangular systems"), ("factor", "ILU(0), IC(0), values"),
        ("dot", "inner products"), ("cg", "CG, an iteration"), ("gmres", "GMRES(30), an iteration"))


def measured(folder):
    """A frame of all cases with a ratio: op, machine, class, matrix, ratio."""
    rows = products.read_products(folder)
    for machine, of in rows[rows.backend == "cuda"].groupby("machine"):
        cases = products.cases_of(of)
        plain = cases[(cases.trans == "n") & (cases["index"] == "32/32") & (cases.type == "f64")]
        yield plain.assign(machine=machine, ratio=plain.peer_ms / plain.rule_ms)
    rows = makers.read_made(folder, folder / "papers")
    for machine, of in rows[rows.backend == "cuda"].groupby("machine"):
        cases = makers.cases_of(of)
        yield cases[(cases.type == "f64") & ~cases.pooled.astype(bool)].assign(machine=machine)
    rows = actors.read_acted(folder)
    for machine, of in rows[rows.backend == "cuda"].groupby("machine"):
        cases = contest(of, actors.CASE, ["class"])
        yield cases[cases.type == "f64"].assign(machine=machine)
    rows = solvers.read_solved(folder)
    for machine, of in rows[rows.backend == "cuda"].groupby("machine"):
        cases = contest(of, solvers.CASE, ["class"])
        yield cases[(cases.type == "f64") & (cases.detail != solvers.WHOLE)].assign(machine=machine)


def lines(cases):
    yield "| operation, f64 | GPU | cases | faster, mean | at worst | where |"
    yield "|---|---|---:|---:|---:|---|"
    for op, title in ROWS:
        of_op = cases[(cases.op == op) & cases.ratio.notna()]
        if of_op.empty:
            continue
        # The newest card that has most cases stands for the operation.
        machine = of_op.groupby("machine").size().sort_values().index[-1]
        of_op = of_op[of_op.machine == machine]
        large = of_op[of_op["class"] == "memory"]
        of_op = large if len(large) >= 3 else of_op
        ratios = of_op.ratio.reset_index(drop=True)
        where = of_op.matrix.iloc[ratios.idxmin()]
        card = " ".join(machine.split(" (")[0].split()[1:2])
        yield (f"| {title} | {card} | {len(ratios)} | {geometric_mean(ratios):.2f} | {ratios.min():.2f} "
               f"| `{where}` |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    path = output.ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(FIRST)
    after = rest.split(LAST)[1]
    cases = pd.concat([frame[["op", "machine", "class", "matrix", "ratio"]].astype({"op": str})
                       for frame in measured(output.ROOT / "lab/results")])
    table = "\n".join(lines(cases))
    made = f"{before}{FIRST}\n{table}\n{LAST}{after}"
    if options.check and made != text:
        sys.exit("README.md is not up to date: run lab/readme.py")
    if not options.check:
        path.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
